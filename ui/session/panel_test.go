package session_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

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
	"quell/volume"
)

// These tests pin what panels show and how tasks end.

// emptySession is a session without a series, with a clock of its own.
func emptySession(t *testing.T) (s *session.Session, clock *time.Time, changes *int) {
	t.Helper()
	clock, changes = new(time.Time), new(int)
	*clock = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	fail := func(what string) { t.Errorf("%s without a series", what) }
	s = session.New(desk.Deps{
		Go: func(f func()) { go f() }, Do: func(f func()) { f() }, Engine: &fakeEngine{},
		Now:        func() time.Time { return *clock },
		Remembered: func() map[string]denoise.Recipe { return nil },
		Remember:   func(denoise.Recipe, string) { fail("a recipe was stored") },
	}, desk.Listener{
		Changed: func() { *changes++ },
		Framed:  func(*viewer.Picture, [viewer.Roles]viewer.Frame) { fail("a frame was drawn") },
		Panes:   func() (p [viewer.Roles]viewer.Pane) { fail("a frame was requested"); return p },
		Choose:  func(*open.Catalog, func(int), func()) { fail("a choice") },
		Damaged: func(error, int, func(), func()) { fail("a damaged file") },
		Opened:  func(string) { fail("a series was opened") },
		Failed:  func(err error) { t.Errorf("failed: %v", err) },
	})
	t.Cleanup(s.Close)
	return s, clock, changes
}

// TestNothingHappensWithoutASeries calls every command before a series is open.
func TestNothingHappensWithoutASeries(t *testing.T) {
	s, _, _ := emptySession(t)
	start := s.Tuning.Recipe()
	s.Results.Apply()
	s.Preview.Start()
	s.Preview.SetAuto(false)
	s.Tuning.Set(start.With("h", denoise.Number(7)), true)
	s.History.Undo()
	s.History.Redo()
	s.Screen.Redraw()
	s.Screen.HoldBefore(true)
	s.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 1})
	s.Reader.SetReference("nowhere")
	s.Reader.ClearReference()
	s.Tasks.Cancel()
	s.Exports.Write("nowhere", job.Options{}, func(job.Written) { t.Error("exported") })
	s.Wait()
	text, problem := s.Preview.Text()
	_, status, ok := s.Preview.Recipe()
	if s.Tasks.Busy() || s.Results.Applied() || s.Results.Exportable() != nil || s.Series() != nil || s.Document() != nil || s.Screen.Picture() != nil {
		t.Error("something was done without a series")
	}
	if text != "" || problem || ok || status != preview.Waiting || s.Preview.Running() || kindOf(s.Documents.Loss()) != desk.NoLoss {
		t.Errorf("preview %q, status %v, loss %v", text, status, kindOf(s.Documents.Loss()))
	}
	if s.Measures.Slice().Known || s.Measures.Volume().Known || s.Screen.OwnWindow() != (volume.Window{}) || s.Tasks.Message() != "" {
		t.Error("there are numbers or texts without a series")
	}
	if r, err := s.Tuning.Resolved(); err != nil || !r.Equal(start) || !s.Tuning.Recipe().Equal(start) {
		t.Errorf("recipe %v, %v; want the first filter's", r, err)
	}
	if !s.Screen.HoldsBefore() || s.Engine().Name != "fake" {
		t.Errorf("held %v, engine %q", s.Screen.HoldsBefore(), s.Engine().Name)
	}
}

