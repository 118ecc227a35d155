package run_test

import (
	"slices"
	"testing"

	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/series"
	"quell/volume"
)

// Without noise the result of automatic strengths is the series bit for bit, and is called unchanged; with noise it is not.
func TestTheOutcomeOfARun(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{24, 24, 12}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(1e-30 * float64(i%7)) // which any filter takes as equal
		if i%24 > 11 {
			v.Data[i] = 100
		}
	}
	recipe, err := denoise.NewRecipe("nlm", 3)
	if err != nil {
		t.Fatal(err)
	}
	for sigma, want := range map[float64]string{0: run.AsItIs, 5: run.Denoised} {
		w, err := noise.AddNoise(t.Context(), v, noise.Gaussian, max(sigma, 1e-38), 1)
		if err != nil {
			t.Fatal(err)
		}
		if sigma == 0 {
			w = v
		}
		facts := denoise.Facts{Lo: 0, Hi: 100, Noise: noise.Known(sigma)}
		got, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: &series.Series{Volume: w}, Recipe: recipe, Facts: &facts}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Outcome() != want || slices.Equal(got.Result.Data, w.Data) != (want == run.AsItIs) || got.Unfiltered() != (want == run.AsItIs) {
			t.Errorf("noise of %g: %s", sigma, got.Outcome())
		}
	}
}
