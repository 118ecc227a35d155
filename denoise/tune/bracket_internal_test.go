package tune

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	_ "quell/denoise/filter"
)

// A search begins with the neighbours of a strength in the grid, but for one that is almost it, and with
// the three in the middle without one.
func TestOpening(t *testing.T) {
	grid := []float64{1, 2, 4, 8, 16, 32, 64}
	near, far := 8*math.Pow(2, nearby-0.01), 8*math.Pow(2, nearby+0.01)
	for also, want := range map[float64][]float64{
		0: {4, 8, 16}, 8: {4, 16}, near: {4, 16}, far: {8, 16}, 0.3: {1}, 500: {64},
	} {
		if got := opening(grid, also); !slices.Equal(got, want) {
			t.Errorf("around %g: %v; want %v", also, got, want)
		}
	}
}

// A bracket ends at strengths that are clearly worse than the best, or at the ends of the grid.
func TestOutwards(t *testing.T) {
	grid := []float64{1, 2, 4, 8, 16, 32, 64}
	with := func(mse ...float64) *search {
		s := steps(t, "gaussian")
		for k, m := range mse {
			// risk returns m = residual - 1 + 2 kept.
			s.points = append(s.points, tried{strength: 4 * math.Pow(2, float64(k)), recipe: s.recipe, halves: [2]tally{{Stein: denoise.Stein{Residual: (1 + m) * 25}, voxels: 1, noise: 1}}})
		}
		return s
	}
	for name, c := range map[string]struct {
		mse  []float64
		want []float64
	}{
		"both clearly worse":      {[]float64{1.21, 1, 1.21}, nil},
		"both hardly worse":       {[]float64{1.19, 1, 1.19}, []float64{2, 32}},
		"falling":                 {[]float64{3, 2, 1}, []float64{32}},
		"a plateau":               {[]float64{1, 1, 1}, []float64{2, 32}},
		"the end of the grid":     {[]float64{5, 4, 3, 2, 1}, nil},
		"next to nothing at best": {[]float64{leastMSE * 0.19, 0, leastMSE * 0.21}, []float64{2}},
	} {
		if got := with(c.mse...).outwards(grid); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v; want %v", name, got, c.want)
		}
	}
}
