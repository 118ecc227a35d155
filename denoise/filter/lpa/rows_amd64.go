package lpa

import "golang.org/x/sys/cpu"

// useVector selects the AVX2 code; tests turn it off to compare.
var useVector = cpu.X86.HasAVX2

// vector reports whether pixels are computed side by side.
func vector() bool { return useVector }

// estimateAVX2 computes n pixels, a positive multiple of lanes, with their values at
// v, see rows_amd64.s.
//
//go:noescape
func estimateAVX2(dst, v *float32, rays *ray, scales *scale, count int, taps, diffs *float64, n int)

// estimate sets dst, of at least lanes pixels, to the LPA-ICI estimates of the pixels
// from position from of the input on: the bits of fast.pixel.
func (r *row) estimate(dst, in []float32, from int) {
	for _, a := range r.rays { // the bounds checks that assembly lacks
		_ = in[from+(a.samples-1)*a.step:][:len(dst)]
	}
	run := func(at, n int) {
		estimateAVX2(&dst[at:][:n][0], &in[from+at], &r.rays[0], &r.scales[0], r.count, &r.taps[0], &r.diffs[0], n)
	}
	whole := len(dst) &^ (lanes - 1)
	run(0, whole)
	if whole < len(dst) {
		run(len(dst)-lanes, lanes) // some of them once more
	}
}
