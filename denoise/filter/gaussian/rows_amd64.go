package gaussian

import "golang.org/x/sys/cpu"

// useVector selects the AVX2 row kernel; tests turn it off to compare.
var useVector = cpu.X86.HasAVX2

// convolveAVX2 is the assembly form of convolveGo, rows_amd64.s; n > 0 is a multiple
// of lanes and count > 0.
//
//go:noescape
func convolveAVX2(dst, src *float64, offsets *int, taps *float64, count, n int)

// convolve filters a row. The length of dst is a multiple of lanes.
func convolve(dst, src []float64, offsets []int, taps []float64) {
	if !useVector || len(dst) == 0 || len(taps) == 0 {
		convolveGo(dst, src, offsets, taps)
		return
	}
	offsets = offsets[:len(taps)]
	for _, o := range offsets { // the bounds checks that assembly lacks
		_ = src[o:][:len(dst)]
	}
	convolveAVX2(&dst[0], &src[0], &offsets[0], &taps[0], len(taps), len(dst))
}
