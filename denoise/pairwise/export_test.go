package pairwise

// HasVector reports whether this processor runs the vector row kernels.
func HasVector() bool { return vector() }

// WithoutVector runs f on the Go loops alone.
func WithoutVector(f func()) {
	defer setVector(setVector(false))
	f()
}
