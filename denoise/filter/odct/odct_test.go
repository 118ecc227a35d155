package odct

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// Blocks have 4 or 8 voxels along an axis, or as many as there are, and a threshold in
// the unit of the volume.
func TestBind(t *testing.T) {
	for _, c := range []struct {
		dims   int
		volume [3]int
		size   [3]int
		reach  [3]int
	}{
		{3, [3]int{40, 30, 20}, [3]int{4, 4, 4}, [3]int{3, 3, 3}},
		{3, [3]int{40, 3, 2}, [3]int{4, 3, 2}, [3]int{3, 2, 1}},
		{2, [3]int{40, 30, 20}, [3]int{8, 8, 1}, [3]int{7, 7, 0}},
		{2, [3]int{5, 30, 20}, [3]int{5, 8, 1}, [3]int{4, 7, 0}},
	} {
		r := denoise.Recipe{Filter: Filter.Name, Dims: c.dims}.With("threshold", denoise.Number(3)).With("sigma", denoise.Number(7))
		p, err := bind(r, volume.NewGeometry(c.volume, [3]float64{1, 1, 1}))
		if err != nil {
			t.Fatal(err)
		}
		if want := (Params{Size: c.size, Threshold: 21}); p.Params != want || p.Reach() != c.reach {
			t.Errorf("%d-D of %v: %+v, reach %v; want %+v, %v", c.dims, c.volume, p.Params, p.Reach(), want, c.reach)
		}
	}
}

// The threshold is 2.7 sigma, and in the correlated noise of a CT follows sigma: between
// 2.7 and 4.5, in thick slices only in two dimensions.
func TestAutoThreshold(t *testing.T) {
	coloured := func(sigma float64, method string) denoise.Facts {
		f := denoise.Facts{Lo: -1000, Hi: 2000, Noise: noise.Known(sigma)}
		f.Noise.Method = method
		f.Noise.Correlation = &noise.Correlation{Across: [3]float64{1}}
		f.Noise.Correlation.InPlane[noise.MaxLag][noise.MaxLag+1] = 0.5
		return f
	}
	const tissue = "surface fits"
	inSigmas := coloured(1, tissue)
	inSigmas.Usual = 16
	for name, c := range map[string]struct {
		dims  int
		f     denoise.Facts
		thick float64
		set   denoise.Value
		want  float64
	}{
		"CT":                     {2, coloured(8, tissue), 1, denoise.Auto, 3.4},
		"CT, 3-D":                {3, coloured(8, tissue), 1, denoise.Auto, 3.5},
		"strong":                 {2, coloured(16, tissue), 5, denoise.Auto, 3.4 + 0.3*math.Ln2},
		"weakest":                {2, coloured(0.1, tissue), 1, denoise.Auto, 2.7},
		"strongest":              {2, coloured(900, tissue), 1, denoise.Auto, 4.5},
		"thick slices":           {3, coloured(8, tissue), 4.1, denoise.Auto, 2.5},
		"not thick":              {3, coloured(8, tissue), 4, denoise.Auto, 3.5},
		"under a noise map":      {2, inSigmas, 1, denoise.Auto, 3.4 + 0.3*math.Ln2},
		"said to be white":       {2, coloured(8, tissue), 1, denoise.List(0), 2.7},
		"said to be correlated":  {2, denoise.Facts{Hi: 9, Noise: coloured(8, tissue).Noise}, 1, denoise.List(30), 3.4},
		"not in tissue":          {2, coloured(8, "differences"), 1, denoise.Auto, 2.7},
		"white noise, no volume": {3, denoise.Facts{}, 1, denoise.Auto, 2.7},
	} {
		r := denoise.Recipe{Filter: Filter.Name, Dims: c.dims}.With("correlation", c.set)
		if got := autoThreshold(r, volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, c.thick}), c.f); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g; want %g", name, got, c.want)
		}
	}
}
