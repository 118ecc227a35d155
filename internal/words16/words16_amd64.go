package words16

import (
	"math"

	"golang.org/x/sys/cpu"
)

// useVector selects the AVX2 loops.
var useVector = cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT

// The assembly forms, words16_amd64.s; n > 0 is a multiple of 8, of 16 in the
// last two.

// wholeAVX2 is for a slope of 1 and a whole intercept, which is in bias: as far as
// 2^24 the sum is exact in float32, as it is in float64.
//
//go:noescape
func wholeAVX2(dst *float32, raw *byte, n, left, right int, flip uint16, bias int32)

//go:noescape
func realAVX2(dst *float32, raw *byte, n, left, right int, flip uint16, bias int32, slope, inter float64)

//go:noescape
func encodeAVX2(raw *byte, values *float32, n int, slope, inter, lo, hi float64) (clipped int)

// extremesAVX2 returns the smallest and the largest of the words, shifted left and flipped.
//
//go:noescape
func extremesAVX2(raw *byte, n, left int, flip uint16) (least, most uint16)

//go:noescape
func outsideAVX2(dst *bool, raw *byte, n, left int, first, span uint16) (inside int)

// The slice expressions below are the bounds checks that assembly lacks. Each function
// returns how many words it did, from the first on.

func (l Layout) decodeVector(dst []float32, raw []byte, slope, intercept float64) (n int) {
	n = len(dst) &^ 7
	if !useVector || n == 0 {
		return 0
	}
	flip, bias := uint16(0), int32(0)
	if !l.Signed {
		flip, bias = 1<<15, 1<<(l.Stored-1)
	}
	left, right := 15-l.High, 16-l.Stored
	if slope == 1 && intercept == math.Trunc(intercept) && math.Abs(intercept) < 1<<23 {
		wholeAVX2(&dst[:n][0], &raw[:2*n][0], n, left, right, flip, bias+int32(intercept))
	} else {
		realAVX2(&dst[:n][0], &raw[:2*n][0], n, left, right, flip, bias, slope, intercept)
	}
	return n
}

func encodeVector(raw []byte, values []float32, slope, intercept float64, lo, hi int) (n, clipped int) {
	n = len(values) &^ 7
	if !useVector || n == 0 {
		return 0, 0
	}
	return n, encodeAVX2(&raw[:2*n][0], &values[:n][0], n, slope, intercept, float64(lo), float64(hi))
}

func extremesVector(raw []byte, left int, flip uint16) (n int, least, most uint16) {
	n = len(raw) / 2 &^ 15
	if !useVector || n == 0 {
		return 0, math.MaxUint16, 0
	}
	least, most = extremesAVX2(&raw[:2*n][0], n, left, flip)
	return n, least, most
}

func outsideVector(dst []bool, raw []byte, left int, first, span uint16) (n, inside int) {
	n = len(dst) &^ 15
	if !useVector || n == 0 {
		return 0, 0
	}
	return n, outsideAVX2(&dst[:n][0], &raw[:2*n][0], n, left, first, span)
}
