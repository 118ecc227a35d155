package pairwise

import (
	"golang.org/x/sys/cpu"

	"quell/denoise/tile"
)

// useVector selects the AVX2 row kernels; tests turn it off to compare.
var useVector = cpu.X86.HasAVX2

// vector reports whether the row kernels run as vector code.
func vector() bool { return useVector }

// The assembly forms of the row kernels, rows_amd64.s; n > 0 is a multiple of
// lanes.

//go:noescape
func squareDiffAVX2(dst, a, b *float32, n int)

//go:noescape
func addSquareDiffAVX2(dst, a, b *float32, gain float32, n int)

//go:noescape
func addPairAVX2(dst, mid, l, r *float32, tap float32, n int)

//go:noescape
func weighAVX2(w, d *float32, scale, bias float32, n int)

//go:noescape
func weighSumAVX2(w, sum, peak, a, b, c, least *float32, scale float32, bits *byte, n int)

//go:noescape
func addPairsAVX2(numA, denA, numB, denB, a, b *float32, scale, bias float32, n int)

//go:noescape
func accumulateBothAVX2(numA, denA, numB, denB, w, a, b *float32, n int)

//go:noescape
func accumulateAVX2(num, den, w, a, b *float32, n int)

//go:noescape
func maximumAVX2(peak, w *float32, n int)

//go:noescape
func gradientAVX2(dst, a, b, c *float32, near float32, n int)

//go:noescape
func nearestAVX2(least, slope, d, grad *float32, n int)

//go:noescape
func accumulateSteinAVX2(num, den, gd, gl, w, live, a, b, grad *float32, n int)

//go:noescape
func alikeAVX2(bits *byte, ma, mb, da, db *float32, apart, ratio float32, n int) uint64

//go:noescape
func keepAVX2(w *float32, bits *byte, n int)

// The slice expressions below are the bounds checks that assembly lacks.

func squareDiff(dst, a, b []float32, n int) {
	if !useVector || n == 0 {
		squareDiffGo(dst, a, b, n)
		return
	}
	squareDiffAVX2(&dst[:n][0], &a[:n][0], &b[:n][0], n)
}

func addSquareDiff(dst, a, b []float32, gain float32, n int) {
	if !useVector || n == 0 {
		addSquareDiffGo(dst, a, b, gain, n)
		return
	}
	addSquareDiffAVX2(&dst[:n][0], &a[:n][0], &b[:n][0], gain, n)
}

func addPair(dst, mid, l, r []float32, g float32, n int) {
	if !useVector || n == 0 {
		addPairGo(dst, mid, l, r, g, n)
		return
	}
	addPairAVX2(&dst[:n][0], &mid[:n][0], &l[:n][0], &r[:n][0], g, n)
}

func weigh(w, d []float32, scale, bias float32, n int) {
	if !useVector || n == 0 {
		weighGo(w, d, scale, bias, n)
		return
	}
	weighAVX2(&w[:n][0], &d[:n][0], scale, bias, n)
}

func weighSum(w, sum, peak, a, b, c, least []float32, scale float32, bits []byte, n int) {
	if !useVector || n == 0 {
		weighSumGo(w, sum, peak, a, b, c, least, scale, bits, n)
		return
	}
	weighSumAVX2(&w[:n][0], &sum[:lanes][0], &peak[:lanes][0], &a[:n][0], &b[:n][0], &c[:n][0], &least[:lanes][0], scale, &bits[:n/lanes][0], n)
}

func addPairs(numA, denA, numB, denB, a, b []float32, scale, bias float32, n int) {
	if !useVector || n == 0 {
		addPairsGo(numA, denA, numB, denB, a, b, scale, bias, n)
		return
	}
	m := tile.RoundUp(n) - 1
	_, _, _, _, _, _ = numA[m], denA[m], numB[m], denB[m], a[m], b[m]
	addPairsAVX2(&numA[0], &denA[0], &numB[0], &denB[0], &a[0], &b[0], scale, bias, n)
}

func accumulateBoth(numA, denA, numB, denB, w, a, b []float32, n int) {
	if !useVector || n == 0 {
		accumulateBothGo(numA, denA, numB, denB, w, a, b, n)
		return
	}
	accumulateBothAVX2(&numA[:n][0], &denA[:n][0], &numB[:n][0], &denB[:n][0], &w[:n][0], &a[:n][0], &b[:n][0], n)
}

func accumulate(num, den, w, a, b []float32, n int) {
	if !useVector || n == 0 {
		accumulateGo(num, den, w, a, b, n)
		return
	}
	accumulateAVX2(&num[:n][0], &den[:n][0], &w[:n][0], &a[:n][0], &b[:n][0], n)
}

func maximum(peak, w []float32, n int) {
	if !useVector || n == 0 {
		maximumGo(peak, w, n)
		return
	}
	maximumAVX2(&peak[:n][0], &w[:n][0], n)
}

func gradient(g, a, b, c []float32, near float32, n int) {
	if !useVector || n == 0 {
		gradientGo(g, a, b, c, near, n)
		return
	}
	gradientAVX2(&g[:n][0], &a[:n][0], &b[:n][0], &c[:n][0], near, n)
}

func nearest(least, slope, d, g []float32, n int) {
	if !useVector || n == 0 {
		nearestGo(least, slope, d, g, n)
		return
	}
	nearestAVX2(&least[:n][0], &slope[:n][0], &d[:n][0], &g[:n][0], n)
}

func accumulateStein(num, den, gd, gl, w, live, a, b, g []float32, n int) {
	if !useVector || n == 0 {
		accumulateSteinGo(num, den, gd, gl, w, live, a, b, g, n)
		return
	}
	accumulateSteinAVX2(&num[:n][0], &den[:n][0], &gd[:n][0], &gl[:n][0], &w[:n][0], &live[:n][0], &a[:n][0], &b[:n][0], &g[:n][0], n)
}

func alike(bits []byte, ma, mb, da, db []float32, apart, ratio float32, n int) uint64 {
	if !useVector || n == 0 {
		return alikeGo(bits, ma, mb, da, db, apart, ratio, n)
	}
	return alikeAVX2(&bits[:n/lanes][0], &ma[:n][0], &mb[:n][0], &da[:n][0], &db[:n][0], apart, ratio, n)
}

func keep(w []float32, bits []byte, n int) {
	if !useVector || n == 0 {
		keepGo(w, bits, n)
		return
	}
	keepAVX2(&w[:n][0], &bits[:n/lanes][0], n)
}
