package ui_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"quell/app/engines"
	"quell/app/job"
	"quell/app/workbench"
	"quell/denoise"
	"quell/series"
	"quell/ui"
	"quell/ui/host"
	"quell/ui/session/documents"
	"quell/ui/viewer"
)

// startAt starts a workbench on dir without a series, as a process of its own would.
func startAt(t *testing.T, dir string, keep bool) *bench {
	t.Helper()
	b := &bench{t: t, app: test.NewTempApp(t), queue: make(chan func(), 1000)}
	engine, err := engines.Pick("cpu")
	if err != nil {
		t.Fatal(err)
	}
	settings := workbench.DefaultSettings()
	settings.KeepRecent = keep
	b.workbench = ui.New(b.app, host.Options{
		Settings: settings, AutosaveDir: dir, Engine: engine,
		Bundled: func(context.Context) (*series.Series, error) { return head(), nil },
		Do:      func(f func()) { b.queue <- f },
	})
	t.Cleanup(b.workbench.Close)
	return b
}

func (b *bench) openBundled() {
	b.t.Helper()
	b.workbench.OpenBundled()
	b.until("the series is open", func() bool { return b.session().Series() != nil })
}

// savedWork returns the saved states of work below dir.
func savedWork(t *testing.T, dir string) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "work.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(data))
	}
	return all
}

// What was open when a process ended by itself is offered by the next, with its
// results; an orderly end leaves nothing behind.
func TestTheNextStartOffersTheWork(t *testing.T) {
	dir := t.TempDir()
	b := startAt(t, dir, true)
	b.workbench.OfferRestore()
	if b.question() != "" {
		t.Fatalf("without earlier work the question is %q", b.question())
	}
	b.openBundled()
	b.session().Results.Apply()
	b.until("the volume is filtered and saved", func() bool {
		w, _ := b.session().Documents.Workspace()
		return len(w.Open) == 1 && len(w.Open[0].Runs) == 1
	})
	b.command("layout-2×2").Run()
	b.command("compare-checkerboard").Run()
	b.state().ShowVoxel([3]int{3, 4, 2})
	b.state().SetShare(0.25)
	b.command("strip").Run()
	b.state().Cut().SetIndex(5)
	b.until("the view is saved", func() bool {
		saved := savedWork(t, dir)
		return len(saved) == 1 && strings.Contains(saved[0], `"index": 5`) && strings.Contains(saved[0], "run-1.f32")
	})
	b.workbench.Close() // as a signal does

	b = startAt(t, dir, true)
	b.workbench.OfferRestore()
	if q := b.question(); !strings.Contains(q, "closed by the system") || !strings.Contains(q, "the bundled series") || !strings.Contains(q, "7 slices") || !strings.Contains(q, "a result that was not exported") {
		t.Fatalf("the question is %q", q)
	}
	b.key(fyne.KeyEscape) // not now
	b.workbench.Close()
	if !strings.Contains(savedWork(t, dir)[0], `"orderly": true`) {
		t.Error("work that was not opened again is no longer offered as it was")
	}

	b = startAt(t, dir, true)
	b.workbench.OfferRestore()
	b.press(fyne.KeyReturn) // the question's first choice
	b.until("the work is open", func() bool { return b.session().Series() != nil })
	if !b.session().Results.Applied() || b.state().Cut().Index() != 5 || len(b.session().Results.List()) != 1 {
		t.Errorf("slice %d, %d results", b.state().Cut().Index(), len(b.session().Results.List()))
	}
	voxel, crosshair := b.state().Crosshair()
	if c := b.state().Comparison(); !b.command("layout-2×2").Checked() || b.command("strip").Checked() || c.Mode != viewer.Checkerboard || c.Share != 0.25 || !crosshair || voxel != [3]int{3, 4, 5} {
		t.Errorf("comparison %+v, crosshair %v: %t; want layout, comparison and crosshair as they were", c, voxel, crosshair)
	}
	b.state().Cut().SetIndex(2)
	b.until("the work is saved from then on", func() bool {
		saved := savedWork(t, dir)
		return len(saved) == 1 && strings.Contains(saved[0], `"index": 2`)
	})
	b.drain()
	b.workbench.Quit()
	b.tap("Discard")
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%d folders are left after an orderly end", len(left))
	}
}

