package lpa

import (
	"math"
	"testing"

	"quell/denoise/filter/correlation"
)

// The variance of a weighted sum is sum_jk g_j g_k rho(j - k); a correlation that none can
// have leaves a sixteenth of the one in white noise; samples that are missing separate the
// others.
func TestSpread(t *testing.T) {
	g := []float64{1, 0.9, 0.7, 0, 0.5, 0.3, 0.2}
	for _, list := range [][]int{{0}, {60, 20, -10, -5}, {30, -20}, {-100, -100}} {
		c := correlation.New(list)
		p := Params{Rho: rhoOf(c)}
		if (p.along(0) == nil) != c.White() {
			t.Errorf("%v is white: %v", list, p.along(0) == nil)
		}
		for d, step := range []float64{1, math.Sqrt2, 1, math.Sqrt2} {
			var s spread
			for _, x := range g {
				s.add(x, p.along(d))
			}
			want, white := 0.0, 0.0
			for j, a := range g {
				for k, b := range g {
					want += a * b * c.Within(step*math.Abs(float64(j-k)))
				}
				white += a * a
			}
			if got, want := s.variance(), max(want, white/16); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v, direction %d: %g; want %g", list, d, got, want)
			}
		}
	}
	// Both sides of the bound.
	for rho, want := range map[float64]float64{-0.93: 1 + 1 - 2*0.93, -0.94: 2.0 / 16} {
		var s spread
		s.add(1, &[Lags]float64{rho})
		s.add(1, &[Lags]float64{rho})
		if got := s.variance(); math.Abs(got-want) > 1e-12 {
			t.Errorf("rho %g: %g; want %g", rho, got, want)
		}
	}
}
