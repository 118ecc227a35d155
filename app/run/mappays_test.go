package run_test

import (
	"testing"

	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/phantom"
	"quell/series"
)

// TestMapPays: a map pays under noise that rises from place to place and a strength that follows it; not under white
// noise, nor with a number.
func TestMapPays(t *testing.T) {
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{128, 150, 6}, Spacing: [3]float64{1.5, 1.5, 2}})
	if err != nil {
		t.Fatal(err)
	}
	clean, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	automatic, err := denoise.NewRecipe("bilateral", 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name   string
		rise   float64
		recipe denoise.Recipe
		want   bool
	}{
		{"rising", 14, automatic, true},
		{"white", 0, automatic, false},
		{"a multiple of sigma", 14, automatic.With("sigma-range", denoise.Sigmas(1.2)), true},
		{"a number", 14, automatic.With("sigma-range", denoise.Number(20)), false},
	} {
		v := clean.Clone()
		for i := range v.Data {
			v.Data[i] += float32((10 - x.rise/2 + x.rise*float64(i%128)/128) * noise.Normal(9, uint64(i), 0))
		}
		facts, err := denoise.FactsOf(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if got := run.MapPays(&series.Series{Volume: v}, x.recipe, facts); got != x.want {
			t.Errorf("%s: %t, the noise %s", x.name, got, facts.Noise.Why)
		}
	}
}
