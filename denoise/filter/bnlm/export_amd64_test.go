package bnlm

// withoutVector runs f on the Go loops alone.
func withoutVector(f func()) {
	defer func(was bool) { useVector = was }(useVector)
	useVector = false
	f()
}
