package judge_test

import (
	"errors"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/volume"
)

// Facts that are known are not found again: a run, a verdict and tuning use those they
// are given, and a run keeps the facts that it had to find.
func TestFactsAreFoundOnce(t *testing.T) {
	s := apptest.Wavy(32, 30, 14)
	same := apptest.EngineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
		return v.Crop(r), nil
	})
	given := denoise.Facts{Lo: 0, Hi: 1000, Noise: noise.Known(40)}
	auto := apptest.MustRecipe("lpa", 2)
	done, err := run.Denoise(t.Context(), same, run.Request{Series: s, Recipe: auto, Facts: &given}, nil)
	if err != nil || done.Resolved.Get("sigma").Float() != 40 || done.Facts != &given {
		t.Errorf("with facts: %v, %v", done, err)
	}
	done, err = run.Denoise(t.Context(), same, run.Request{Series: s, Recipe: auto}, nil)
	if err != nil || done.Facts == nil || done.Facts.Noise.Sigma != apptest.FoundFacts(t, s.Volume).Noise.Sigma || done.Resolved.Get("sigma").Float() != done.Facts.Noise.Sigma {
		t.Errorf("without facts: %v, %v", done, err)
	}
	done, err = run.Denoise(t.Context(), same, run.Request{Series: s, Recipe: apptest.MustRecipe("median", 2)}, nil)
	if err != nil || done.Facts != nil {
		t.Errorf("a recipe of numbers found facts: %v, %v", done, err)
	}

	none := denoise.Facts{Noise: noise.Estimate{Figure: noise.Figure{Confidence: noise.None, Why: message.Verbatim("too small")}, PerSlice: make([]noise.Figure, 14)}}
	a, err := judge.Assess(t.Context(), judge.Input{Before: s, After: s.Volume, Facts: &none})
	if err != nil || a.SigmaConfidence != noise.None || a.Judgement != verdict.Nothing {
		t.Errorf("a verdict with facts: %+v, %v", a, err)
	}
	// A result that differs by less than a millionth of the range counts as the series.
	part := volume.Region{Min: [3]int{3, 2, 5}, Max: [3]int{20, 30, 9}}
	moved := func(by float32) *volume.Volume {
		v := s.Volume.Crop(part)
		v.Data[len(v.Data)-1] += by
		return v
	}
	for text, r := range map[string]*run.Run{
		"Noise unknown: too small. What helps": {Recipe: auto, Facts: &none},
		"The noise is too weak":                {Recipe: auto, Facts: &given, Source: s, Region: part, Result: moved(0.8e-3)},
		"":                                     {Recipe: auto, Facts: &given, Source: s, Region: part, Result: moved(1.2e-3)},
	} {
		if got := r.AutoWarning(); !strings.HasPrefix(got.String(), text) || (got.String() == "") != (text == "") {
			t.Errorf("the warning is %q; want %q", got, text)
		}
	}
	if got := (&run.Run{Recipe: apptest.MustRecipe("median", 2), Facts: &none}).AutoWarning(); got.String() != "" {
		t.Errorf("a recipe of numbers warns %q", got)
	}
	var input *job.InputError
	if _, err := run.Tune(t.Context(), same, run.TuneRequest{Series: s, Recipe: apptest.MustRecipe("nlm", 2), Facts: &none}); !errors.As(err, &input) {
		t.Errorf("tuning with facts: %v", err)
	}
}
