package session_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"quell/app/engines"
	"quell/app/job"
	"quell/denoise/noise"
	"quell/internal/parallel"
	"quell/series"
	"quell/ui/session/desk"
)

var errWorker = fmt.Errorf("the GPU worker ended: %w", engines.ErrFailed)

// A cancelled run that also failed on the engine is over: it does not start again
// with another engine, and the next failure is reported.
func TestACancelledRunDoesNotReturnWithAnotherEngine(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.engine.failWith(errWorker)
	b.Results.Apply()
	b.Wait() // the failure is queued
	b.Tasks.Cancel()
	b.settle()
	if len(b.errors) != 0 {
		t.Fatalf("errors %v; want none for a cancelled run", b.errors)
	}
	b.Tuning.Set(b.tuned(7), true)
	b.settle()
	if len(b.errors) != 1 {
		t.Errorf("%d errors after the preview failed on the engine; want 1", len(b.errors))
	}
	b.engine.failWith(nil)
	b.ContinueWith(b.engine)
	b.settle()
	if b.Document().Run() != nil || b.engine.runs != 1 {
		t.Errorf("the cancelled run was started again: %d runs", b.engine.runs)
	}
	if !b.showsShift(7)() {
		t.Errorf("shift %g; want the preview that failed repeated", b.shift())
	}
}

func TestAFailureAfterASuccessIsReportedAgain(t *testing.T) {
	b := newBench(t)
	b.settle()
	for want := 1; want <= 2; want++ {
		b.engine.failWith(errWorker)
		b.Tuning.Set(b.tuned(float64(10*want)), true)
		b.Tuning.Set(b.tuned(float64(10*want+1)), true)
		b.settle()
		if len(b.errors) != want {
			t.Fatalf("%d errors; want %d: one for each time the engine stopped working", len(b.errors), want)
		}
		b.engine.failWith(nil)
		b.Tuning.Set(b.tuned(float64(10*want+2)), true)
		b.settle()
	}
}

// The retry of a run belongs to its series.
func TestAFailedRunIsNotRepeatedOnAnotherSeries(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.engine.failWith(errWorker)
	b.Results.Apply()
	b.settle()
	b.engine.failWith(nil)
	b.Preview.SetAuto(false) // a preview would end the failure by its success
	next := rampSeries(t)
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return next, nil })
	b.settle()
	b.ContinueWith(b.engine)
	b.settle()
	if b.Series() != next || b.Document().Run() != nil {
		t.Error("the run that failed on the previous series was started on this one")
	}
}

func TestASecondApplyDoesNotRestartTheRun(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.engine.holdRuns()
	b.Results.Apply()
	b.loop.until("there is progress", func() bool { return b.Tasks.Progress().Fraction > 0 })
	b.Results.Apply()
	b.Tuning.Set(b.tuned(30), true)
	b.Results.Apply() // not with another recipe either
	if b.Tasks.Progress().Fraction != 0.25 || kindOf(b.Documents.Loss()) != desk.LosesRun {
		t.Errorf("progress %+v, loss %v; want the first run to go on", b.Tasks.Progress(), kindOf(b.Documents.Loss()))
	}
	b.engine.open()
	b.settle()
	if b.engine.runs != 1 || b.Document().Run() == nil {
		t.Errorf("%d runs; want one", b.engine.runs)
	}
}

// While a task is in progress, nothing that would cancel it starts.
func TestTasksDoNotReplaceEachOther(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.Results.Apply()
	b.settle()
	clean := b.Series()
	b.gate = make(chan struct{})
	gate := b.gate
	exported := 0
	b.Exports.Write(filepath.Join(t.TempDir(), "out.nii.gz"), job.Options{}, func(job.Written) { exported++ })
	b.gate = nil
	if kindOf(b.Documents.Loss()) != desk.LosesExport {
		t.Errorf("loss %v; want the export", kindOf(b.Documents.Loss()))
	}
	b.Tuning.Set(b.tuned(3), true)
	b.Results.Apply()
	b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 12, Seed: 3})
	b.Reader.SetReference("nowhere")
	b.Reader.ClearReference()
	b.Exports.Write("nowhere", job.Options{}, func(job.Written) { t.Error("a second export ended") })
	if b.Tasks.Progress().Kind != desk.Exporting {
		t.Errorf("progress %+v; want the export", b.Tasks.Progress())
	}
	close(gate)
	b.settle()
	if exported != 1 || len(b.errors) > 0 || b.Series() != clean {
		t.Errorf("%d exports, errors %v; want the export done and nothing else", exported, b.errors)
	}
}

