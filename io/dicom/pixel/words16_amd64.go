package pixel

import (
	"math"

	"golang.org/x/sys/cpu"
)

// useVector selects the AVX2 loops.
var useVector = cpu.X86.HasAVX2

// The assembly forms, words16_amd64.s; n > 0 is a multiple of 8, of 16 in the
// last.

// wholeAVX2 is for a slope of 1 and a whole intercept, which is in bias: as far as
// 2^24 the sum is exact in float32, as it is in float64.
//
//go:noescape
func wholeAVX2(dst *float32, raw *byte, n, left, right int, flip uint16, bias int32)

//go:noescape
func realAVX2(dst *float32, raw *byte, n, left, right int, flip uint16, bias int32, slope, inter float64)

//go:noescape
func outsideAVX2(dst *bool, raw *byte, n, left int, first, span uint16) (inside int)

// The slice expressions below are the bounds checks that assembly lacks.

func (f *Format) decode16(dst []float32, raw []byte) {
	n := len(dst) &^ 7
	if !useVector || n == 0 {
		f.decode16Go(dst, raw)
		return
	}
	flip, bias := uint16(0), int32(0)
	if !f.Signed {
		flip, bias = 1<<15, 1<<(f.Stored-1)
	}
	if f.Slope == 1 && f.Intercept == math.Trunc(f.Intercept) && math.Abs(f.Intercept) < 1<<23 {
		wholeAVX2(&dst[:n][0], &raw[:2*n][0], n, 15-f.High, 16-f.Stored, flip, bias+int32(f.Intercept))
	} else {
		realAVX2(&dst[:n][0], &raw[:2*n][0], n, 15-f.High, 16-f.Stored, flip, bias, f.Slope, f.Intercept)
	}
	f.decode16Go(dst[n:], raw[2*n:])
}

func outside16(dst []bool, raw []byte, left int, first, span uint16) (inside int) {
	n := len(dst) &^ 15
	if !useVector || n == 0 {
		return outside16Go(dst, raw, left, first, span)
	}
	inside = outsideAVX2(&dst[:n][0], &raw[:2*n][0], n, left, first, span)
	return inside + outside16Go(dst[n:], raw[2*n:], left, first, span)
}
