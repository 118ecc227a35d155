package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/series"
	"quell/ui/session"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
	"quell/ui/viewer"
)

func TestOpeningPreviewsTheMiddleSlice(t *testing.T) {
	b := newBench(t)
	b.loop.until("the slice is previewed", func() bool { return b.status() == preview.Slice })
	b.loop.until("it is on the screen", func() bool { return b.frames[viewer.Residual].Image != nil })
	if b.State().Cut().Index() != 3 {
		t.Errorf("slice %d; want the middle one", b.State().Cut().Index())
	}
	if facts, ok := b.Document().Facts(); !ok || !(facts.Noise.Sigma > 0) {
		t.Errorf("facts %+v, %v; want a noise estimate", facts, ok)
	}
	if len(b.errors) > 0 {
		t.Errorf("errors: %v", b.errors)
	}
}

func TestTheNewestPreviewIsShown(t *testing.T) {
	b := newBench(t)
	b.loop.until("the slice is previewed", func() bool { return b.status() == preview.Slice })
	b.engine.holdPreviews()
	for _, h := range []float64{5, 6, 7} {
		b.Tuning.Set(b.tuned(h), false)
		if b.status() != preview.Stale || !b.Preview.Running() {
			t.Fatalf("h=%g: status %v, previewing %v; want the old picture marked stale", h, b.status(), b.Preview.Running())
		}
	}
	b.engine.open()
	b.loop.until("the newest is on the screen", b.showsShift(7))
	if b.status() != preview.Slice || b.Preview.Running() {
		t.Errorf("status %v, previewing %v; want it up to date", b.status(), b.Preview.Running())
	}
	b.settle()
	if !b.showsShift(7)() {
		t.Errorf("an older preview came last: shift %g", b.shift())
	}
}

func TestScrollingBackNeedsNoNewPreview(t *testing.T) {
	b := newBench(t)
	b.loop.until("the slice is previewed", func() bool { return b.status() == preview.Slice })
	b.State().Cut().Scroll(1)
	b.loop.until("the next is previewed", func() bool { return b.status() == preview.Slice })
	b.settle()
	b.Preview.SetAuto(false) // which filters its neighbours as well
	n := b.engine.count()
	b.State().Cut().Scroll(-1)
	if b.status() != preview.Slice {
		t.Errorf("status %v; want the preview kept", b.status())
	}
	b.settle()
	if b.engine.count() != n {
		t.Errorf("%d previews more", b.engine.count()-n)
	}
}

func TestWithoutAutoPreviewNothingRunsUnrequested(t *testing.T) {
	b := newBench(t)
	b.loop.until("the slice is previewed", func() bool { return b.status() == preview.Slice })
	b.Preview.SetAuto(false)
	b.settle() // a neighbour may be filtered ahead, which counts
	n := b.engine.count()
	b.Tuning.Set(b.tuned(9), true)
	b.settle()
	if b.engine.count() != n || b.status() != preview.Stale {
		t.Fatalf("%d previews, status %v; want none and a stale picture", b.engine.count()-n, b.status())
	}
	b.Preview.Start()
	b.loop.until("the slice is previewed", b.showsShift(9))
}

func TestAFailedPreviewIsNotRepeated(t *testing.T) {
	b := newBench(t)
	b.loop.until("the slice is previewed", func() bool { return b.status() == preview.Slice })
	b.engine.failWith(errEngine)
	b.Tuning.Set(b.tuned(9), true)
	b.loop.until("the preview failed", func() bool { _, problem := b.Preview.Text(); return problem })
	n := b.engine.count()
	b.State().Cut().ZoomAt(2, 1, 1, 10, 10)
	b.State().Fit()
	b.settle()
	if b.engine.count() != n {
		t.Errorf("zooming repeated a preview that failed %d times", b.engine.count()-n)
	}
	b.engine.failWith(nil)
	b.Tuning.Set(b.tuned(10), true)
	b.loop.until("another recipe works", b.showsShift(10))
}