// TestProgressIsReportedEvery100ms pins the interval, that the end is always reported, and
// the text with the time left.
func TestProgressIsReportedEvery100ms(t *testing.T) {
	s, clock, changes := emptySession(t)
	report := s.Tasks.Reporter(s.Tasks.Start(desk.Preparing, "Preparing", "files"))
	if p := s.Tasks.Progress(); p.Kind != desk.Preparing || p.Text != "Preparing …" || p.Fraction != 0 {
		t.Errorf("progress %+v before the first report", p)
	}
	*changes = 0
	report(1, 10)
	*clock = clock.Add(99 * time.Millisecond)
	report(2, 10)
	if *changes != 1 || s.Tasks.Progress().Fraction != 0.1 {
		t.Errorf("%d changes, %+v; want the second report not shown", *changes, s.Tasks.Progress())
	}
	*clock = clock.Add(time.Millisecond)
	report(3, 10)
	if *changes != 2 || s.Tasks.Progress().Text != "Preparing: 3 of 10 files" {
		t.Errorf("%d changes, %+v; want the third report", *changes, s.Tasks.Progress())
	}
	report(10, 10)
	if *changes != 3 || s.Tasks.Progress().Fraction != 1 {
		t.Errorf("%d changes, %+v; want the end shown at once", *changes, s.Tasks.Progress())
	}
	*clock = clock.Add(3900 * time.Millisecond)
	report(4, 8)
	if s.Tasks.Progress().Text != "Preparing: 4 of 8 files, 4.0 s left" {
		t.Errorf("%q; want the time left", s.Tasks.Progress().Text)
	}
	s.Tasks.Cancel()
	*changes = 0
	report(10, 10)
	if *changes != 0 || s.Tasks.Message() != "Preparing cancelled." || !reflect.DeepEqual(s.Tasks.Progress(), desk.Progress{}) {
		t.Errorf("%d changes, %q, %+v after the cancel", *changes, s.Tasks.Message(), s.Tasks.Progress())
	}
}

func TestPreviewTextFollowsThePreview(t *testing.T) {
	b := newBench(t)
	b.settle()
	if text, problem := b.Preview.Text(); !strings.HasPrefix(text, "Slice 4 took ") || problem {
		t.Errorf("%q, problem %v; want the time of slice 4", text, problem)
	}
	b.engine.holdPreviews()
	b.State().Cut().SetIndex(0)
	if text, _ := b.Preview.Text(); text != "Filtering slice 1 …" {
		t.Errorf("%q; want the slice that is filtered", text)
	}
	b.Preview.SetAuto(false)
	if !b.Preview.Running() {
		t.Error("the preview of the slice on the screen was cancelled")
	}
	b.State().Cut().SetIndex(1)
	if text, _ := b.Preview.Text(); text != "" || b.Preview.Running() || b.Preview.Auto() {
		t.Errorf("%q, previewing %v; want it cancelled", text, b.Preview.Running())
	}
	b.engine.open()
	b.settle()
	if _, status, ok := b.Preview.Recipe(); ok || status != preview.Waiting {
		t.Errorf("status %v; want the slice not filtered", status)
	}
	b.engine.failWith(errEngine)
	b.Preview.Start()
	b.settle()
	if text, problem := b.Preview.Text(); !strings.Contains(text, errEngine.Error()) || !problem {
		t.Errorf("%q, problem %v; want the error", text, problem)
	}
	b.State().Cut().SetIndex(3)
	if text, problem := b.Preview.Text(); problem || text == "" {
		t.Errorf("%q, problem %v on another slice; want its own state", text, problem)
	}
}

// TestShownRecipeIsThatOfThePicture checks previews, stale previews and the run.
func TestShownRecipeIsThatOfThePicture(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.Preview.SetAuto(false)
	first := b.Tuning.Recipe()
	b.Tuning.Set(b.tuned(9), true)
	if r, status, ok := b.Preview.Recipe(); !ok || status != preview.Stale || !r.Equal(first) {
		t.Errorf("%v, status %v; want the first recipe, stale", r, status)
	}
	b.Results.Apply()
	b.settle()
	run := b.Tuning.Recipe()
	b.Tuning.Set(b.tuned(11), true)
	b.State().Cut().SetIndex(0)
	if r, status, ok := b.Preview.Recipe(); !ok || status != preview.Stale || !r.Equal(run) {
		t.Errorf("%v, status %v; want that of the run, stale", r, status)
	}
	if b.Tasks.Message() == "" || !strings.HasPrefix(b.Tasks.Message(), "Filtered 6 slices in ") || !strings.HasSuffix(b.Tasks.Message(), " on fake.") {
		t.Errorf("message %q", b.Tasks.Message())
	}
}

func TestResolvedHasNumbers(t *testing.T) {
	b := newBench(t)
	b.settle()
	r, err := b.Tuning.Resolved()
	if err != nil || !(r.Get("h").Float() > 0) {
		t.Errorf("%v, %v; want h as a number", r, err)
	}
	b.Tuning.Set(b.Tuning.Recipe().With("h", denoise.Number(-1)), false)
	if r, err := b.Tuning.Resolved(); err == nil || !r.Equal(b.Tuning.Recipe()) {
		t.Errorf("%v, %v; want the recipe itself and the error", r, err)
	}
}

