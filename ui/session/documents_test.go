package session_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quell/app"
	"quell/app/job"
	"quell/app/open"
	"quell/app/workbench"
	"quell/series"
	"quell/ui/session/desk"
	"quell/ui/session/documents"
	"quell/ui/viewer"
	"quell/volume"
)

// written writes n series of the same size that differ in their voxels.
func written(t *testing.T, n int) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		s := rampSeries(t)
		s.Volume.Data[0] += float32(i + 1)
		s.Description = []string{"HEAD", "NECK", "CHEST"}[i]
		path := filepath.Join(dir, strings.ToLower(s.Description)+".nii.gz")
		if _, err := app.DoOn(t.Context(), app.On{Series: s}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// opens opens series one after the other.
func (b *bench) opens(paths ...string) {
	for _, p := range paths {
		b.Reader.Open(p)
		b.settle()
	}
}

// size returns the bytes of the voxels of a series of files.
func size(t *testing.T) int64 { return 4 * int64(rampSeries(t).Volume.Voxels()) }

func (b *bench) states() (out []documents.DocumentState) {
	for _, d := range b.Documents.List() {
		out = append(out, d.State)
	}
	return out
}

// Opening another series keeps the first: its runs, recipe, history and view.
func TestOpeningKeepsTheSeriesThatAreOpen(t *testing.T) {
	b := newBench(t)
	b.settle()
	paths := written(t, 2)
	b.opens(paths[0])
	if got := b.Documents.List(); len(got) != 1 || got[0].Path != paths[0] || !got[0].Shown || got[0].Picture == nil || got[0].Bytes != size(t) {
		t.Fatalf("the bundled series, on which nothing was done, did not give way: %+v", got)
	}
	run := b.applied(3)
	b.State().SetPlane(volume.Coronal)
	b.State().Windows.Set(volume.Window{Center: 10, Width: 20})
	b.settle()
	look, recipe, first := b.State().Look(), b.Tuning.Recipe(), b.Series()

	b.opens(paths[1])
	if b.Series() == first || b.Results.Exportable() != nil || b.Documents.Path() != paths[1] || b.State().Cut().View().Plane != volume.Axial || b.Document().Edits().CanUndo() {
		t.Fatal("the second series is not as one that was just opened")
	}
	if want := []documents.DocumentState{documents.Unexported, documents.Untouched}; !reflect.DeepEqual(b.states(), want) || kindOf(b.Documents.Loss()) != desk.LosesResult {
		t.Errorf("states %v, loss %v", b.states(), kindOf(b.Documents.Loss()))
	}
	b.Tuning.Set(b.tuned(7), true)
	b.settle()
	b.frames[viewer.Original].Image = nil

	b.Documents.Show(0)
	if b.Series() != first || b.Screen.Picture() != nil || b.frames[viewer.Original].Image != nil {
		t.Error("a picture of the second series stands beside the first")
	}
	b.settle()
	if b.Results.Exportable() != run || !b.Results.Applied() || !b.Tuning.Recipe().Equal(recipe) || !reflect.DeepEqual(b.State().Look(), look) || !b.showsShift(3)() || b.Documents.Path() != paths[0] {
		t.Errorf("the first series is not as it was left: %+v, %s", b.State().Look(), b.Tuning.Recipe())
	}
	if !b.Measures.Volume().Current || !b.Measures.Slice().Current {
		t.Error("its numbers are not there")
	}
	b.History.Undo()
	if w := b.State().Windows.Current(); w.Width == 20 || !b.Tuning.Recipe().Equal(recipe) {
		t.Errorf("undo leaves the window %v, or changes the recipe", w)
	}
	b.History.Undo()
	if b.Tuning.Recipe().Equal(recipe) {
		t.Error("its history is not there")
	}
	b.Documents.Show(0)
	b.Documents.Show(2)
	b.Documents.Show(-1)
	b.Documents.Show(1)
	b.settle()
	if b.Tuning.Recipe().Get("h").Float() != 7 || !b.showsShift(7)() {
		t.Errorf("the second series has %s", b.Tuning.Recipe())
	}
}

// A run goes on while another series is shown, and its result belongs to its own.
func TestARunGoesOnBehindAnotherSeries(t *testing.T) {
	b := newBench(t)
	b.opens(written(t, 2)...)
	b.engine.holdRuns()
	b.Results.Apply()
	b.Documents.Show(0)
	if p := b.Tasks.Progress(); p.Kind != desk.Applying || !p.Hidden || b.states()[1] != documents.Running || b.Tasks.Loss() != desk.LosesRun || kindOf(b.Documents.VoxelsLoss()) != desk.NoLoss || kindOf(b.Documents.LossOf(1)) != desk.LosesRun {
		t.Fatalf("progress %+v, states %v", p, b.states())
	}
	b.engine.open()
	b.settle()
	if b.Results.Exportable() != nil || b.states()[1] != documents.Unexported || kindOf(b.Documents.LossOf(0)) != desk.NoLoss || kindOf(b.Documents.LossOf(1)) != desk.LosesResult || kindOf(b.Documents.LossOf(2)) != desk.NoLoss {
		t.Errorf("states %v", b.states())
	}
	b.Documents.Show(1)
	b.settle()
	if !b.Results.Applied() || kindOf(b.Documents.VoxelsLoss()) != desk.LosesResult {
		t.Error("the result is not there")
	}
	b.Exports.Write(filepath.Join(t.TempDir(), "a.nii.gz"), job.Options{}, func(job.Written) {})
	b.Documents.Show(0)
	b.settle()
	if b.states()[1] != documents.Exported || kindOf(b.Documents.Loss()) != desk.NoLoss {
		t.Errorf("after an export behind another series the states are %v", b.states())
	}
}

// Work for the screen ends when another series is shown.
func TestOtherTasksEndWithTheirScreen(t *testing.T) {
	b := newBench(t)
	b.opens(written(t, 2)...)
	b.Noise.ToggleMap()
	if !b.Tasks.Busy() {
		t.Fatal("the noise is not mapped")
	}
	b.Documents.Show(0)
	b.settle()
	if b.Tasks.Busy() || b.Noise.Map() != nil {
		t.Error("the noise map of the series before is shown")
	}
	b.Noise.ToggleMap()
	b.settle()
	shown := b.Noise.Map()
	b.Documents.Show(1)
	if shown == nil || b.Noise.Map() != nil {
		t.Error("a noise map goes with the screen and not with its series")
	}
	b.Documents.Show(0)
	if b.Noise.Map() != shown {
		t.Error("the noise map is not kept")
	}
}

// Closing shows the series that was shown before, in the end none.
func TestClosingSeries(t *testing.T) {
	b := newBench(t)
	b.opens(written(t, 3)...)
	b.Documents.Show(0)
	b.Documents.Close(0)
	b.settle()
	if got := b.Documents.List(); len(got) != 2 || !got[1].Shown || b.State().Volume() != b.Series().Volume || !b.showsShift(b.shift())() {
		t.Fatalf("after closing the first of three: %+v", got)
	}
	b.engine.holdRuns()
	b.Results.Apply()
	b.Documents.Close(1)
	if b.Tasks.Busy() {
		t.Error("a run goes on for a series that is closed")
	}
	b.engine.open()
	b.Documents.Close(3)
	b.Documents.Close(0)
	b.settle()
	if b.Series() != nil || len(b.Documents.List()) != 0 || b.frames[viewer.Original].Image != nil || b.State().Volume() != nil || kindOf(b.Documents.Loss()) != desk.NoLoss {
		t.Error("a series is left")
	}
	if _, ok := b.Documents.Workspace(); ok {
		t.Error("there is work without a series")
	}
	b.opens(written(t, 1)...)
	if b.Series() == nil || !b.showsShift(b.shift())() {
		t.Error("none can be opened again")
	}
}

// keeping returns dependencies that keep runs, in memory of a size.
func keeping(t *testing.T, memory int64) func(*desk.Deps) {
	t.Helper()
	kept, err := workbench.NewAutosave(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Remove() })
	return func(d *desk.Deps) {
		d.Memory, d.SaveRun, d.LoadRun = memory, kept.SaveRun, kept.LoadRun
		d.Bundled = func(context.Context) (*series.Series, error) { return rampSeries(t), nil }
	}
}