func TestApply(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.tuned(8), true)
	b.engine.holdRuns()
	b.loop.until("the facts are known", func() bool { _, known := b.Document().Facts(); return known })
	b.Results.Apply()
	b.loop.until("there is progress", func() bool { return b.Tasks.Progress().Fraction > 0 })
	p := b.Tasks.Progress()
	if p.Kind != desk.Applying || p.Fraction != 0.25 || !strings.Contains(p.Text, "1 of 6 slices") || !p.Recipe.Equal(b.Tuning.Recipe()) {
		t.Errorf("progress %+v; want a quarter of the slices", p)
	}
	asked := b.Tuning.Recipe()
	b.Tuning.Set(b.tuned(11), true)
	if p := b.Tasks.Progress(); !p.Recipe.Equal(asked) {
		t.Errorf("the progress names %v; want the recipe of the run", p.Recipe)
	}
	b.Tuning.Set(asked, true)
	b.engine.open()
	b.loop.until("the volume is filtered", b.Results.Applied)
	known, _ := b.Document().Facts()
	if run := b.Document().Run(); run.Facts == nil || run.Facts.Noise.Sigma != known.Noise.Sigma {
		t.Errorf("the run has the facts %v; want those of the document", run.Facts)
	}
	if b.Tasks.Progress().Kind != desk.Idle || b.status() != preview.Whole {
		t.Errorf("progress %+v, status %v; want idle and the whole volume", b.Tasks.Progress(), b.status())
	}
	b.State().Cut().SetIndex(0)
	b.loop.until("a slice that was not previewed shows the result", func() bool {
		return b.Screen.Picture() != nil && b.Screen.Picture().Index == 0 && b.showsShift(8)()
	})
	b.loop.until("the volume is measured", func() bool { return b.Measures.Volume().Known })
	if m := b.Measures.Volume(); !m.Current || m.ResidualMean < 7.99 || m.ResidualMean > 8.01 {
		t.Errorf("measures %+v; want a residual mean of 8", m)
	}

	b.Tuning.Set(b.tuned(3), false)
	if b.status() != preview.Stale || b.Results.Applied() || b.Measures.Volume().Current {
		t.Error("after a change of parameters the volume still counts as up to date")
	}
	b.loop.until("the slice is previewed again", b.showsShift(3))
	b.Tuning.Set(b.tuned(8), true)
	if b.status() != preview.Whole {
		t.Errorf("status %v with the parameters of the run; want the whole volume", b.status())
	}
}

func TestCancelApply(t *testing.T) {
	b := newBench(t)
	b.engine.holdRuns()
	b.Results.Apply()
	b.loop.until("there is progress", func() bool { return b.Tasks.Progress().Fraction > 0 })
	b.Tasks.Cancel()
	if b.Tasks.Progress().Kind != desk.Idle || !strings.Contains(b.Tasks.Message(), "cancelled") {
		t.Errorf("progress %+v, message %q after the cancel", b.Tasks.Progress(), b.Tasks.Message())
	}
	b.engine.open()
	b.settle()
	if b.Document().Run() != nil || len(b.errors) > 0 {
		t.Errorf("a cancelled run was shown, or reported as an error: %v", b.errors)
	}
}

func TestAFailedRunIsReported(t *testing.T) {
	b := newBench(t)
	b.loop.until("the slice is previewed", func() bool { return b.status() == preview.Slice })
	b.engine.failWith(errEngine)
	b.Results.Apply()
	b.loop.until("the error is reported", func() bool { return len(b.errors) == 1 })
	if !errors.Is(b.errors[0], errEngine) || b.Tasks.Progress().Kind != desk.Idle {
		t.Errorf("error %v, progress %+v", b.errors[0], b.Tasks.Progress())
	}
}

func TestUndoStepsOverDrafts(t *testing.T) {
	b := newBench(t)
	start := b.Tuning.Recipe()
	for _, h := range []float64{1, 2, 3} {
		b.Tuning.Set(b.tuned(h), false)
	}
	b.Tuning.Set(b.tuned(3), true)
	b.Tuning.Set(b.tuned(20), true)
	b.History.Undo()
	if !b.Tuning.Recipe().Get("h").Equal(denoise.Number(3)) {
		t.Errorf("after one undo h is %v; want 3", b.Tuning.Recipe().Get("h"))
	}
	b.History.Undo()
	if !b.Tuning.Recipe().Equal(start) {
		t.Errorf("after two undos the recipe is %v; want the first", b.Tuning.Recipe())
	}
	b.History.Undo()
	b.History.Redo()
	b.History.Redo()
	b.History.Redo()
	if !b.Tuning.Recipe().Get("h").Equal(denoise.Number(20)) {
		t.Errorf("after the redos h is %v; want 20", b.Tuning.Recipe().Get("h"))
	}
}

func TestAFilterStartsWithItsLastParameters(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.tuned(33), true)
	blur, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.Tuning.Set(blur, true)
	again, err := denoise.NewRecipe("nlm", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.Tuning.Set(again, true)
	if !b.Tuning.Recipe().Get("h").Equal(denoise.Number(33)) {
		t.Errorf("nlm came back with h %v; want 33", b.Tuning.Recipe().Get("h"))
	}
}

