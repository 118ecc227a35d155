package sadct

import "golang.org/x/sys/cpu"

// useVector selects the AVX2 row kernels; tests turn it off to compare.
var useVector = cpu.X86.HasAVX2

// The assembly forms of the row kernels, rows_amd64.s.

//go:noescape
func combineAVX2(dst, m, a *float32, n, groups int)

//go:noescape
func relativeAVX2(dst, src *float32, v0, scale float32, groups int)

//go:noescape
func beyondAVX2(c *float32, low, high float32, groups int) (overLow, overHigh uint32)

//go:noescape
func attenuateAVX2(c, q, sums *float32, groups int)

//go:noescape
func depositAVX2(num, den, r, u *float32, mean, weight float32, n int)

//go:noescape
func squaresAVX2(c, sums *float32, groups int)

// The slice expressions below are the bounds checks that assembly lacks.

func combine(dst *[lanes]float32, m, a []float32, groups int) {
	if n := len(a); useVector && n > 0 {
		combineAVX2(&dst[:8*groups][0], &m[:n*lanes][0], &a[0], n, groups)
		return
	}
	combineGo(dst, m, a, groups)
}

func relative(dst *[lanes]float32, src []float32, v0, scale float32, groups int) {
	if useVector {
		relativeAVX2(&dst[:8*groups][0], &src[:8*groups][0], v0, scale, groups)
		return
	}
	relativeGo(dst, src, v0, scale, groups)
}

func beyond(c *[lanes]float32, low, high float32, groups int) (overLow, overHigh uint32) {
	if useVector {
		return beyondAVX2(&c[:8*groups][0], low, high, groups)
	}
	return beyondGo(c, low, high, groups)
}

func attenuate(c, q, sums *[lanes]float32, groups int) {
	if useVector {
		attenuateAVX2(&c[:8*groups][0], &q[0], &sums[0], groups)
		return
	}
	attenuateGo(c, q, sums, groups)
}

// deposit reads and writes back up to 7 values of num and den after the n.
func deposit(num, den []float32, r, u *[lanes]float32, mean, weight float32, n int) {
	if useVector {
		whole := (n + 7) / 8 * 8
		depositAVX2(&num[:whole][0], &den[:whole][0], &r[:whole][0], &u[0], mean, weight, n)
		return
	}
	depositGo(num, den, r, u, mean, weight, n)
}

func squares(c, sums *[lanes]float32, groups int) {
	if useVector {
		squaresAVX2(&c[:8*groups][0], &sums[0], groups)
		return
	}
	squaresGo(c, sums, groups)
}