// Beyond the limit the series shown longest ago are put away, and read again as they were.
func TestMemoryIsBounded(t *testing.T) {
	n := size(t)
	b := newBenchWith(t, keeping(t, 3*n))
	paths := written(t, 3)
	b.opens(paths[0])
	run := b.applied(3)
	b.Tuning.Set(b.tuned(4), true)
	b.Results.Show(0)
	b.State().Cut().SetIndex(5)
	b.settle()
	look := b.State().Look()
	b.opens(paths[1])
	if used, limit := b.Documents.Memory(); used != 3*n || limit != 3*n || b.Documents.List()[0].Away {
		t.Fatalf("%d of %d bytes are used; nothing has to give way", used, limit)
	}
	b.opens(paths[2])
	got := b.Documents.List()
	if used, _ := b.Documents.Memory(); used != 2*n || !got[0].Away || got[0].Bytes != 0 || got[1].Away || got[0].State != documents.Unexported || got[0].Picture == nil {
		t.Fatalf("%d bytes are used, documents %+v", used, got)
	}
	if kindOf(b.Documents.Loss()) != desk.LosesResult || kindOf(b.Documents.LossOf(0)) != desk.LosesResult {
		t.Error("what was put away is not asked for")
	}
	b.Documents.Show(0)
	b.settle()
	if len(b.errors) > 0 || !b.Results.Applied() || b.Results.Exportable() == run || !b.showsShift(3)() || !reflect.DeepEqual(b.State().Look(), look) || b.Documents.Path() != paths[0] || b.Tasks.Message() != "" {
		t.Errorf("errors %v, message %q, view %+v, recipe %s; want the series as it was left", b.errors, b.Tasks.Message(), b.State().Look(), b.Tuning.Recipe())
	}
	if got := b.Documents.List(); got[0].Away || !got[1].Away || got[2].Away {
		t.Errorf("documents %+v; want the one shown longest ago put away", got)
	}
	b.History.Undo()
	if b.Tuning.Recipe().Get("h").Float() != 4 {
		t.Error("the history is not what it was")
	}
}

