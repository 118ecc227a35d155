//go:build !amd64

package bnlm

// Processors without vector forms of the row kernels run the Go loops.

func squares(dst, a0, b0, a1, b1, a2, b2 []float32, stride, planes, n int) {
	squaresGo(dst, a0, b0, a1, b1, a2, b2, stride, planes, n)
}
func sum(dst, a, b []float32, n int)                   { sumGo(dst, a, b, n) }
func total(den, peak, w []float32, bits []byte, n int) { totalGo(den, peak, w, bits, n) }
func spread(acc, w, a, b []float32, n int)             { spreadGo(acc, w, a, b, n) }
func spreadPairs(acc0, acc1, w, a0, b0, a1, b1 []float32, accStride, stride, planes, n int) {
	spreadPairsGo(acc0, acc1, w, a0, b0, a1, b1, accStride, stride, planes, n)
}
func multiply(dst, a, b []float32, n int) { multiplyGo(dst, a, b, n) }
