package pairwise

// HasVector reports whether this processor runs the vector row kernels.
func HasVector() bool { return vector() }
