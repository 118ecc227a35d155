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

// others is the weight of the neighbours of a spatial Gaussian of 1 mm, for voxels of that
// spacing.
func others(dims int, spacing float64) float64 {
	axis := 1.0
	for d := 1.0; d <= math.Ceil(2/spacing); d++ {
		axis += 2 * math.Exp(-0.5*d*d*spacing*spacing)
	}
	return math.Pow(axis, float64(dims)) - 1
}

// The automatic range in sigmas rises with the share of the noise in the range of the
// values and with the size of the voxels, and is 1.8 times that in the soft tissue of a CT.
func TestAutomaticRange(t *testing.T) {
	for _, c := range []struct {
		dims           int
		set            string
		sigma, spacing float64
		method         string
		want           float64
	}{
		{2, "", 1e-9, 1, "", 1.3 * (1 + 1.6/others(2, 1))}, {2, "", 10, 1, "", 1.52 * (1 + 1.6/others(2, 1))}, {2, "", 70, 1, "", 2.84 * (1 + 1.6/others(2, 1))},
		{3, "", 10, 1, "", 1.52 * (1 + 1.6/others(3, 1))}, {2, "", 10, 2, "", 1.52 * (1 + 1.6/others(2, 2))}, {3, "", 10, 0.4, "", 1.52 * (1 + 1.6/others(3, 0.4))},
		{3, "", 10, 2, "", 1.52 * (1 + 1.6/others(3, 2))}, {3, "", 10, 3, "", 1.52 * (1 + 1.6/0.5)}, {2, "radius=0", 10, 1, "", 1.52 * (1 + 1.6/0.5)},
		{2, "radius=1", 10, 1, "", 1.52 * (1 + 1.6/(math.Pow(1+2*math.Exp(-0.5), 2)-1))}, {2, "sigma-spatial=2", 10, 2, "", 1.52 * (1 + 1.6/others(2, 1))},
		{2, "voxel-units=true", 10, 2, "", 1.52 * (1 + 1.6/others(2, 1))},
		{2, "", 8, 1, "surface fits", 1.8 * 1.476 * (1 + 1.6/others(2, 1))}, {3, "", 10, 1, "surface fits", 1.8 * 1.52 * (1 + 1.6/others(3, 1))},
	} {
		g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{c.spacing, c.spacing, c.spacing})
		r, err := bilateral.Filter.Recipe(denoise.Case{Dims: c.dims, Set: c.set})
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
			t.Errorf("%d-D %q, sigma %g, voxels of %g mm: the range is %g sigma; want %g", c.dims, c.set, c.sigma, c.spacing, x, c.want)
		}
	}
}

// The anatomy raises or lowers the range by the root of what was measured relative to the
// rule for the neighbourhood that it was measured in, by a third and a quarter at most.
func TestAutomaticRangeFollowsTheAnatomy(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1})
	rule := 1.52 * (1 + 1.6/others(2, 1))
	for _, c := range []struct{ measured, want float64 }{
		{0, 1}, {rule, 1}, {1.5 * rule, math.Sqrt(1.5)}, {0.7 * rule, math.Sqrt(0.7)}, {1.76 * rule, math.Sqrt(1.76)}, {1.8 * rule, 1.33}, {0.57 * rule, math.Sqrt(0.57)}, {0.55 * rule, 0.75},
	} {
		for dims, set := range map[int]string{2: "sigma-spatial=2", 3: ""} {
			r, err := bilateral.Filter.Recipe(denoise.Case{Dims: dims, Set: set})
			if err != nil {
				t.Fatal(err)
			}
			f := denoise.Facts{Lo: -200, Hi: 800, Noise: noise.Known(10), Alike: c.measured}
			with, err := r.Resolve(g, f)
			if err != nil {
				t.Fatal(err)
			}
			f.Alike = 0
			without, err := r.Resolve(g, f)
			if err != nil {
				t.Fatal(err)
			}
			if x := with.Get("sigma-range").Float() / without.Get("sigma-range").Float(); math.Abs(x-c.want) > 1e-9 {
				t.Errorf("%d-D, measured %.3f: %.4f times the range; want %.4f", dims, c.measured, x, c.want)
			}
		}
	}
}
