package gallery

import (
	"slices"
	"testing"

	"quell/app/judge"
	"quell/denoise/verdict"
	"quell/measure"

	_ "quell/internal/locale" // English
)

// Below a picture is what the filter does at its strength.
func TestWhatAnExhibitReached(t *testing.T) {
	share := verdict.Share{Value: 0.9, Low: 0.88, High: 0.92}
	known := judge.Verdict{Judgement: verdict.Good, Figures: verdict.Of(share, share, share)}
	unknown := judge.Verdict{Judgement: verdict.Unknown, Figures: verdict.None()}
	for _, c := range []struct {
		exhibit judge.Exhibit
		want    []string
	}{
		{judge.Exhibit{Strength: 100, Verdict: unknown, Seconds: 0.0031}, []string{"strength 100: cannot be judged", "3.1 ms"}},
		{judge.Exhibit{Strength: 42, Verdict: known, Truth: &measure.Comparison{PSNR: 31.456}, Seconds: 2}, []string{
			"strength 42: good", "Noise removed 90 % (88 to 92)", "Contrast kept 90 % (88 to 92)", "Texture kept 90 % (88 to 92)", "PSNR 31.46 dB, 2.0 s",
		}},
	} {
		if got := exhibitLines(c.exhibit); !slices.Equal(got, c.want) {
			t.Errorf("%q; want %q", got, c.want)
		}
	}
}
