package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"quell/app"
	"quell/app/job"
	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise/noise"
	"quell/series"
	"quell/ui/session"
	"quell/ui/session/desk"
	"quell/ui/session/marks"
	"quell/ui/session/preview"
	"quell/ui/viewer"
	"quell/volume"
)

// restore opens work in a session of its own; bundled series are ramps.
func restore(t *testing.T, w workbench.SavedSeries, load func(context.Context, workbench.SavedRun, *series.Series) (*run.Run, error)) (b *bench, done bool) {
	t.Helper()
	b = newBenchWith(t, func(d *desk.Deps) {
		d.Bundled, d.LoadRun = func(context.Context) (*series.Series, error) { return rampSeries(t), nil }, load
	})
	b.settle()
	before := b.Series()
	b.Reader.Restore(workbench.Workspace{Open: []workbench.SavedSeries{w}})
	b.settle()
	return b, b.Series() != before
}

// Work returns the work on the series that is shown.
func (b *bench) Work() (workbench.SavedSeries, bool) {
	w, ok := b.Documents.Workspace()
	if !ok {
		return workbench.SavedSeries{}, false
	}
	return w.Open[w.Shown], true
}

// Everything that is open comes back: series, view, recipe, runs and what was exported of them.
func TestWorkIsOpenedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "head.nii.gz")
	if _, err := app.DoOn(t.Context(), app.On{Series: rampSeries(t)}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	kept, err := workbench.NewAutosave(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Remove()
	saver := kept.SaveRun
	b := newBenchWith(t, func(d *desk.Deps) { d.SaveRun = saver })
	b.Reader.Open(path)
	b.settle()
	b.applied(3)
	b.Exports.Write(filepath.Join(t.TempDir(), "a.nii.gz"), job.Options{}, func(job.Written) {})
	b.settle()
	b.applied(5)
	b.State().SetPlane(volume.Coronal)
	b.State().Cut().SetIndex(7)
	b.State().Cut().ZoomAt(2, 10, 20, 64, 48)
	b.State().Windows.DragResidual(30)
	b.State().Windows.ToggleInvert()
	b.State().Windows.Set(volume.Window{Center: 30, Width: 60, Name: "Mine"})
	b.State().Windows.ToggleLink()
	b.State().Windows.Attend(viewer.Original)
	b.State().Windows.Set(volume.Window{Center: 25, Width: 50, Name: "Other"})
	b.draw(marks.EllipseTool, [2]float64{2, 1}, [2]float64{9, 5})
	b.Marks.SetGround()
	b.Results.Show(0)
	b.settle()
	work, ok := b.Work()
	data, err := json.Marshal(work)
	if !ok || err != nil || work.Path != path || len(work.Runs) != 2 || len(work.Runs[0].Exports) != 1 || len(work.Runs[1].Exports) != 0 {
		t.Fatalf("the work is %s", data)
	}
	var again workbench.SavedSeries
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	next, done := restore(t, again, kept.LoadRun)
	if !done || len(next.errors) > 0 {
		t.Fatalf("errors %v", next.errors)
	}
	if next.opened[len(next.opened)-1] != path || !next.Results.Applied() || next.status() != preview.Whole || !next.showsShift(3)() {
		t.Errorf("opened %v, status %v, a shift of %g; want the first run", next.opened, next.status(), next.shift())
	}
	if got := next.State().Look(); !reflect.DeepEqual(got, b.State().Look()) {
		t.Errorf("the view is %+v; want %+v", got, b.State().Look())
	}
	if ground, ok := next.Marks.Ground(); !ok || len(next.Marks.List()) != 1 || !reflect.DeepEqual(ground, b.Marks.List()[0]) {
		t.Errorf("the marks are %+v; want %+v", next.Marks.List(), b.Marks.List())
	}
	next.State().Windows.SetAutomatic()
	next.History.Undo()
	if first, second := next.State().Windows.Of(viewer.Original), next.State().Windows.Of(viewer.Denoised); first.Name != "Other" || second.Name != "Mine" {
		t.Errorf("undo after a restart gives the windows %+v and %+v", first, second)
	}
	if m := next.Measures.Volume(); !m.Current || !next.Measures.Slice().Current {
		t.Error("the run that is shown is not measured")
	}
	if kindOf(next.Documents.Loss()) != desk.LosesResult || !next.Results.List()[0].Exported {
		t.Errorf("loss %v", kindOf(next.Documents.Loss()))
	}
	same, _ := next.Work()
	if now, err := json.Marshal(same); err != nil || string(now) != string(data) {
		t.Errorf("the work that is open again is\n%s, and was\n%s", now, data)
	}
	if !strings.HasPrefix(next.Tasks.Message(), "The work of the last session is open again.") {
		t.Errorf("message %q", next.Tasks.Message())
	}
}

// Added noise and a reference come back too; noise has its own reference.
func TestNoiseAndReferenceAreOpenedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "truth.nii.gz")
	if _, err := app.DoOn(t.Context(), app.On{Series: rampSeries(t)}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.settle()
	b.Reader.SetReference(path)
	b.settle()
	work, _ := b.Work()
	next, _ := restore(t, work, nil)
	if ref := next.Document().Reference(); work.Reference != path || ref == nil {
		t.Fatalf("reference %q, %v", work.Reference, ref)
	}
	next.Reader.ClearReference()
	if w, _ := next.Work(); w.Reference != "" {
		t.Error("a reference that was removed is kept")
	}
	next.Reader.AddNoise(job.AddedNoise{Model: noise.Gaussian, Sigma: 3, Seed: 7})
	next.settle()
	work, _ = next.Work()
	last, _ := restore(t, work, nil)
	n, noisy := last.Document().Noise()
	if work.Reference != "" || !noisy || n.Sigma != 3 || n.Seed != 7 || !reflect.DeepEqual(last.Series().Volume.Data, next.Series().Volume.Data) {
		t.Errorf("noise %v, %t", n, noisy)
	}
	last.Reader.ClearReference()
	last.settle()
	if w, _ := last.Work(); w.Noise != nil || w.Reference != "" {
		t.Error("noise that was removed is kept")
	}
}

