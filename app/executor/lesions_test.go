package executor_test

import (
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/series"
	"quell/volume"
)

// Of several slabs the one counts in which most fades, in any order; the verdict is joined with it.
func TestLesionsOfSlabs(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{128, 128, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 100
	}
	s, err := run.AddNoise(t.Context(), &series.Series{Volume: v}, job.AddedNoise{Model: noise.Gaussian, Sigma: 5, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	strong := apptest.MustRecipe("nlm", 2)
	weak := strong.With(denoise.MixStrength.Name, denoise.Number(5))
	slab := func(r denoise.Recipe, first bool) *executor.Slab {
		done, err := run.Denoise(t.Context(), engines.CPU(), run.Request{Series: s, Recipe: r}, nil)
		if err != nil {
			t.Fatal(err)
		}
		made := &executor.Made{Source: s, Region: done.Region, Result: done.Result, Run: done, Engine: engines.CPU()}
		return &executor.Slab{Whole: made, Part: made, First: first, Last: !first, Outcome: &executor.VolumeOutcome{}}
	}
	for what, order := range map[string][2]denoise.Recipe{"strong first": {strong, weak}, "weak first": {weak, strong}} {
		j := executor.Judge{Lesions: true}
		last := slab(order[1], false)
		for _, s := range []*executor.Slab{slab(order[0], true), last} {
			if err := j.Slab(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		m := last.Outcome.Measures
		if m.Visibility == nil || m.Visibility.Verdict != lesions.Over || m.Verdict != tune.Over || m.Visibility.Error == tune.Over {
			t.Errorf("%s: %s, visibility %+v", what, m.Verdict, m.Visibility)
		}
	}
	j, only := executor.Judge{Lesions: true}, slab(weak, true)
	only.Last = true
	if err := j.Slab(t.Context(), only); err != nil {
		t.Fatal(err)
	}
	if m := only.Outcome.Measures; m.Visibility.Verdict != lesions.Spared || m.Verdict != m.Visibility.Error {
		t.Errorf("weak alone: %s, visibility %+v", m.Verdict, m.Visibility)
	}
}