func TestLossFollowsTheResult(t *testing.T) {
	b := newBench(t)
	b.settle()
	if kindOf(b.Documents.Loss()) != desk.NoLoss {
		t.Errorf("loss %v before anything was done", kindOf(b.Documents.Loss()))
	}
	b.Results.Apply()
	b.settle()
	if kindOf(b.Documents.Loss()) != desk.LosesResult {
		t.Errorf("loss %v with a result; want it", kindOf(b.Documents.Loss()))
	}
	b.Exports.Write(filepath.Join(t.TempDir(), "out.nii.gz"), job.Options{}, func(job.Written) {})
	b.settle()
	if kindOf(b.Documents.Loss()) != desk.NoLoss {
		t.Errorf("loss %v after the export", kindOf(b.Documents.Loss()))
	}
	b.Tuning.Set(b.tuned(9), true)
	b.settle()
	if kindOf(b.Documents.Loss()) != desk.NoLoss {
		t.Errorf("loss %v after a preview, which Apply makes again", kindOf(b.Documents.Loss()))
	}
	b.Results.Apply()
	b.settle()
	if kindOf(b.Documents.Loss()) != desk.LosesResult {
		t.Errorf("loss %v with another result; want it", kindOf(b.Documents.Loss()))
	}
}

func TestAPanickingRunIsAnError(t *testing.T) {
	b := newBench(t)
	b.mayPanic = true
	b.settle()
	b.engine.panics = "index out of range"
	b.Results.Apply()
	b.settle()
	var p *parallel.Panic
	if len(b.errors) != 1 || !errors.As(b.errors[0], &p) || b.Tasks.Busy() {
		t.Fatalf("errors %v, busy %v; want the panic reported and the task ended", b.errors, b.Tasks.Busy())
	}
	if len(b.panics) != 1 || b.panics[0] != p {
		t.Errorf("%d panics passed to the crash log; want the one", len(b.panics))
	}
	b.engine.panics = nil
	b.Results.Apply()
	b.settle()
	if !b.Results.Applied() {
		t.Error("after the panic the volume cannot be filtered")
	}
}

func TestCloseEndsAllWork(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.engine.holdRuns()
	b.engine.holdPreviews()
	b.Tuning.Set(b.tuned(4), true)
	b.Results.Apply()
	b.Close() // returns although a run and a preview are held: they are cancelled
	b.Wait()
	b.loop.drain()
	if b.Tasks.Busy() || b.Document().Run() != nil || len(b.errors) > 0 {
		t.Errorf("busy %v, errors %v after Close", b.Tasks.Busy(), b.errors)
	}
}

// At the end of the event loop Fyne calls functions for the UI goroutine at
// once, on the goroutine that reports.
func TestProgressMayBeTakenAtOnce(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.loop.direct = true
	report := b.Tasks.Reporter(b.Tasks.Start(desk.Preparing, "Preparing", "files"))
	report(1, 4)
	if f := b.Tasks.Progress().Fraction; f != 0.25 {
		t.Errorf("fraction %g; want a quarter", f)
	}
	b.Tasks.Cancel()
	report(4, 4) // of a task that is gone
}

func TestAnAppliedRecipeIsNotAppliedAgain(t *testing.T) {
	b := newBench(t)
	b.settle()
	for range 2 {
		b.Results.Apply()
		b.settle()
	}
	if b.engine.runs != 1 {
		t.Errorf("%d runs of one recipe; want one", b.engine.runs)
	}
}