// TestARepeatedRecipeIsOneStep checks that the history does not hold a recipe twice in
// succession, and that drafts are not stored.
func TestARepeatedRecipeIsOneStep(t *testing.T) {
	b := newBench(t)
	b.settle()
	start := b.Tuning.Recipe()
	b.Tuning.Set(b.tuned(4), false)
	if _, stored := b.memory[start.Filter]; stored {
		t.Error("a draft was stored as the filter's last recipe")
	}
	b.Tuning.Set(b.tuned(4), true)
	b.Tuning.Set(b.tuned(4), true)
	if !b.memory[start.Filter].Equal(b.tuned(4)) {
		t.Error("the recipe was not stored")
	}
	b.History.Undo()
	if !b.Tuning.Recipe().Equal(start) {
		t.Errorf("%v after one undo; want the first recipe", b.Tuning.Recipe())
	}
}

// TestADraftOfAnotherFilterIsShownAsItIs checks that only a final choice of a filter takes
// its last parameters.
func TestADraftOfAnotherFilterIsShownAsItIs(t *testing.T) {
	b := newBench(t)
	b.settle()
	blur, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.memory["gaussian"] = blur.With("sigma-spatial", denoise.Number(3))
	b.Tuning.Set(blur, false)
	if !b.Tuning.Recipe().Equal(blur) {
		t.Errorf("%v; want the draft", b.Tuning.Recipe())
	}
}

// twoSeries returns a folder of two series.
func twoSeries(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a.nii", "b.nii"} {
		if _, err := app.DoOn(t.Context(), app.On{Series: rampSeries(t)}, job.Job{Output: job.Output{Path: filepath.Join(dir, name)}}, job.Events{}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestTheListenerChoosesASeries checks a choice, a refusal, and a choice that comes too late.
func TestTheListenerChoosesASeries(t *testing.T) {
	b := newBench(t)
	b.settle()
	dir := twoSeries(t)
	var pick func(int)
	var drop func()
	asked := 0
	b.choosing = func(c *open.Catalog, p func(int), d func()) { asked, pick, drop = asked+len(c.Entries), p, d }
	before := b.Series()
	b.Reader.Open(dir)
	b.settle()
	if asked != 2 || b.Series() != before || b.Tasks.Progress().Kind != desk.Loading {
		t.Fatalf("%d series to choose from, progress %+v; want two", asked, b.Tasks.Progress())
	}
	drop()
	if b.Tasks.Busy() || !strings.Contains(b.Tasks.Message(), "cancelled") {
		t.Errorf("busy %v, message %q after the refusal", b.Tasks.Busy(), b.Tasks.Message())
	}
	pick(1) // too late
	b.settle()
	if b.Series() != before || b.Tasks.Busy() {
		t.Error("a choice after the refusal opened a series")
	}
	b.Reader.Open(dir)
	b.settle()
	pick(1)
	b.settle()
	if b.Series() == before || len(b.opened) != 2 || b.opened[1] != dir || b.Tasks.Busy() {
		t.Errorf("opened %q; want the series chosen", b.opened)
	}
	drop() // of a choice that was made
	if b.Tasks.Busy() || strings.Contains(b.Tasks.Message(), "cancelled") {
		t.Errorf("message %q", b.Tasks.Message())
	}
	b.Reader.Open(dir)
	b.settle()
	after := b.Series()
	b.Tasks.Cancel()
	pick(0)
	b.settle()
	if b.Series() != after || len(b.opened) != 2 || len(b.errors) > 0 {
		t.Errorf("a choice after the cancel opened %q, errors %v", b.opened, b.errors)
	}
}

// TestReferenceOfAnotherFile checks that a reference is read and measured, that one of
// another size is refused, and that it can be removed.
func TestReferenceOfAnotherFile(t *testing.T) {
	b := newBench(t)
	b.Results.Apply()
	b.settle()
	dir := twoSeries(t)
	b.Reader.SetReference(filepath.Join(dir, "a.nii"))
	if b.Tasks.Progress().Kind != desk.Preparing {
		t.Fatalf("progress %+v; want the reference being read", b.Tasks.Progress())
	}
	b.settle()
	if b.Document().Reference() == nil || b.Tasks.Message() != "Results are compared with the reference." || b.Tasks.Busy() {
		t.Fatalf("message %q, errors %v; want the reference", b.Tasks.Message(), b.errors)
	}
	if b.Measures.Slice().Truth == nil || b.Measures.Volume().Truth == nil {
		t.Error("slice or volume is not compared with the reference")
	}
	b.Reader.ClearReference()
	b.settle()
	if b.Document().Reference() != nil || b.Measures.Slice().Truth != nil || b.Measures.Volume().Truth != nil {
		t.Error("the reference is still compared with")
	}
	b.Reader.SetReference(filepath.Join(dir, "missing.nii"))
	b.settle()
	if len(b.errors) != 1 || b.Document().Reference() != nil || b.Tasks.Busy() {
		t.Errorf("errors %v; want that of the missing file", b.errors)
	}
	b.Reader.SetReference(filepath.Join(dir, "a.nii"))
	b.Wait()
	b.Tasks.Cancel()
	b.settle()
	if b.Document().Reference() != nil {
		t.Error("a cancelled reference was set")
	}
}

// TestLateNoiseIsDropped checks a cancel after the noise was made.
func TestLateNoiseIsDropped(t *testing.T) {
	b := newBench(t)
	b.settle()
	before := b.Series()
	b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 12, Seed: 3})
	b.Wait()
	b.Tasks.Cancel()
	b.settle()
	if b.Series() != before || b.Document().Reference() != nil || b.Tasks.Busy() {
		t.Error("cancelled noise was added")
	}
	b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: -1})
	b.settle()
	if len(b.errors) != 1 || b.Series() != before {
		t.Errorf("errors %v; want that of a negative sigma", b.errors)
	}
	b.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 12, Seed: 3})
	b.settle()
	if !strings.HasSuffix(b.Tasks.Message(), "the original is the reference.") {
		t.Errorf("message %q", b.Tasks.Message())
	}
	b.Reader.ClearReference()
	if b.Tasks.Message() != "The added noise is removed." {
		t.Errorf("message %q", b.Tasks.Message())
	}
}

