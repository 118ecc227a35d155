//go:build !amd64

package bnlm

// Processors without vector forms of the row kernels run the Go loops.

func squares(dst, a0, b0, a1, b1, a2, b2 []float32, more bool, n int) {
	squaresGo(dst, a0, b0, a1, b1, a2, b2, more, n)
}
func sum(dst, a, b []float32, n int)       { sumGo(dst, a, b, n) }
func total(den, peak, w []float32, n int)  { totalGo(den, peak, w, n) }
func spread(acc, w, a, b []float32, n int) { spreadGo(acc, w, a, b, n) }
func multiply(dst, a, b []float32, n int)  { multiplyGo(dst, a, b, n) }
