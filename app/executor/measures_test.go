package executor_test

import (
	"context"
	"errors"
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/verdict"
)

// blurred is a noisy disc that a Gaussian filter ran on, with the engine.
func blurred(t *testing.T) (denoise.Engine, *run.Run) {
	t.Helper()
	noisy, err := run.AddNoise(t.Context(), apptest.Disc(96, 6), job.AddedNoise{Model: noise.Gaussian, Sigma: 10, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	eng, err := engines.Pick("cpu")
	if err != nil {
		t.Fatal(err)
	}
	run, err := run.Denoise(t.Context(), eng, run.Request{Series: noisy, Recipe: apptest.MustRecipe("gaussian", 2)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return eng, run
}

// judgeRun returns the verdict of [Judge] on a run.
func judgeRun(ctx context.Context, eng denoise.Engine, run *run.Run) (judge.Assessment, error) {
	made := &executor.Made{Source: run.Source, Region: run.Region, Result: run.Result, Run: run, Engine: eng}
	report := executor.VolumeOutcome{Measures: &judge.Measures{}}
	err := new(executor.Judge).Slab(ctx, &executor.Slab{From: run.Region.Min[2], Whole: made, Part: made, First: true, Last: true, Outcome: &report})
	return report.Measures.Assessment, err
}

// TestJudgeRun: the verdict is of judge.Measure, and facts that a run did not need are found once.
func TestJudgeRun(t *testing.T) {
	_, run := blurred(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, known := range []bool{false, true} {
		if run.Facts != nil || (run.KnownFacts() != nil) != known {
			t.Fatalf("facts known: %v, later %v; want %v", run.Facts != nil, run.KnownFacts() != nil, known)
		}
		if _, err := judgeRun(cancelled, nil, run); !errors.Is(err, context.Canceled) {
			t.Errorf("facts known %v: %v after a cancel", known, err)
		}
		measured, err := judge.Measure(t.Context(), nil, run, nil)
		if err != nil {
			t.Fatal(err)
		}
		first := run.KnownFacts()
		a, err := judgeRun(t.Context(), nil, run)
		if err != nil || !a.Why.Same(measured.Why) || a.Sigma != measured.Sigma || a.Judgement != verdict.Texture || a.Sigma == 0 {
			t.Errorf("%+v, %v; measured %+v", a.Judgement, err, measured.Judgement)
		}
		if measured.Map == nil || a.Map != nil || a.Place == nil || *a.Place != *measured.Place || a.Structure != measured.Structure {
			t.Errorf("map %v, most structure %v; measured map %v, %v; want the same without a map", a.Map != nil, a.Place, measured.Map != nil, measured.Place)
		}
		if run.KnownFacts() != first {
			t.Error("the facts were found again")
		}
	}
}
