//go:build !amd64

package sadct

// Processors without vector forms of the row kernels run the Go loops.

func combine(dst *[lanes]float32, m, a []float32, groups int) { combineGo(dst, m, a, groups) }

func relative(dst *[lanes]float32, src []float32, v0, scale float32, groups int) {
	relativeGo(dst, src, v0, scale, groups)
}

func beyond(c *[lanes]float32, low, high float32, groups int) (overLow, overHigh uint32) {
	return beyondGo(c, low, high, groups)
}

func attenuate(c, q, sums *[lanes]float32, groups int) { attenuateGo(c, q, sums, groups) }

func deposit(num, den []float32, r, u *[lanes]float32, mean, weight float32, n int) {
	depositGo(num, den, r, u, mean, weight, n)
}

func squares(c, sums *[lanes]float32, groups int) { squaresGo(c, sums, groups) }