// A result that is nowhere else does not give way; opening another series is refused.
func TestResultsThatAreNowhereElseStay(t *testing.T) {
	n := size(t)
	b := newBenchWith(t, func(d *desk.Deps) { d.Memory = 3*n - 1 })
	paths := written(t, 2)
	b.opens(paths[0])
	b.applied(3)
	b.opens(paths[1])
	if len(b.errors) != 1 || !strings.Contains(b.errors[0].Error(), "export the results or close a series first") || b.Documents.Path() != paths[0] || len(b.Documents.List()) != 1 {
		t.Fatalf("errors %v, %d documents", b.errors, len(b.Documents.List()))
	}
	b.Exports.Write(filepath.Join(t.TempDir(), "a.nii.gz"), job.Options{}, func(job.Written) {})
	b.settle()
	b.opens(paths[1])
	if got := b.Documents.List(); len(b.errors) != 1 || len(got) != 2 || !got[0].Away {
		t.Errorf("after the export: errors %v, documents %+v", b.errors, got)
	}
	// The first series is taken whatever its size.
	b = newBenchWith(t, func(d *desk.Deps) { d.Memory = 1 })
	b.opens(paths[0])
	if len(b.errors) > 0 || b.Documents.Path() != paths[0] {
		t.Errorf("errors %v", b.errors)
	}
}