// A filter comes up with the settings that this series had of it, or with its defaults; not with
// the settings of another series, whichever of the two had the filter first.
func TestFilterSettingsBelongToTheirSeries(t *testing.T) {
	b := newBench(t)
	choose := func(name string, dims int) denoise.Recipe {
		t.Helper()
		r, err := denoise.NewRecipe(name, dims)
		if err != nil {
			t.Fatal(err)
		}
		b.Tuning.Set(r, true)
		return b.Tuning.Recipe()
	}
	b.settle()
	own := b.tuned(5)
	b.Tuning.Set(own, true)
	first := choose("bilateral", 2)
	b.loop.drain()
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return rampSeries(t), nil })
	b.loop.until("another series is open", func() bool { return len(b.Documents.List()) == 2 })
	b.settle()
	for _, name := range []string{"nlm", "bilateral"} {
		r := choose(name, 3)
		r.Dims = 3
		b.Tuning.Set(r.With(strengthParam(t, name), denoise.Number(123)), true)
	}
	foreign := b.Tuning.Recipe()
	b.Documents.Show(0)
	b.settle()
	if !b.Tuning.Recipe().Equal(first) {
		t.Fatalf("the first series has %v; want %v", b.Tuning.Recipe(), first)
	}
	if got := choose("nlm", 2); !got.Equal(own) {
		t.Errorf("nlm comes up as %v; want the settings of this series", got)
	}
	if got := choose("bilateral", 2); !got.Equal(first) {
		t.Errorf("bilateral comes up as %v; want %v", got, first)
	}
	want, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.memory["gaussian"] = want.With("sigma", denoise.Number(3)) // of yet another series
	if got := choose("gaussian", 2); !got.Equal(want) {
		t.Errorf("gaussian comes up as %v; want its defaults", got)
	}
	b.Documents.Show(1)
	b.settle()
	choose("nlm", 3)
	if got := choose("bilateral", 3); !got.Equal(foreign) {
		t.Errorf("on the second series bilateral comes up as %v; want %v", got, foreign)
	}
}

func strengthParam(t *testing.T, filter string) string {
	t.Helper()
	f, err := denoise.FilterByName(filter)
	if err != nil {
		t.Fatal(err)
	}
	return f.Strength.Param
}

// A filter that has one dimensionality leaves none behind; one that was chosen stays.
func TestTheDimensionalityOfTheNextFilter(t *testing.T) {
	b := newBench(t)
	choose := func(name string, dims int) {
		t.Helper()
		r, err := denoise.NewRecipe(name, dims)
		if err != nil {
			t.Fatal(err)
		}
		b.Tuning.Set(r, true)
	}
	choose("lpa", 2)
	choose("bilateral", 2)
	if b.Tuning.Recipe().Dims != 3 {
		t.Errorf("after lpa, bilateral is %d-D; want 3-D, which suits thin slices", b.Tuning.Recipe().Dims)
	}
	choose("bilateral", 2)
	choose("gaussian", 2)
	if b.Tuning.Recipe().Dims != 2 {
		t.Errorf("gaussian is %d-D; want 2-D as chosen before", b.Tuning.Recipe().Dims)
	}
}

func TestAddedNoiseMakesTheOriginalTheReference(t *testing.T) {
	b := newBench(t)
	clean := b.Series()
	b.State().Cut().SetIndex(1)
	b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 12, Seed: 3})
	b.loop.until("the noise is there", func() bool { return b.Series() != clean })
	if b.Document().Reference() != clean || b.State().Cut().Index() != 1 {
		t.Errorf("reference kept %v, slice %d; want the clean series and slice 1", b.Document().Reference() == clean, b.State().Cut().Index())
	}
	b.loop.until("the slice is measured", func() bool { return b.Measures.Slice().Known && b.Measures.Slice().Truth != nil })
	start := float64(b.Measures.Slice().Start.MSE)
	if start < 100 || start > 190 { // 12^2 with the scatter of 192 voxels
		t.Errorf("the noisy slice has an MSE of %g against the original; want about 144", start)
	}
	b.Reader.ClearReference()
	if b.Series() != clean || b.Document().Reference() != nil {
		t.Error("clearing the reference does not restore the clean series")
	}
}

func TestHoldingShowsTheOriginal(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.Tuning.Recipe().With("h", denoise.Number(20)), true) // auto leaves so small a volume as it is
	b.loop.until("the slice is previewed and drawn", func() bool { return b.frames[viewer.Residual].Image != nil })
	b.Screen.HoldBefore(true)
	same := func() bool {
		o, d := b.frames[viewer.Original].Image, b.frames[viewer.Denoised].Image
		return string(o.Pix) == string(d.Pix)
	}
	b.loop.until("both panes show the original", same)
	b.Screen.HoldBefore(false)
	b.loop.until("the denoised pane shows the result again", func() bool { return !same() })
}

func TestOpenReportsWhatIsWrong(t *testing.T) {
	b := newBench(t)
	before := b.Series()
	missing := filepath.Join(t.TempDir(), "no such folder")
	b.Reader.Open(missing)
	b.loop.until("the error is reported", func() bool { return len(b.errors) == 1 })
	var input *job.InputError
	if !errors.As(b.errors[0], &input) || !strings.Contains(b.errors[0].Error(), "no such folder") {
		t.Errorf("error %v; want an input error that names the path", b.errors[0])
	}
	if b.Series() != before || b.Tasks.Progress().Kind != desk.Idle {
		t.Error("a failed open closed the series or did not end")
	}
}

