package app

import (
	"errors"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/volume"
)

// Facts that are known are not found again: a run, a verdict and tuning use those they
// are given, and a run keeps those that it had to find.
func TestFactsAreFoundOnce(t *testing.T) {
	s := wavy(32, 30, 14)
	same := engineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
		return v.Crop(r), nil
	})
	given := denoise.Facts{Lo: 0, Hi: 1000, Noise: noise.Known(40)}
	auto := mustRecipe("lpa", 2)
	run, err := Denoise(t.Context(), same, RunRequest{Series: s, Recipe: auto, Facts: &given}, nil)
	if err != nil || run.Resolved.Get("sigma").Float() != 40 || run.Facts != &given {
		t.Errorf("with facts: %v, %v", run, err)
	}
	run, err = Denoise(t.Context(), same, RunRequest{Series: s, Recipe: auto}, nil)
	if err != nil || run.Facts == nil || run.Facts.Noise.Sigma != foundFacts(t, s.Volume).Noise.Sigma || run.Resolved.Get("sigma").Float() != run.Facts.Noise.Sigma {
		t.Errorf("without facts: %v, %v", run, err)
	}
	run, err = Denoise(t.Context(), same, RunRequest{Series: s, Recipe: mustRecipe("median", 2)}, nil)
	if err != nil || run.Facts != nil {
		t.Errorf("a recipe of numbers found facts: %v, %v", run, err)
	}

	none := denoise.Facts{Noise: noise.Estimate{Figure: noise.Figure{Confidence: noise.None, Why: message.Verbatim("too small")}, PerSlice: make([]noise.Figure, 14)}}
	a, err := Assess(t.Context(), AssessInput{Before: s, After: s.Volume, Facts: &none})
	if err != nil || a.Confidence != noise.None || a.Verdict != tune.Unknown {
		t.Errorf("a verdict with facts: %+v, %v", a, err)
	}
	// A result that differs by less than a millionth of the range counts as the series.
	part := volume.Region{Min: [3]int{3, 2, 5}, Max: [3]int{20, 30, 9}}
	moved := func(by float32) *volume.Volume {
		v := s.Volume.Crop(part)
		v.Data[len(v.Data)-1] += by
		return v
	}
	for text, r := range map[string]*Run{
		"The noise cannot be estimated (too small)": {Recipe: auto, Facts: &none},
		"The noise is too weak":                     {Recipe: auto, Facts: &given, Source: s, Region: part, Result: moved(0.8e-3)},
		"":                                          {Recipe: auto, Facts: &given, Source: s, Region: part, Result: moved(1.2e-3)},
	} {
		if got := r.autoWarning(); !strings.HasPrefix(got.String(), text) || (got.String() == "") != (text == "") {
			t.Errorf("the warning is %q; want %q", got, text)
		}
	}
	if got := (&Run{Recipe: mustRecipe("median", 2), Facts: &none}).autoWarning(); got.String() != "" {
		t.Errorf("a recipe of numbers warns %q", got)
	}
	var input *InputError
	if _, err := Tune(t.Context(), same, TuneRequest{Series: s, Recipe: mustRecipe("nlm", 2), Facts: &none}); !errors.As(err, &input) {
		t.Errorf("tuning with facts: %v", err)
	}
}