// After a crash all series are listed, with their pictures; the one that was shown is open.
func TestAllSeriesComeBack(t *testing.T) {
	deps := keeping(t, 1<<40)
	b := newBenchWith(t, deps)
	paths := written(t, 2)
	b.opens(paths...)
	b.Documents.Show(0)
	b.settle()
	b.applied(3)
	b.Documents.Show(1)
	b.settle()
	work, ok := b.Documents.Workspace()
	data, err := json.Marshal(work)
	if !ok || err != nil || work.Shown != 1 || len(work.Open) != 2 || len(work.Open[0].Runs) != 1 {
		t.Fatalf("the work is %s", data)
	}
	var again workbench.Workspace
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	next := newBenchWith(t, deps)
	next.Reader.Restore(again)
	next.settle()
	got := next.Documents.List()
	if len(got) != 2 || !got[0].Away || got[0].State != documents.Unexported || got[0].Picture == nil || got[0].Name != "head.nii.gz" || got[0].Dims != work.Open[0].Dims || !got[1].Shown || next.Documents.Path() != paths[1] {
		t.Fatalf("documents %+v", got)
	}
	same, _ := next.Documents.Workspace()
	if now, err := json.Marshal(same); err != nil || string(now) != string(data) {
		t.Errorf("the work is\n%s, and was\n%s", now, data)
	}
	next.Documents.Show(0)
	next.settle()
	if !next.Results.Applied() || !next.showsShift(3)() {
		t.Error("the result of the first series is not there")
	}

	// What was opened since gives way if nothing was done on it.
	for _, touched := range []bool{false, true} {
		b := newBenchWith(t, deps)
		b.opens(paths[0])
		if touched {
			b.Tuning.Set(b.tuned(7), true)
			b.settle()
		}
		b.Reader.Restore(again)
		b.settle()
		if got := b.Documents.List(); touched != (len(got) == 3) || len(b.errors) > 0 || b.Documents.Path() != paths[1] {
			t.Errorf("touched %t: errors %v, %d documents, %s", touched, b.errors, len(got), b.Documents.Path())
		}
	}
	next.Documents.Close(0)
	if next.Reader.Restore(workbench.Workspace{}); len(next.Documents.List()) != 1 {
		t.Error("nothing was restored as something")
	}
}

// Memory is returned once nothing of the series that gave way is at work, and again after
// the next measures.
func TestMemoryIsReturned(t *testing.T) {
	var freed atomic.Int64
	b := newBenchWith(t, func(d *desk.Deps) { d.FreeMemory = func() { freed.Add(1) } })
	b.settle()
	paths := written(t, 2)
	for range 3 { // what was read leaves garbage too
		before := freed.Load()
		b.opens(paths...)
		if n := freed.Load() - before; n < 2 || n > 4 {
			t.Errorf("%d times after two series were opened", n)
		}
		before = freed.Load()
		b.Documents.Close(1)
		if freed.Load() != before {
			t.Error("memory is returned before there is another picture")
		}
		b.settle()
		if n := freed.Load() - before; n != 2 {
			t.Errorf("%d times after a series was closed", n)
		}
		before = freed.Load()
		b.Documents.Close(0)
		b.settle()
		if n := freed.Load() - before; n != 1 {
			t.Errorf("%d times after the last series was closed", n)
		}
	}
}

// The first slice of a DICOM series is there while the rest is read.
func TestTheFirstSliceArrives(t *testing.T) {
	c, err := open.Scan(t.Context(), "../../assets/series")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	b.settle()
	b.scan = func(context.Context, string) (*open.Catalog, error) { return c, nil }
	before := b.Series()
	b.Reader.Open("series")
	b.loop.until("the first slice is there", func() bool {
		a := b.Reader.Arriving()
		return a != nil && a.Slice != nil || b.Series() != before
	})
	if a := b.Reader.Arriving(); a != nil && (a.Slice.Bounds().Dx() != 1024 || a.Dims[0] != 512 || a.Meta.Modality != "CT" || b.Series() != before) {
		t.Errorf("arriving: %v of %v", a.Slice.Bounds(), a.Dims)
	}
	b.loop.until("the series has arrived", func() bool { return b.Series() != before && b.Reader.Arriving() == nil })
}

