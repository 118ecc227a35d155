//go:build !amd64

package slab

// average sets out to the means.
func (r rows) average(out []float32) { r.averageGo(out) }
