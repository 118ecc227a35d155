//go:build !amd64

package pairwise

// Processors without vector forms of the row kernels run the Go loops.

func vector() bool { return false }

func squareDiff(dst, a, b []float32, n int)              { squareDiffGo(dst, a, b, n) }
func addPair(dst, mid, l, r []float32, g float32, n int) { addPairGo(dst, mid, l, r, g, n) }
func weigh(w, d []float32, scale, bias float32, n int)   { weighGo(w, d, scale, bias, n) }
func accumulate(num, den, w, a, b []float32, n int)      { accumulateGo(num, den, w, a, b, n) }
func maximum(peak, w []float32, n int)                   { maximumGo(peak, w, n) }
