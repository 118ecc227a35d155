//go:build !amd64

package pairwise

// Processors without vector forms of the row kernels run the Go loops.

func vector() bool { return false }

func squareDiff(dst, a, b []float32, n int)                  { squareDiffGo(dst, a, b, n) }
func addSquareDiff(dst, a, b []float32, gain float32, n int) { addSquareDiffGo(dst, a, b, gain, n) }
func addPair(dst, mid, l, r []float32, g float32, n int)     { addPairGo(dst, mid, l, r, g, n) }
func weigh(w, d []float32, scale, bias float32, n int)       { weighGo(w, d, scale, bias, n) }
func weighSum(w, sum, peak, a, b, c, least []float32, scale float32, bits []byte, n int) {
	weighSumGo(w, sum, peak, a, b, c, least, scale, bits, n)
}
func accumulate(num, den, w, a, b []float32, n int) { accumulateGo(num, den, w, a, b, n) }
func maximum(peak, w []float32, n int)              { maximumGo(peak, w, n) }

func gradient(g, a, b, c []float32, near float32, n int) { gradientGo(g, a, b, c, near, n) }
func nearest(least, slope, d, g []float32, n int)        { nearestGo(least, slope, d, g, n) }
func accumulateStein(num, den, gd, gl, w, live, a, b, g []float32, n int) {
	accumulateSteinGo(num, den, gd, gl, w, live, a, b, g, n)
}

func alike(bits []byte, ma, mb, da, db []float32, apart, ratio float32, n int) uint64 {
	return alikeGo(bits, ma, mb, da, db, apart, ratio, n)
}
func keep(w []float32, bits []byte, n int) { keepGo(w, bits, n) }

func addPairs(numA, denA, numB, denB, a, b []float32, scale, bias float32, n int) {
	addPairsGo(numA, denA, numB, denB, a, b, scale, bias, n)
}

func accumulateBoth(numA, denA, numB, denB, w, a, b []float32, n int) {
	accumulateBothGo(numA, denA, numB, denB, w, a, b, n)
}