// Noise that was measured in an ROI comes back, and with it which of the runs it made; so
// does the run that the others are compared with.
func TestGivenNoiseIsOpenedAgain(t *testing.T) {
	kept, err := workbench.NewAutosave(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Remove()
	even := evenBench(t).Series()
	path := filepath.Join(t.TempDir(), "even.nii.gz")
	if _, err := app.DoOn(t.Context(), app.On{Series: even}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	b := newBenchWith(t, func(d *desk.Deps) { d.SaveRun = kept.SaveRun })
	b.Reader.Open(path)
	b.settle()
	b.applied(3)
	b.draw(marks.RectangleTool, [2]float64{0, 0}, [2]float64{29, 29})
	b.Marks.UseNoise()
	b.settle()
	b.applied(4)
	b.Results.CompareWith(0)
	b.settle()
	check := func(what string, given bool, whole preview.Status) {
		t.Helper()
		work, _ := b.Work()
		data, err := json.Marshal(work)
		if err != nil {
			t.Fatal(err)
		}
		var again workbench.SavedSeries
		if err := json.Unmarshal(data, &again); err != nil {
			t.Fatal(err)
		}
		next, done := restore(t, again, kept.LoadRun)
		if !done || len(next.errors) > 0 || len(next.Results.List()) != 2 {
			t.Fatalf("%s: errors %v, %d results", what, next.errors, len(next.Results.List()))
		}
		want, _ := b.Document().Facts()
		got, _ := next.Document().Facts()
		if n := next.Document().GivenNoise(); got.Noise.Sigma != want.Noise.Sigma || (n != nil) != given || given && (n.From != "ROI 1" || n.Voxels != 900) {
			t.Errorf("%s: sigma %g, given %+v; want %g", what, got.Noise.Sigma, n, want.Noise.Sigma)
		}
		if next.status() != b.status() || b.status() != whole || len(next.Marks.List()) != 1 {
			t.Errorf("%s: status %v; want %v and %v", what, next.status(), b.status(), whole)
		}
		if base, ok := next.Results.Base(); !ok || base.Number != 1 {
			t.Errorf("%s: side A is %+v", what, base)
		}
		same, _ := next.Work()
		if now, err := json.Marshal(same); err != nil || string(now) != string(data) {
			t.Errorf("%s: the work that is open again is\n%s, and was\n%s", what, now, data)
		}
	}
	check("given", true, preview.Whole)
	b.Marks.EstimateNoise()
	b.settle()
	if b.status() == preview.Whole {
		t.Fatal("the run is shown as that of another noise")
	}
	check("estimated", false, b.status())

	work, _ := b.Work()
	for _, damaged := range []workbench.GivenNoise{{Sigma: 0, Voxels: 9}, {Sigma: -1, Voxels: 9}, {Sigma: 5, Voxels: 0}} {
		work.Given = &damaged
		if next, done := restore(t, work, kept.LoadRun); !done || next.Document().GivenNoise() != nil {
			t.Errorf("noise %+v was taken", damaged)
		}
	}
}

// Work that cannot be opened leaves the open series; results that cannot be read are counted.
func TestWorkThatIsGone(t *testing.T) {
	b := newBench(t)
	b.settle()
	if _, ok := b.Documents.Workspace(); ok {
		t.Error("the series of the start, on which nothing was done, is work")
	}
	b.Tuning.Set(b.tuned(3), true)
	b.settle()
	work, _ := b.Work()
	before := work
	work.Path = filepath.Join(t.TempDir(), "gone")
	next, done := restore(t, work, nil)
	if done || len(next.errors) != 1 || next.Series() == nil {
		t.Errorf("errors %v", next.errors)
	}
	work = before
	work.Dims[2]++
	if next, done = restore(t, work, nil); done || len(next.errors) != 1 || !strings.Contains(next.errors[0].Error(), "another series") {
		t.Errorf("errors %v", next.errors)
	}
	path := filepath.Join(t.TempDir(), "head.nii.gz")
	if _, err := app.DoOn(t.Context(), app.On{Series: rampSeries(t)}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	work = before
	work.Path = path
	for _, work.Entry = range []int{-1, 1} {
		if next, done = restore(t, work, nil); done || len(next.errors) != 1 || !strings.Contains(next.errors[0].Error(), "another series than before") {
			t.Errorf("entry %d: errors %v", work.Entry, next.errors)
		}
	}
	work.Entry, work.Files = 0, "other"
	if next, done = restore(t, work, nil); !done || !strings.HasSuffix(next.Tasks.Message(), "is open again. Its files have changed since.") {
		t.Errorf("message %q", next.Tasks.Message())
	}
	work = before
	work.Runs = []workbench.SavedRun{{File: "run-1.f32"}}
	work.Reference = filepath.Join(t.TempDir(), "gone")
	next, done = restore(t, work, func(context.Context, workbench.SavedRun, *series.Series) (*run.Run, error) {
		return nil, errors.New("gone")
	})
	if !done || len(next.Results.List()) != 0 || !strings.Contains(next.Tasks.Message(), "1 of its results could not be read") {
		t.Errorf("done %t, message %q", done, next.Tasks.Message())
	}
	var empty *session.Session
	empty, _, _ = emptySession(t)
	if _, ok := empty.Documents.Workspace(); ok {
		t.Error("there is work without a series")
	}
}
