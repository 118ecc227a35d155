package bilateral_test

import (
	"math"
	"testing"

	"quell/denoise"
	_ "quell/denoise/filter"
	"quell/denoise/filter/bilateral"
	"quell/denoise/noise"
	"quell/volume"
)

// The automatic range in sigmas rises with the share of the noise in the range of the
// values, in slices more than in volumes, and counts the sigma that can be trusted.
func TestAutomaticRange(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1})
	for _, c := range []struct {
		dims        int
		sigma, want float64
		method      string
	}{
		{2, 1e-9, 2, ""}, {2, 10, 2.3, ""}, {2, 70, 4.1, ""}, {3, 1e-9, 2.05, ""}, {3, 10, 2.21, ""}, {3, 70, 3.17, ""},
		// Soft tissue.
		{2, 8, 1.2 * 2.24, "plane fits"}, {2, 16, (1.2 + 0.1*math.Ln2) * 2.48, "plane fits"}, {2, 0.01, 0.8 * 2.0003, "plane fits"}, {3, 10, 2.21, "plane fits"},
	} {
		r, err := denoise.NewRecipe("bilateral", c.dims)
		if err != nil {
			t.Fatal(err)
		}
		f := denoise.Facts{Lo: -200, Hi: 800, Noise: noise.Known(c.sigma)}
		f.Noise.Method = c.method
		if r, err = r.Resolve(g, f); err != nil {
			t.Fatal(err)
		}
		p, err := r.Bind(g)
		if err != nil {
			t.Fatal(err)
		}
		if x := p.Params.(bilateral.Params).SigmaRange / c.sigma; math.Abs(x-c.want) > 1e-6 {
			t.Errorf("%d-D, sigma %g: the range is %g sigma; want %g", c.dims, c.sigma, x, c.want)
		}
	}
}
