package pairwise

// WithoutVector runs f on the Go loops alone.
func WithoutVector(f func()) {
	defer func(was bool) { useVector = was }(useVector)
	useVector = false
	f()
}
