//go:build !amd64

package bnlm

// withoutVector runs f on the Go loops, which this processor always runs.
func withoutVector(f func()) { f() }
