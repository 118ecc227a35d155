//go:build !amd64

package bnlm

// Processors without vector forms of the row kernels run the Go loops.

func squares(dst, a0, b0, a1, b1, a2, b2 []float32, stride, planes, n int) {
	squaresGo(dst, a0, b0, a1, b1, a2, b2, stride, planes, n)
}
func sum(dst, a, b []float32, n int)                   { sumGo(dst, a, b, n) }
func total(den, peak, w []float32, bits []byte, n int) { totalGo(den, peak, w, bits, n) }
func spread(acc, w, a, b []float32, n int)             { spreadGo(acc, w, a, b, n) }
func multiply(dst, a, b []float32, n int)              { multiplyGo(dst, a, b, n) }
func columns(dst, a0, a1, b0, b1 []float32, plane, planes, vectors, each, n int) {
	columnsGo(dst, a0, a1, b0, b1, plane, planes, vectors, each, n)
}
func leasts(least, a, b, c []float32, bits []byte, n int) {
	leastsGo(least, a, b, c, bits, n)
}
func share(dst, w, right, inverse []float32, n int) { shareGo(dst, w, right, inverse, n) }
func give(sums []float32, to int, sumsApart strides, values []float32, at int, apart strides, planes int, shares, before []float32, places []int, _, _, n int) {
	giveGo(sums, to, sumsApart, values, at, apart, planes, shares, before, places, n)
}
func split(even, odd, from []float32, unit float32, n int) float32 {
	return splitGo(even, odd, from, unit, n)
}
func merge(dst, v, even, odd []float32, evenShare, oddShare float64, n int) {
	mergeGo(dst, v, even, odd, evenShare, oddShare, n)
}
