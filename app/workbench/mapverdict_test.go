package workbench

import (
	"math"
	"testing"

	"quell/app/apptest"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/verdict"
)

// A slice under a map is judged by the facts of its preview.
func TestAPreviewUnderANoiseMapIsJudged(t *testing.T) {
	noisy, sigma := apptest.RampedDisc(t)
	q := PreviewRequest{Series: noisy, Recipe: apptest.MustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(3)), Maps: run.Maps{Noise: sigma, Estimated: true, Confidence: noise.High}, Index: 1}
	var err error
	if q.Facts, err = denoise.FactsFor(t.Context(), q.Maps.Input(noisy.Volume)); err != nil {
		t.Fatal(err)
	}
	if q.Facts.Foreground == nil {
		t.Error("the facts under a map do not say what the foreground is: it is found again for every slice")
	}
	m, err := MeasurePreview(t.Context(), filterSlice(t.Context(), cpu.New(), q), nil)
	if err != nil || m.Judgement != verdict.Fades || m.SigmaConfidence != noise.Fair || math.Abs(m.Sigma-10) > 1.5 || m.Slices != nil {
		t.Errorf("%s (%s), sigma %g, %v", m.Judgement, m.SigmaConfidence, m.Sigma, err)
	}
	if m.Change.Max < 200 {
		t.Errorf("MAX %g; want the range of the series", m.Change.Max)
	}
}
