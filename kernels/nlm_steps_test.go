package kernels

import (
	"math"
	"testing"
)

// The factors of the two steps in which a warp sums along x give the five taps again. Taps that
// underflow stay finite.
func TestStepsGiveTheTaps(t *testing.T) {
	for _, sigma := range []float64{1e-3, 0.2, 0.5, 1, 1.7, 30, math.Inf(1)} {
		taps := make([]float64, 3) // from the middle one on
		for k := range taps {
			taps[k] = 0.3 * math.Exp(-0.5*float64(k*k)/(sigma*sigma))
		}
		s, scale := stepsOf(taps)
		got := map[int]float64{0: 1}
		add := func(x int, factor float32) { // of u(x)
			got[x] += float64(factor) * float64(s[0])
			got[x+1] += float64(factor)
		}
		add(0, s[1])
		add(1, s[2])
		add(-2, s[3])
		for x, tap := range got {
			want := taps[max(x, -x)] / taps[0]
			if tap *= float64(scale) * float64(scale); !(math.Abs(tap-want) < 1e-6) {
				t.Errorf("sigma %g: tap %d is %g, want %g", sigma, x, tap, want)
			}
		}
		if scale < 0.8 || scale > 1 {
			t.Errorf("sigma %g: the scale is %g", sigma, scale)
		}
	}
	if s, scale := stepsOf([]float64{1, 1}); s != [4]float32{} || scale != 1 {
		t.Errorf("radius 1: %v, %g", s, scale)
	}
}
