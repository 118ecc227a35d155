//go:build !amd64

package lpa

// vector reports whether pixels are computed side by side: other processors compute
// them one by one.
func vector() bool { return false }

func (r *row) estimate(dst, in []float32, from int) { panic("lpa: there is no vector code") }
