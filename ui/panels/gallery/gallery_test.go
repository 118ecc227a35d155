package gallery

import (
	"slices"
	"testing"

	"quell/app/judge"
	"quell/measure"
	"quell/volume"

	_ "quell/internal/locale" // English
)

// Below a picture is what the filter reached, with units.
func TestWhatAnExhibitReached(t *testing.T) {
	mse, left := 0.49, 1.352
	part := &volume.Volume{Unit: "HU"}
	for _, c := range []struct {
		exhibit judge.Exhibit
		want    []string
	}{
		{judge.Exhibit{Verdict: "clean", Part: part, Seconds: 0.0031}, []string{"clean", "3.1 ms"}},
		{judge.Exhibit{Verdict: "matched", MSE: &mse, SigmaLeft: &left, Part: part, Seconds: 2}, []string{"estimated error 0.70 σ, noise left 1.35 HU", "2.0 s"}},
		{judge.Exhibit{Verdict: "matched", Part: part, Truth: &measure.Comparison{PSNR: 31.456}, Seconds: 2}, []string{"matched", "PSNR 31.46 dB, 2.0 s"}},
	} {
		if got := exhibitLines(c.exhibit, "HU"); !slices.Equal(got, c.want) {
			t.Errorf("%q; want %q", got, c.want)
		}
	}
}
