//go:build !amd64

package dct

// Processors without vector forms of the row kernels run the Go loops.

func vector() bool { return false }

func sumDifference(s, d, a, b []float32, n int)          { sumDifferenceGo(s, d, a, b, n) }
func combine2(dst, a, b []float32, p, q float32, n int)  { combine2Go(dst, a, b, p, q, n) }
func threshold(c, kept []float32, limit float32, n int)  { thresholdGo(c, kept, limit, n) }
func shrink(c, p, gains []float32, scale float32, n int) { shrinkGo(c, p, gains, scale, n) }
func accumulate(sum, w, a []float32, n int)              { accumulateGo(sum, w, a, n) }
func combine3(dst, a, b, c []float32, p, q, r float32, n int) {
	combine3Go(dst, a, b, c, p, q, r, n)
}
func combine4(dst, a, b, c, d []float32, p, q, r, s float32, n int) {
	combine4Go(dst, a, b, c, d, p, q, r, s, n)
}

func remove4(*basis, [][]float32, [][]float32, []float32, *[4 * lanes]float32, bool, int) bool {
	return false
}
