package pairwise

import (
	"math"
	"testing"
)

// TestRescaledSumsEndBeforeFloat64 pins the exponents at which rescaled sums are no longer
// used, since weights lose digits, and at which all weights are 0.
func TestRescaledSumsEndBeforeFloat64(t *testing.T) {
	for _, c := range []struct {
		exponent, peak float64 // of the largest weight; what Mean receives as the peak
		zero           bool
	}{
		{0, 1, false}, {-959, 1, false}, {-960, 1, false},
		{-961, 0, false}, {-1080, 0, false},
		{-1081, 0, true}, {-1e30, 0, true},
		{-math.MaxFloat32, 0, false}, // no neighbours
	} {
		s := Sums{Num: 3, Den: 2, Peak: c.exponent}
		if got, want := unscaled(s), (Sums{Num: 3, Den: 2, Peak: c.peak}); got != want {
			t.Errorf("2^%g: the sums become %+v, want %+v", c.exponent, got, want)
		}
		if allZero(s) != c.zero {
			t.Errorf("2^%g: all weights 0 is %v", c.exponent, !c.zero)
		}
	}
}
