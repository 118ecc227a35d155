//go:build !amd64

package pairwise

// WithoutVector runs f on the Go loops, which this processor always runs.
func WithoutVector(f func()) { f() }
