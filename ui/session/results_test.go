package session_test

import (
	"path/filepath"
	"testing"

	"quell/app"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise/noise"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
	"quell/ui/session/results"
)

// applied runs the filter with strength h over the volume.
func (b *bench) applied(h float64) *run.Run {
	b.Tuning.Set(b.tuned(h), true)
	b.settle()
	b.Results.Apply()
	b.settle()
	return b.Results.Exportable()
}

// Finished runs stay: their recipe shows them again, with their measures, and none
// is computed twice.
func TestFinishedRunsAreKept(t *testing.T) {
	b := newBench(t)
	first := b.applied(3)
	second := b.applied(5)
	if b.engine.runs != 2 || first == second || !b.showsShift(5)() {
		t.Fatalf("%d runs, a shift of %g", b.engine.runs, b.shift())
	}
	b.History.Undo()
	b.settle()
	if b.Results.Exportable() != first || !b.Results.Applied() || b.status() != preview.Whole || !b.showsShift(3)() || !b.Measures.Volume().Current {
		t.Errorf("a shift of %g, status %v; want the first run again", b.shift(), b.status())
	}
	b.Results.Apply()
	b.settle()
	if b.engine.runs != 2 {
		t.Error("a recipe was run twice")
	}
	b.Results.Show(1)
	b.settle()
	if b.Results.Exportable() != second || !b.showsShift(5)() || !b.Measures.Volume().Current {
		t.Error("the second result is not shown")
	}
	if got := b.Results.List(); len(got) != 2 || got[0].Run != first || got[0].Shown || !got[1].Shown || got[0].Exported || got[1].Exported {
		t.Errorf("results %+v", got)
	}
	b.Results.Show(-1)
	b.Results.Show(2) // there is none
	if b.Results.Exportable() != second {
		t.Error("a result that does not exist was shown")
	}
	// With a recipe that made none of them, the last one shown can be exported.
	b.Tuning.Set(b.tuned(9), true)
	b.settle()
	if b.Results.Exportable() != second || b.Results.Applied() || b.Results.List()[1].Shown {
		t.Error("another recipe took the result away")
	}
}

// The measures of every kept run follow the reference.
func TestAReferenceMeasuresKeptRunsAgain(t *testing.T) {
	b := newBench(t)
	b.applied(3)
	b.applied(5)
	path := filepath.Join(t.TempDir(), "truth.nii.gz")
	if _, err := app.DoOn(t.Context(), app.On{Series: rampSeries(t)}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	b.Reader.SetReference(path)
	b.settle()
	for i := range b.Results.List() {
		b.Results.Show(i)
		b.settle()
		if m := b.Measures.Volume(); !m.Known || m.Truth == nil {
			t.Errorf("result %d is not measured against the reference: %+v", i, m.Measures)
		}
	}
}

// What would be lost is every result that was not exported, shown or not.
func TestEveryResultIsExportedOrLost(t *testing.T) {
	b := newBench(t)
	b.applied(3)
	b.applied(5)
	out := func(name string) string { return filepath.Join(t.TempDir(), name) }
	b.Exports.Write(out("a.nii.gz"), job.Options{}, func(job.Written) {})
	b.settle()
	if kindOf(b.Documents.Loss()) != desk.LosesResult || !b.Results.List()[1].Exported || b.Results.List()[0].Exported {
		t.Errorf("loss %v, results %+v", kindOf(b.Documents.Loss()), b.Results.List())
	}
	b.Results.Show(0)
	b.Exports.Write(out("b.nii.gz"), job.Options{}, func(job.Written) {})
	b.settle()
	if kindOf(b.Documents.Loss()) != desk.NoLoss {
		t.Errorf("loss %v", kindOf(b.Documents.Loss()))
	}
	b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 2})
	b.settle()
	if len(b.Results.List()) != 0 {
		t.Error("results of other voxels are kept")
	}
}

// The limit drops the oldest exported result, or else the oldest; the session says
// before whether that loses one.
func TestResultsAreLimited(t *testing.T) {
	b := newBench(t)
	for h := range results.MaxResults {
		if b.Results.ApplyLoses() {
			t.Fatalf("run %d loses a result", h)
		}
		b.applied(float64(h + 2))
	}
	if b.Results.ApplyLoses() {
		t.Error("a recipe that was applied loses a result")
	}
	second := b.Results.List()[1].Run
	b.Tuning.Set(b.tuned(20), true)
	b.settle()
	if !b.Results.ApplyLoses() {
		t.Error("one more run is said to lose nothing")
	}
	b.Results.Show(1)
	b.Exports.Write(filepath.Join(t.TempDir(), "a.nii.gz"), job.Options{}, func(job.Written) {})
	b.settle()
	b.Tuning.Set(b.tuned(20), true)
	b.settle()
	if b.Results.ApplyLoses() {
		t.Error("one more run is said to lose a result, though an exported one can go")
	}
	b.Results.Apply()
	if b.Results.ApplyLoses() {
		t.Error("during a run, another one is said to lose a result")
	}
	b.settle()
	if n := len(b.Results.List()); n != results.MaxResults {
		t.Errorf("%d results are kept", n)
	}
	for _, r := range b.Results.List() {
		if r.Run == second {
			t.Error("the exported result was kept in the place of another")
		}
	}
}

// A finished run can be side A of comparisons, until it is not kept any more or other
// voxels are shown.
func TestRunsAreComparedWithEachOther(t *testing.T) {
	b := newBench(t)
	b.applied(3)
	second := b.applied(5)
	b.Results.CompareWith(0)
	b.settle()
	p := b.Screen.Picture()
	base, ok := b.Results.Base()
	if !ok || base.Number != 1 || !b.Results.List()[0].Base || b.Results.List()[1].Base || p.Base != base.Run.Result {
		t.Fatalf("the first run is not side A: %+v", b.Results.List())
	}
	if p.Result != second.Result || p.Residual[0] != 2 {
		t.Errorf("the difference of the runs is %g; want 2", p.Residual[0])
	}
	b.Structures.Toggle()
	b.settle()
	for i, h := range []float64{7, 8, 9} { // the fifth run takes the place of the first
		b.applied(h)
		_, ok := b.Results.Base()
		if want := i < 2; ok != want {
			t.Errorf("after %d runs more side A is a run: %t", i+1, ok)
		}
	}
	if got := b.Results.List(); len(got) != 4 || got[0].Number != 2 || got[3].Number != 5 {
		t.Errorf("runs %+v; want 2 to 5", got)
	}
	b.Results.CompareWith(1)
	b.Results.CompareWith(4) // there is none
	b.settle()
	if _, ok := b.Results.Base(); ok || b.Screen.Picture().Base != nil {
		t.Error("the original is not side A again")
	}
	b.Results.CompareWith(1)
	b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 2, Seed: 1})
	b.settle()
	if _, ok := b.Results.Base(); ok {
		t.Error("a run of other voxels is side A")
	}
}
