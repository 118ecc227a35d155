package workbench

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"time"

	"quell/app/apptest"
	"quell/app/files"
	"quell/app/run"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// finished is a run over the whole of s with a result that differs from it.
func finished(s *series.Series) *run.Run {
	r := &run.Run{
		Recipe: apptest.MustRecipe("median", 2), Resolved: apptest.MustRecipe("median", 2), Engine: denoise.Info{Name: "cpu"},
		Source: s, Region: s.Volume.Bounds(), Result: s.Volume.Clone(), Started: time.Unix(5, 0).UTC(), Filter: time.Second,
	}
	r.Result.Data[1] += 2
	return r
}

func saved(t *testing.T, a *Autosave, run *run.Run) SavedRun {
	t.Helper()
	s, ok, err := a.SaveRun(t.Context(), run)
	if err != nil || !ok {
		t.Fatalf("the run was not saved: %v", err)
	}
	return s
}

// A run over a 4-D series follows a map of its own, which is not that of the volume.
func TestRecordOfAMap(t *testing.T) {
	r := finished(apptest.Wavy(16, 12, 8))
	r.Maps.Noise = r.Result
	for filter, mapped := range map[string]bool{"median": true, "lowrank": false} {
		if r.Recipe.Filter = filter; RecordOf(r).Mapped != mapped {
			t.Errorf("%s: mapped %v", filter, !mapped)
		}
	}
}

// The work of a process that ended without a word is there for the next one, and once.
func TestWorkOutlivesItsProcess(t *testing.T) {
	root := filepath.Join(t.TempDir(), "below", "autosave")
	if a, _ := Abandoned(root, time.Now()); a != nil {
		t.Fatal("there is work where nothing was saved")
	}
	a, err := NewAutosave(root)
	if err != nil {
		t.Fatal(err)
	}
	s := apptest.Wavy(16, 12, 8)
	run := finished(s)
	work := Workspace{Shown: 1, Open: []SavedSeries{
		{Path: "/data/other", Dims: [3]int{1, 2, 3}, Recipe: run.Recipe, Runs: []SavedRun{saved(t, a, run)}},
		{Path: "/data/head", Entry: 2, Name: "HEAD", Dims: s.Volume.Dims, Recipe: run.Recipe, View: []byte("{}"), Runs: []SavedRun{saved(t, a, run)}},
	}}
	if err := a.Save(work); err != nil {
		t.Fatal(err)
	}
	if other, _ := Abandoned(root, time.Now()); other != nil {
		t.Fatal("the work of a process that runs is taken for abandoned")
	}
	a.Release() // as the end of a process does
	if err := a.Save(Workspace{Open: []SavedSeries{{Recipe: run.Recipe}}}); err != nil {
		t.Fatal(err)
	}
	next, found := Abandoned(root, time.Now())
	if next == nil || !reflect.DeepEqual(found, work) {
		t.Fatalf("found %+v; want %+v", found, work)
	}
	runs := found.runs()
	got, err := next.LoadRun(t.Context(), runs[1], s)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, run) {
		t.Errorf("the run is %+v; want %+v", got, run)
	}
	// A further result does not take the name of one that is there.
	if s := saved(t, next, run); s.File == runs[0].File || s.File == runs[1].File {
		t.Error("a result is overwritten")
	}
	if err := next.Remove(); err != nil {
		t.Fatal(err)
	}
	if again, _ := Abandoned(root, time.Now()); again != nil || files.Exists(next.dir) {
		t.Error("work that was removed is found again")
	}
}

// A file of a result lives as long as the saved work names it, and one that is not
// named yet stays.
func TestResultsGoWithTheirWork(t *testing.T) {
	a, err := NewAutosave(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Remove()
	run := finished(apptest.Wavy(8, 8, 4))
	first, second := saved(t, a, run), saved(t, a, run)
	save := func(runs ...SavedRun) {
		t.Helper()
		if err := a.Save(Workspace{Open: []SavedSeries{{Recipe: run.Recipe, Runs: runs}, {Recipe: run.Recipe}}}); err != nil {
			t.Fatal(err)
		}
	}
	there := func(r SavedRun) bool { return files.Exists(filepath.Join(a.dir, r.File)) }
	save(first)
	if !there(first) || !there(second) {
		t.Fatal("a result was removed that was named, or not yet")
	}
	save(second)
	if there(first) || !there(second) {
		t.Error("want the result gone that is named no more, and only that")
	}
	if info, err := os.Stat(filepath.Join(a.dir, workName)); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the work can be read by others: %v, %v", info.Mode(), err)
	}
}

