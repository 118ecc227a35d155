package nlm

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/filter/correlation"
	"quell/denoise/noise"
	"quell/volume"
)

func TestCut(t *testing.T) {
	p := Params{Sigma: 3}
	if got := p.Cut([3]int{1, 0, 0}); got != 18 {
		t.Errorf("%g is subtracted of white noise; want 2 sigma^2", got)
	}
	p.correlation = correlation.New([]int{50, 0, 0, -100})
	for d, want := range map[[3]int]float64{{1, 0, 0}: 9, {0, 2, 0}: 18, {0, 4, 0}: 36, {7, 7, 7}: 18} {
		if got := p.Cut(d); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g is subtracted at %v; want %g", got, d, want)
		}
	}
}

// The list is refused if nothing is subtracted, and if it has no meaning.
func TestCorrelationIsChecked(t *testing.T) {
	r, err := denoise.NewRecipe("nlm", 2)
	if err != nil {
		t.Fatal(err)
	}
	r = r.With("h", denoise.Number(9))
	sigma := r.With("sigma", denoise.Number(5))
	given := denoise.List(60, 20)
	for name, c := range map[string]struct {
		r  denoise.Recipe
		ok bool
	}{
		"with a sigma":      {sigma.With("correlation", given), true},
		"automatic sigma":   {r.With("sigma", denoise.Auto).With("correlation", given), true},
		"in sigmas":         {r.With("sigma", denoise.Sigmas(1)).With("correlation", given), true},
		"without a sigma":   {r.With("sigma", denoise.Number(0)).With("correlation", given), false},
		"lk":                {sigma.With("rician", denoise.Bool(true)).With("weighting", denoise.Word("lk")).With("correlation", given), false},
		"ten values":        {sigma.With("correlation", denoise.List(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)), true},
		"eleven values":     {sigma.With("correlation", denoise.List(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)), false},
		"more than certain": {sigma.With("correlation", denoise.List(101)), false},
		"ends of the range": {sigma.With("correlation", denoise.List(100, -100)), true},
	} {
		if err := c.r.Validate(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A sigma that is found to be 0 leaves the list without effect.
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1})
	resolved, err := r.With("sigma", denoise.Auto).With("correlation", given).Resolve(g, denoise.Facts{Hi: 1, Noise: noise.Known(0)})
	if err != nil || !resolved.Get("correlation").Equal(denoise.List(0)) {
		t.Errorf("%s, %v; want white noise", resolved, err)
	}
	if _, err := resolved.Bind(g); err != nil {
		t.Error(err)
	}
	if pass, ok := stein([]denoise.Recipe{sigma.With("correlation", given)}); ok || pass.Start != nil {
		t.Error("correlated noise has a closed form of Stein's risk")
	}
}