// TestOwnWindowIsThatOfTheSeries checks the window that a series begins with.
func TestOwnWindowIsThatOfTheSeries(t *testing.T) {
	b := newBench(t)
	b.settle()
	if b.Screen.OwnWindow().Width != 0 || b.State().Windows.Current() != b.State().Windows.Automatic() {
		t.Errorf("window %v of a series without one", b.Screen.OwnWindow())
	}
	next := rampSeries(t)
	next.Windows = []volume.Window{{Center: 40, Width: 80}, {Center: 1, Width: 2}}
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return next, nil })
	b.settle()
	if b.Screen.OwnWindow() != next.Windows[0] || b.State().Windows.Current() != next.Windows[0] {
		t.Errorf("windows %v and %v; want the first of the series", b.Screen.OwnWindow(), b.State().Windows.Current())
	}
}

// TestABundledSeriesThatFails checks that the error is reported and the series stays.
func TestABundledSeriesThatFails(t *testing.T) {
	b := newBench(t)
	b.settle()
	before := b.Series()
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return nil, errEngine })
	b.settle()
	if len(b.errors) != 1 || !errors.Is(b.errors[0], errEngine) || b.Series() != before || len(b.opened) != 1 || b.Tasks.Busy() {
		t.Errorf("errors %v, opened %q", b.errors, b.opened)
	}
}

// TestSliceMeasuresBelongToTheSlice checks that the numbers of another slice are not shown,
// and that numbers of an older recipe are not current.
func TestSliceMeasuresBelongToTheSlice(t *testing.T) {
	b := newBench(t)
	b.Tuning.Set(b.tuned(5), true)
	b.settle()
	if m := b.Measures.Slice(); !m.Known || !m.Current || m.ResidualMean < 4.99 || m.ResidualMean > 5.01 {
		t.Fatalf("measures %+v; want a residual mean of 5", m)
	}
	b.Preview.SetAuto(false)
	b.Tuning.Set(b.tuned(6), true)
	b.settle()
	if m := b.Measures.Slice(); !m.Known || m.Current {
		t.Errorf("known %v, current %v with another recipe; want them known, and stale", m.Known, m.Current)
	}
	b.Results.Apply()
	b.settle()
	if m := b.Measures.Slice(); !m.Current || m.ResidualMean < 5.99 || m.ResidualMean > 6.01 {
		t.Errorf("measures %+v of the run's slice; want a residual mean of 6", m)
	}
}
