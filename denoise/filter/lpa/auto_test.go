package lpa_test

import (
	"math"
	"testing"

	"quell/denoise"
	_ "quell/denoise/filter"
	"quell/denoise/filter/lpa"
	"quell/denoise/noise"
	"quell/volume"
)

// Gamma rises with the share of the noise in the range of the values, and in the soft tissue of
// a CT with how different neighbours and patches may be, unless the recipe gives the noise as a
// number.
func TestAutomaticGamma(t *testing.T) {
	tissue := func(sigma float64) noise.Estimate {
		e := noise.Known(sigma)
		e.Method = "surface fits"
		return e
	}
	g := volume.NewGeometry([3]int{9, 9, 1}, [3]float64{1, 1, 1})
	for _, c := range []struct {
		set  string
		e    noise.Estimate
		want float64
	}{
		{"", noise.Known(30), 0.99}, {"", noise.Known(150), 1.15}, {"", tissue(8), 1.6}, {"", tissue(30), 1.6},
		{"", tissue(0), 1.05}, {"", noise.Known(0), 1.05}, {"sigma=8", tissue(16), 1.05}, {"sigma=8", noise.Known(30), 1.05},
		{"sigma=1.2sigma", tissue(8), 1.6}, {"sigma=1.2sigma", noise.Known(30), 0.99}, {"gamma=2", tissue(8), 2},
	} {
		r, err := lpa.Filter.Recipe(denoise.Case{Dims: 2, Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.Resolve(g, denoise.Facts{Lo: -1000, Hi: 2000, Noise: c.e}); err != nil {
			t.Fatal(err)
		}
		p, err := r.Bind(g)
		if err != nil {
			t.Fatal(err)
		}
		if x := p.Params.(lpa.Params).Gamma; math.Abs(x-c.want) > 1e-9 {
			t.Errorf("%q, noise of %g (%s): gamma is %g; want %g", c.set, c.e.Sigma, c.e.Method, x, c.want)
		}
	}
	for _, c := range []struct{ alike, patches, want float64 }{
		{3, 2.5, 1.5}, {10, 2.5, 1.5}, {1.92, 2.5, 1.2}, {3, 1.6, 1.2}, {3, 3.6, 1.8}, {1, 1, 0.8}, {10, 10, 2.2}, {0, 2.5, 1.6}, {3, 0, 1.6},
	} {
		r, _ := lpa.Filter.Recipe(denoise.Case{Dims: 2})
		for e, want := range map[*noise.Estimate]float64{new(tissue(8)): c.want, new(noise.Known(30)): 0.99} {
			resolved, err := r.Resolve(g, denoise.Facts{Lo: -1000, Hi: 2000, Noise: *e, Alike: c.alike, AlikePatches: c.patches})
			if err != nil {
				t.Fatal(err)
			}
			if x := resolved.Get("gamma").Float(); math.Abs(x-want) > 1e-9 {
				t.Errorf("neighbours %g, patches %g (%s): gamma is %g; want %g", c.alike, c.patches, e.Method, x, want)
			}
		}
	}
	for set, want := range map[string]bool{
		"": true, "sigma=8": true, "sigma=8 correlation=0": false, "gamma=2 sigma=8 correlation=30,10": false, "gamma=2 correlation=0": true,
	} {
		r, err := lpa.Filter.Recipe(denoise.Case{Dims: 2, Set: set})
		if err != nil {
			t.Fatal(err)
		}
		if _, sigma := r.Needs(); sigma != want {
			t.Errorf("%q needs the noise: %v", set, sigma)
		}
	}
}
