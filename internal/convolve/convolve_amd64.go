package convolve

import "golang.org/x/sys/cpu"

// useVector selects the AVX2 row kernel.
var useVector = cpu.X86.HasAVX2

// rowAVX2 is the assembly form of rowGo, convolve_amd64.s; n > 0 is a multiple
// of Lanes and count > 0.
//
//go:noescape
func rowAVX2(dst, src *float64, offsets *int, taps *float64, count, n int)

// Row sets dst[x] to sum_k taps[k] src[offsets[k]+x]. The length of dst is a multiple of Lanes.
func Row(dst, src []float64, offsets []int, taps []float64) {
	if !useVector || len(dst) == 0 || len(taps) == 0 {
		rowGo(dst, src, offsets, taps)
		return
	}
	offsets = offsets[:len(taps)]
	for _, o := range offsets { // the bounds checks that assembly lacks
		_ = src[o:][:len(dst)]
	}
	rowAVX2(&dst[0], &src[0], &offsets[0], &taps[0], len(taps), len(dst))
}

// widenAVX2 and divideAVX2 are the assembly forms of widenGo and divideGo; n is a positive multiple of Lanes.
//
//go:noescape
func widenAVX2(dst *float64, src *float32, n int)

//go:noescape
func divideAVX2(dst *float32, num, den *float64, n int)

// whole returns the part of n values that vector code processes.
func whole(n int) int {
	if !useVector {
		return 0
	}
	return n &^ (Lanes - 1)
}

// Widen sets dst to src in float64, of the same length.
func Widen(dst []float64, src []float32) {
	n := whole(len(src))
	if n > 0 {
		widenAVX2(&dst[:n][0], &src[0], n)
	}
	widenGo(dst[n:], src[n:])
}

// Divide sets dst[x] to num[x] / den[x] in float32.
func Divide(dst []float32, num, den []float64) {
	n := whole(len(dst))
	if n > 0 {
		divideAVX2(&dst[0], &num[:n][0], &den[:n][0], n)
	}
	divideGo(dst[n:], num[n:], den[n:])
}