// What cannot be restored to the bit is refused or not kept.
func TestOnlyWholeResultsOfTheSameVoxelsAreLoaded(t *testing.T) {
	a, err := NewAutosave(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Remove()
	s := apptest.Wavy(8, 8, 4)
	done := finished(s)
	r := saved(t, a, done)
	other := apptest.Wavy(8, 8, 4)
	other.Volume.Data[0]++
	if _, err := a.LoadRun(t.Context(), r, other); err == nil {
		t.Error("a result of other voxels was loaded")
	}
	outside := r
	outside.File = filepath.Join("..", r.File)
	if _, err := a.LoadRun(t.Context(), outside, s); err == nil {
		t.Error("a file outside the folder was read")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.LoadRun(ctx, r, s); !errors.Is(err, context.Canceled) {
		t.Errorf("loading after a cancel: %v", err)
	}
	if _, _, err := a.SaveRun(ctx, done); !errors.Is(err, context.Canceled) {
		t.Errorf("saving after a cancel: %v", err)
	}
	if err := os.Truncate(filepath.Join(a.dir, r.File), int64(4*s.Volume.Voxels()-4)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.LoadRun(t.Context(), r, s); err == nil {
		t.Error("a result that is cut short was loaded")
	}
	steered := finished(s)
	steered.Maps.Noise = s.Volume // of a file
	masked := finished(s)
	masked.Maps.Mask = make([]bool, s.Volume.Voxels())
	part := finished(s)
	part.Region.Max[2]--
	for what, run := range map[string]*run.Run{"steered": steered, "masked": masked, "partial": part} {
		if _, ok, err := a.SaveRun(t.Context(), run); ok || err != nil {
			t.Errorf("a %s run was saved: %v", what, err)
		}
	}
	huge := finished(s)
	huge.Result = &volume.Volume{Geometry: volume.NewGeometry([3]int{maxAutosave / 4, 1, 1}, [3]float64{1, 1, 1})}
	if _, ok, err := a.SaveRun(t.Context(), huge); ok || err != nil {
		t.Errorf("a result beyond the limit was saved: %v", err)
	}
	a.Release()
	if _, ok, err := a.SaveRun(t.Context(), done); ok || err != nil {
		t.Errorf("a result was saved after the end: %v", err)
	}
}

// The newest work is offered; damaged and old work is removed.
func TestTheNewestWorkIsOffered(t *testing.T) {
	root := t.TempDir()
	now := time.Now()
	at := func(name string, age time.Duration) string {
		t.Helper()
		a, err := NewAutosave(root)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Save(Workspace{Open: []SavedSeries{{Name: name, Recipe: apptest.MustRecipe("median", 2)}}}); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(a.dir, workName), now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
		a.Release()
		return a.dir
	}
	damaged := at("damaged", 0)
	if err := os.WriteFile(filepath.Join(damaged, workName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	invalid := at("invalid", 0)
	if err := os.WriteFile(filepath.Join(invalid, workName), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	unknown := at("unknown", 0)
	if err := os.WriteFile(filepath.Join(unknown, workName), []byte(`{"open": [{"recipe": {"filter": "none"}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	older := at("older", keepAbandoned-time.Minute)
	at("newest", time.Hour)
	expired := at("expired", keepAbandoned+time.Minute)
	a, work := Abandoned(root, now)
	if a == nil || work.Open[0].Name != "newest" {
		t.Fatalf("the work is %+v", work)
	}
	defer a.Remove()
	for _, dir := range []string{damaged, invalid, unknown, expired} {
		if files.Exists(dir) {
			t.Errorf("%s is still there", dir)
		}
	}
	second, work := Abandoned(root, now)
	if second == nil || work.Open[0].Name != "older" || second.dir != older {
		t.Errorf("after it comes %+v", work)
	}
}

// dyingVariable names the folder in which another process keeps its work.
const dyingVariable = "QUELL_TEST_AUTOSAVE"

// TestWorkOfAProcessThatIsDying kills a process with much memory: its lock is held until the system
// has that back, and then its work is found. Beside a process that lives nothing is.
func TestWorkOfAProcessThatIsDying(t *testing.T) {
	recipe := finished(apptest.Wavy(4, 4, 3)).Recipe
	if root := os.Getenv(dyingVariable); root != "" {
		a, err := NewAutosave(root)
		if err == nil {
			err = a.Save(Workspace{Open: []SavedSeries{{Name: "HEAD", Recipe: recipe}}})
		}
		if err != nil {
			t.Fatal(err)
		}
		memory := make([]byte, 512<<20)
		for i := 0; i < len(memory); i += 4096 {
			memory[i] = 1
		}
		os.Stdout.WriteString("saved\n")
		time.Sleep(time.Hour) // until it is killed
		runtime.KeepAlive(memory)
		runtime.KeepAlive(a) // with its lock
	}
	root := t.TempDir()
	process := exec.Command(os.Args[0], "-test.run=^TestWorkOfAProcessThatIsDying$")
	process.Env = append(os.Environ(), dyingVariable+"="+root)
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "saved\n" {
		t.Fatalf("%q, %v", line, err)
	}
	running := Running(root)
	if a, _ := Abandoned(root, time.Now()); a != nil || len(running) != 1 {
		t.Fatalf("of a process that lives: work %v, running %q", a != nil, running)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if a, _ := Await(stopped, running, time.Now); a != nil {
		t.Error("the work of a process that lives is taken")
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	a, work := Await(t.Context(), running, time.Now)
	if a == nil || len(work.Open) != 1 || work.Open[0].Name != "HEAD" {
		t.Errorf("the work is %+v", work)
	}
	_ = process.Wait() // it was killed
	if a != nil {
		if err := a.Remove(); err != nil {
			t.Error(err)
		}
	}
	if a, _ := Await(t.Context(), running, time.Now); a != nil {
		t.Error("work that was removed is found")
	}
}
