package executor_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/volume"
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
		if err != nil || !a.Why.Same(measured.Why) || a.Sigma != measured.Sigma || a.Verdict != tune.Over || a.Sigma == 0 {
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

// deviceEngine is the CPU's as a device: its runs are few and large, and fail with fails if
// that is set.
type deviceEngine struct {
	denoise.Engine
	runs  atomic.Int32
	fails error
}

func (e *deviceEngine) Info() denoise.Info {
	return denoise.Info{Name: "device", Cores: 2, Overhead: time.Millisecond}
}

func (e *deviceEngine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	if e.runs.Add(1); e.fails != nil {
		return nil, e.fails
	}
	return e.Engine.Run(ctx, r, in, region, progress)
}

// A run is judged on the engine that is given. After a failure of its device the CPU judges;
// every other error ends the work.
func TestJudgeRunOnADevice(t *testing.T) {
	eng, run := blurred(t)
	want, err := judgeRun(t.Context(), nil, run)
	if err != nil {
		t.Fatal(err)
	}
	other := errors.New("something else")
	for _, fails := range []error{nil, fmt.Errorf("the GPU worker died: %w", engines.ErrFailed), other} {
		device := &deviceEngine{Engine: eng, fails: fails}
		got, err := judgeRun(t.Context(), device, run)
		switch {
		case device.runs.Load() == 0:
			t.Errorf("fails with %v: the engine was not used", fails)
		case fails == other:
			if !errors.Is(err, other) {
				t.Errorf("error %v; want %v", err, other)
			}
		case err != nil || got.Verdict != want.Verdict || got.Sigma != want.Sigma:
			t.Errorf("fails with %v: %+v, %v; want %+v", fails, got.Judgement, err, want.Judgement)
		case fails != nil && !got.Why.Same(want.Why):
			t.Errorf("%q on the CPU after a failure; want %q", got.Why, want.Why)
		}
	}
}
