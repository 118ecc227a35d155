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