// A result whose exported files were replaced before the next start is no longer called exported.
func TestAReplacedExportIsSeenAfterACrash(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out.nii")
	b := startAt(t, dir, true)
	b.openBundled()
	b.session().Results.Apply()
	b.until("the volume is filtered and saved", func() bool {
		w, _ := b.session().Documents.Workspace()
		return len(w.Open) == 1 && len(w.Open[0].Runs) == 1
	})
	b.session().Exports.Write(out, job.Options{}, func(job.Written) {})
	b.until("the export is saved", func() bool {
		saved := savedWork(t, dir)
		return len(saved) == 1 && strings.Contains(saved[0], "out.nii")
	})
	b.workbench.Close()
	state := func() documents.DocumentState {
		b = startAt(t, dir, true)
		b.workbench.OfferRestore()
		b.press(fyne.KeyReturn)
		b.until("the work is open", func() bool { return b.session().Series() != nil })
		b.session().Wait() // for the look at the files
		b.drain()
		return b.session().Documents.List()[0].State
	}
	if got := state(); got != documents.Exported {
		t.Errorf("with the export the state is %v", got)
	}
	b.workbench.Close()
	if err := os.WriteFile(out, []byte("another patient"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != documents.Unexported {
		t.Errorf("with another export in its place the state is %v", got)
	}
}

// A run in progress at the end is named by the next start, once.
func TestARunThatWasNotFinishedIsNamed(t *testing.T) {
	dir := t.TempDir()
	b := startAt(t, dir, true)
	b.openBundled()
	b.session().Results.Apply()
	b.workbench.Close() // the answer of the run still waits
	if s := savedWork(t, dir); len(s) != 1 || !strings.Contains(s[0], `"running": {`) {
		t.Fatalf("saved is %q", s)
	}

	b = startAt(t, dir, true)
	b.workbench.OfferRestore()
	if q := b.question(); !strings.Contains(q, "open (7 slices). A run on the bundled series was not finished: nlm ") {
		t.Fatalf("the question is %q", q)
	}
	b.press(fyne.KeyReturn)
	b.until("the work is open", func() bool { return b.session().Series() != nil })
	b.session().Tuning.Set(b.session().Tuning.Recipe().With("search-radius", denoise.Number(2)), true)
	b.until("the work is saved without the run", func() bool {
		s := savedWork(t, dir)
		return len(s) == 1 && strings.Contains(s[0], `"search-radius": 2`) && !strings.Contains(s[0], "running")
	})
}

// The answers of a blind comparison outlive its process, and are not saved twice.
func TestBlindAnswersAreKept(t *testing.T) {
	dir := t.TempDir()
	b := startAt(t, dir, true)
	b.openBundled()
	b.session().Results.Apply()
	b.until("the volume is filtered", b.session().Results.Applied)
	b.command("compare-blind").Run()
	b.press(fyne.KeyReturn)
	b.press(fyne.Key1)
	b.press(fyne.Key3)
	answers := b.workbench.Answered()
	b.until("the answers are saved", func() bool {
		s := savedWork(t, dir)
		return len(answers) == 2 && len(s) == 1 && strings.Count(s[0], `"answer":`) == 2
	})
	b.workbench.Close()

	b = startAt(t, dir, true)
	b.workbench.OfferRestore()
	if q := b.question(); !strings.Contains(q, "answers of a blind comparison") {
		t.Fatalf("the question is %q", q)
	}
	b.press(fyne.KeyReturn)
	b.until("the work is open", func() bool { return b.session().Series() != nil })
	if q := b.question(); !strings.Contains(q, "2 of 20 trials") {
		t.Fatalf("the result reads %q", q)
	}
	b.tap("Discard")
	b.until("the answers are gone", func() bool {
		s := savedWork(t, dir)
		return len(s) == 1 && !strings.Contains(s[0], `"answer":`)
	})
}

// Work that was not saved at an orderly end is the work of a crash.
func TestACrashIsNamed(t *testing.T) {
	dir := t.TempDir()
	b := startAt(t, dir, true)
	b.openBundled()
	b.session().Tuning.Set(b.session().Tuning.Recipe().With("search-radius", denoise.Number(2)), true)
	b.until("the work is saved", func() bool { return len(savedWork(t, dir)) == 1 })
	crashed := savedWork(t, dir)[0]
	b.workbench.Close()
	files, _ := filepath.Glob(filepath.Join(dir, "*", "work.json"))
	if err := os.WriteFile(files[0], []byte(crashed), 0o600); err != nil {
		t.Fatal(err)
	}
	b = startAt(t, dir, true)
	b.workbench.OfferRestore()
	if q := b.question(); !strings.Contains(q, "was not closed properly") {
		t.Errorf("the question is %q", q)
	}
}

// The answer Discard removes the work; settings that keep no paths keep none.
func TestWorkThatIsNotWantedIsRemoved(t *testing.T) {
	dir := t.TempDir()
	leave := func() {
		b := startAt(t, dir, true)
		b.openBundled()
		b.session().Tuning.Set(b.session().Tuning.Recipe().With("search-radius", denoise.Number(2)), true)
		b.until("the work is saved", func() bool { return len(savedWork(t, dir)) == 1 })
		b.workbench.Close()
	}
	leave()
	b := startAt(t, dir, true)
	b.workbench.OfferRestore()
	b.tap("Discard")
	b.workbench.Quit()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("after Discard %d folders are left", len(left))
	}
	leave()
	b = startAt(t, dir, false)
	b.workbench.OfferRestore()
	if b.question() != "" {
		t.Errorf("where no paths are kept the question is %q", b.question())
	}
	b.openBundled()
	b.drain()
	b.workbench.Close()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("where no paths are kept %d folders are", len(left))
	}
	b = startAt(t, dir, true)
	b.openBundled()
	b.session().Tuning.Set(b.session().Tuning.Recipe().With("search-radius", denoise.Number(2)), true)
	b.until("the work is saved", func() bool { return len(savedWork(t, dir)) == 1 })
	b.command("keep-paths").Run()
	if len(savedWork(t, dir)) != 0 {
		t.Error("work is kept after paths are no longer")
	}
}

// TestWorkOfAProcessThatIsEndingIsOffered: the start finds the lock of a process held that the system
// is ending, and asks as soon as it is free.
func TestWorkOfAProcessThatIsEndingIsOffered(t *testing.T) {
	dir := t.TempDir()
	ending, err := workbench.NewAutosave(dir)
	if err != nil {
		t.Fatal(err)
	}
	recipe, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := ending.Save(workbench.Workspace{Open: []workbench.SavedSeries{{Name: "HEAD", Recipe: recipe}}}); err != nil {
		t.Fatal(err)
	}
	b := startAt(t, dir, true)
	b.workbench.OfferRestore()
	if q := b.question(); q != "" {
		t.Fatalf("beside a process that runs the question is %q", q)
	}
	ending.Release() // as the end of a process does
	b.until("the work is offered", func() bool { return strings.Contains(b.question(), "the bundled series") })
}
