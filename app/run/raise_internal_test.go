package run

import (
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/verdict"
)

// While little is removed in noise that is known roughly, filters that take the noise as a number are given the best value and
// its doubles, up to the high end; a choice that is worse is not taken.
func TestMoreNoiseIsGivenWhileLittleIsRemoved(t *testing.T) {
	exactly := func(x float64) verdict.Share { return verdict.Share{Value: x, Low: x, High: x} }
	figures := func(removed, kept float64) verdict.Figures {
		return verdict.Of(exactly(removed), exactly(kept), exactly(1))
	}
	for _, c := range []struct {
		filter                 string  // odct takes sigma as a number, and bilateral does not
		low, best, high, first float64 // first is removed by the low end
		tried                  []float64
		want                   float64 // sigma
	}{
		{"odct", 1, 5, 20, 0.02, []float64{5, 10}, 10},
		{"bilateral", 1, 5, 20, 0.02, nil, 0},
		{"odct", 1, 5, 9.9, 0.02, []float64{5}, 5},
		{"odct", 1, 5, 20, 0.15, nil, 0},
		{"odct", 4, 5, 6, 0.02, nil, 0}, // not rough
		{"odct", 1, 5, 45, 0.12, []float64{5, 10}, 10},
		{"odct", 1, 9, 100, 0.14, []float64{9, 18}, 18},
		{"odct", 1, 60, 100, 0.14, []float64{60}, 0}, // objects fade
		{"odct", 0, 0, 100, 0.02, nil, 0},
	} {
		r, err := denoise.NewRecipe(c.filter, 2)
		if err != nil {
			t.Fatal(err)
		}
		var tried []float64
		got, err := climb(noise.Estimate{Figure: noise.Figure{Sigma: c.best, Low: c.low, High: c.high, Confidence: noise.Low}}, r, 0, func(r denoise.Recipe) (Choice, error) {
			if !r.Get(denoise.SigmaName).IsNumber() {
				return Choice{Filter: c.filter, Figures: figures(c.first, 1)}, nil
			}
			sigma := r.Get(denoise.SigmaName).Float()
			tried = append(tried, sigma)
			kept := 0.95
			if sigma > 50 {
				kept = 0.5
			}
			return Choice{Filter: r.Filter, Figures: figures(min(sigma/64, 1), kept)}, nil
		})
		if err != nil || !slices.Equal(tried, c.tried) || got.Sigma != c.want || got.Filter != c.filter {
			t.Errorf("%+v: tried %v, %v", c, tried, got)
		}
	}
}