func TestExportWritesTheRun(t *testing.T) {
	b := newBench(t)
	b.Exports.Write("nowhere", job.Options{}, func(job.Written) { t.Error("exported without a run") })
	b.Tuning.Set(b.tuned(2), true)
	b.Results.Apply()
	b.loop.until("the volume is filtered", b.Results.Applied)
	out := filepath.Join(t.TempDir(), "result.nii.gz")
	var report *job.Written
	b.Exports.Write(out, job.Options{}, func(r job.Written) { report = &r })
	b.loop.until("the export is done", func() bool { return report != nil || len(b.errors) > 0 })
	if len(b.errors) > 0 {
		t.Fatal(b.errors[0])
	}
	if report.Output != out || report.Files != 1 {
		t.Errorf("report %+v; want the one file", report)
	}
	if _, err := os.Stat(out); err != nil {
		t.Error(err)
	}
	back, err := open.Open(t.Context(), job.Input{Path: out}, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	for i, v := range b.Document().Run().Result.Data {
		if back.Volume.Data[i] != v {
			t.Fatalf("voxel %d is %g in the file; want %g", i, back.Volume.Data[i], v)
		}
	}
	b.Reader.Open(out)
	b.loop.until("the result is opened", func() bool { return len(b.opened) == 2 })
	if b.opened[1] != out || b.Document().Run() != nil {
		t.Errorf("opened %q; want the file, with nothing filtered yet", b.opened[1])
	}
}

func TestALateLoadDoesNotReplaceANewerOne(t *testing.T) {
	b := newBench(t)
	gate := make(chan struct{})
	late, newer := rampSeries(t), rampSeries(t)
	b.Reader.OpenWith(func(ctx context.Context) (*series.Series, error) {
		<-gate
		return late, nil
	})
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return newer, nil })
	b.loop.until("the newer is open", func() bool { return b.Series() == newer })
	close(gate)
	b.settle()
	if b.Series() != newer {
		t.Error("the series requested first arrived late and replaced the newer one")
	}
}

// Settings of another version may hold a recipe that no engine can run.
func TestAnInvalidRememberedRecipeIsIgnored(t *testing.T) {
	b := newBench(t)
	b.settle()
	want, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.memory["gaussian"] = want.With("sigma-spatial", denoise.Number(-1))
	b.Tuning.Set(want, true)
	if got := b.Tuning.Recipe(); !got.Equal(want) {
		t.Errorf("the filter starts with %s, want %s", got, want)
	}
}

// TestDrawingThatFailsIsTold: the status bar says so, and the next frame is drawn.
func TestDrawingThatFailsIsTold(t *testing.T) {
	b := newBench(t)
	b.loop.until("there is a picture", func() bool { return b.Screen.Picture() != nil })
	b.Preview.SetAuto(false)
	b.settle()
	b.mayPanic = true
	v := b.Series().Volume
	data := v.Data
	v.Data = data[:1:1]
	b.State().Cut().SetIndex(0)
	b.loop.until("the failure is reported", func() bool { return strings.Contains(b.Tasks.Message(), "out of range") })
	if len(b.errors) > 0 {
		t.Errorf("a dialog for a frame: %v", b.errors)
	}
	v.Data = data
	b.Screen.Redraw()
	b.loop.until("the next frame is drawn", func() bool { return b.Screen.Picture().Index == 0 })
}

// TestASessionFindsItsOwnWayToScan: without a function to scan and a clock, a session uses
// the ones of the program.
func TestASessionFindsItsOwnWayToScan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nii")
	if _, err := app.DoOn(t.Context(), app.On{Series: rampSeries(t)}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	l := newLoop(t)
	var failed error
	s := session.New(desk.Deps{
		Go: func(f func()) { go f() }, Do: l.do, Engine: &fakeEngine{},
		Remembered: func() map[string]denoise.Recipe { return nil }, Remember: func(denoise.Recipe, string) {},
	}, desk.Listener{
		Changed: func() {}, Framed: func(*viewer.Picture, [viewer.Roles]viewer.Frame) {}, Panes: func() (p [viewer.Roles]viewer.Pane) { return p },
		Choose: func(_ *open.Catalog, pick func(int), _ func()) { pick(0) }, Opened: func(string) {}, Failed: func(err error) { failed = err },
	})
	defer s.Close()
	s.Reader.Open(path)
	l.until("the series is open", func() bool { return s.Series() != nil || failed != nil })
	if failed != nil || s.Series().Volume.Dims != [3]int{16, 12, 6} {
		t.Errorf("%v", failed)
	}
}