// Slices of a compressed file come while it is read, and of others the middle one; how far
// it is is counted in slices.
func TestSlicesOfNIfTIArrive(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"head.nii", "head.nii.gz"} {
		path := filepath.Join(dir, name)
		if _, err := app.DoOn(t.Context(), app.On{Series: rampSeries(t)}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
			t.Fatal(err)
		}
		b := anotherBench(t)
		b.settle()
		before := b.Series()
		b.Reader.Open(path)
		if b.Reader.Arriving() != nil {
			t.Errorf("%s: it arrives before anything is known of it", name)
		}
		var first *documents.Arriving
		counted := false
		b.loop.until("a slice and the progress are there", func() bool {
			if a := b.Reader.Arriving(); a != nil && a.Slice != nil {
				first = a
			}
			counted = counted || strings.Contains(b.Tasks.Progress().Text, " of 6 slices")
			return first != nil && counted || b.Series() != before
		})
		if !counted {
			t.Errorf("%s: progress in slices was not shown", name)
		}
		if name == "head.nii.gz" {
			if first == nil || first.Dims != before.Volume.Dims || first.Path != path {
				t.Fatalf("%s: arriving %+v", name, first)
			}
			b.Tasks.Cancel()
			if b.Reader.Arriving() != nil {
				t.Errorf("%s: it arrives after the end", name)
			}
			b.settle()
			if b.Reader.Arriving() != nil || b.Series() != before {
				t.Errorf("%s: a cancelled series is open", name)
			}
			continue
		}
		b.settle()
		if b.Reader.Arriving() != nil || b.Series() == before {
			t.Errorf("%s has not arrived", name)
		}
	}
}

// The same files are not opened twice, by whatever path; other ones are, and files that have
// changed on disk.
func TestFilesAreOpenedOnce(t *testing.T) {
	b := newBenchWith(t, keeping(t, 1<<40))
	paths := written(t, 2)
	b.opens(paths...)
	b.applied(3)
	b.Documents.Show(0)
	b.settle()
	expect := func(what string, shown, documents int, message bool) {
		t.Helper()
		b.settle()
		got := b.Documents.List()
		if len(b.errors) > 0 || len(got) != documents || !got[shown].Shown || message != (b.Tasks.Message() == "The series was open already; close it first to read it again.") || b.Tasks.Busy() {
			t.Fatalf("%s: errors %v, message %q, %+v", what, b.errors, b.Tasks.Message(), got)
		}
	}
	b.Reader.Open(paths[1])
	expect("an open series", 1, 2, true)
	if !b.Results.Applied() || b.opened[len(b.opened)-1] != paths[1] {
		t.Error("it is not as it was left")
	}
	b.Reader.Open(paths[1])
	expect("the one that is shown", 1, 2, true)
	t.Chdir(filepath.Dir(paths[0]))
	b.Reader.Open(filepath.Base(paths[0]))
	expect("a relative path", 0, 2, true)
	b.choosing = func(c *open.Catalog, pick func(int), _ func()) { pick(1) }
	b.Reader.Open(filepath.Dir(paths[0]))
	expect("the folder of the file", 1, 2, true)

	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(paths[1], later, later); err != nil {
		t.Fatal(err)
	}
	b.Reader.Open(paths[1])
	expect("a file that has changed", 2, 3, false)
	b.Documents.Close(2)
	b.Reader.Open(paths[1])
	expect("one that is open no more", 2, 3, false)
}

// A series that was put away is read again if it is opened again.
func TestASeriesThatWasPutAwayIsOpenedOnce(t *testing.T) {
	b := newBenchWith(t, keeping(t, 2*size(t)-1))
	paths := written(t, 2)
	b.opens(paths...)
	if !b.Documents.List()[0].Away {
		t.Fatal("the first series is not put away")
	}
	b.opens(paths[0])
	if got := b.Documents.List(); len(b.errors) > 0 || len(got) != 2 || !got[0].Shown || got[0].Away || !strings.Contains(b.Tasks.Message(), "open already") {
		t.Errorf("errors %v, message %q, %+v", b.errors, b.Tasks.Message(), got)
	}
	b.opens(paths[0])
	if got := b.Documents.List(); len(got) != 2 {
		t.Errorf("it is open twice after it was put away: %+v", got)
	}
}
