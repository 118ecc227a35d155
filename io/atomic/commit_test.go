package atomic

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// output is one that the tests write twice.
type output struct {
	name       string
	target     string
	companions []string
	files      []string // of target and companions, below the parent
	inside     bool     // the target is a folder that stays, with its companions in it
}

// home returns the folder of the output's stage.
func (o output) home(parent string) string {
	if o.inside {
		return filepath.Join(parent, o.target)
	}
	return parent
}

// begin makes the output's stage, and the folder of one that stays.
func (o output) begin(t *testing.T, parent string, fsys fileSystem) *Stage {
	t.Helper()
	target := filepath.Join(parent, o.target)
	if o.inside {
		if err := os.MkdirAll(target, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s, err := open(target, target, o.inside, fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.make(t, s.Dir(), "new")
	if o.inside {
		for _, c := range o.companions {
			if err := os.Rename(filepath.Join(s.Path(o.target), c), s.Path(c)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

var outputs = []output{
	{"a file", "brain.nii", nil, []string{"brain.nii"}, false},
	{"a file with its record", "brain.nii", []string{"brain.nii.json"}, []string{"brain.nii", "brain.nii.json"}, false},
	{"a pair with its record", "brain.hdr", []string{"brain.hdr.json", "brain.img"}, []string{"brain.hdr", "brain.hdr.json", "brain.img"}, false},
	{"a folder", "series", nil, []string{"series/1.dcm", "series/2.dcm"}, false},
	{"a folder with its record", "series", []string{"series.json"}, []string{"series.json", "series/1.dcm", "series/2.dcm"}, false},
	{"a folder that stays", "series", nil, []string{"series/1.dcm", "series/2.dcm", "series/more/3.dcm"}, true},
	{"a folder that stays with its record", "series", []string{"a.json"}, []string{"series/1.dcm", "series/2.dcm", "series/a.json"}, true},
}

// written returns what tree lists of the output with that content.
func (o output) written(content string) []string {
	var files []string
	for _, f := range o.files {
		files = append(files, f+"="+content+" "+f)
	}
	slices.Sort(files)
	return files
}

// make writes the output's files below dir.
func (o output) make(t *testing.T, dir, content string) {
	t.Helper()
	for _, f := range o.files {
		put(t, filepath.Join(dir, f), content+" "+f)
	}
}

// systems are the file systems that commits have to work on.
var systems = map[string]func() *faultyDisk{
	"with atomic exchange": unsynced,
	"without":              func() *faultyDisk { return &faultyDisk{failAt: -1, noExchange: true, noLink: true} },
}

// forEachStep calls test for every output, on every file system, with an earlier
// output and without one, and for every step of the commit. stage is ready to
// commit; disk fails at that step once failAt is set to it.
func forEachStep(t *testing.T, test func(t *testing.T, o output, hasOld bool, parent string, d *faultyDisk, stage *Stage, step int)) {
	for _, o := range outputs {
		for system, newDisk := range systems {
			for _, hasOld := range []bool{false, true} {
				for step, steps := 0, 1; step < steps; step++ {
					t.Run(fmt.Sprintf("%s/%s/earlier %v/step %d", o.name, system, hasOld, step), func(t *testing.T) {
						parent := t.TempDir()
						if hasOld {
							o.make(t, parent, "old")
						}
						d := newDisk()
						stage := o.begin(t, parent, d)
						if step == 0 { // count them on a commit that succeeds
							d.steps = 0
							if err := stage.Commit(t.Context(), o.companions...); err != nil {
								t.Fatal(err)
							}
							steps = d.steps
							stage.Close()
							if got := tree(t, parent); !slices.Equal(got, o.written("new")) {
								t.Fatalf("after a commit: %q", got)
							}
							os.RemoveAll(filepath.Join(parent, o.target))
							for _, c := range o.companions {
								os.Remove(filepath.Join(parent, c))
							}
							if hasOld {
								o.make(t, parent, "old")
							}
							stage = o.begin(t, parent, d)
						}
						d.steps = 0
						test(t, o, hasOld, parent, d, stage, step)
					})
				}
			}
		}
	}
}

func TestErrorAtEveryStepKeepsTheEarlierOutput(t *testing.T) {
	forEachStep(t, func(t *testing.T, o output, hasOld bool, parent string, d *faultyDisk, stage *Stage, step int) {
		d.failAt = step
		err := stage.Commit(t.Context(), o.companions...)
		stage.Close()
		var want []string
		switch {
		case err == nil: // the step has another way of doing it
			want = o.written("new")
		case hasOld:
			want = o.written("old")
		}
		if got := tree(t, parent); !slices.Equal(got, want) {
			t.Errorf("after error %v: %q, want %q", err, got, want)
		}
		var worded *Error
		if err != nil && (!errors.As(err, &worded) || !errors.Is(err, errInjected) || strings.Contains(err.Error(), prefix)) {
			t.Errorf("error %v", err)
		}
	})
}

func TestCrashAtEveryStepIsRecovered(t *testing.T) {
	forEachStep(t, func(t *testing.T, o output, hasOld bool, parent string, d *faultyDisk, stage *Stage, step int) {
		d.failAt, d.crash = step, true
		err := stage.Commit(t.Context(), o.companions...)
		stage.Close()
		_ = stage.lock.Close() // which ends with the process

		// At once: no companion lies next to a target that it does not belong to,
		// and a target is missing only if it cannot be exchanged.
		left := stages(t, o.home(parent))
		files := slices.DeleteFunc(tree(t, parent), func(f string) bool { return f == "hidden" })
		for _, content := range []string{"old", "new"} {
			if !slices.ContainsFunc(files, func(f string) bool { return !slices.Contains(o.written(content), f) }) {
				files = nil
			}
		}
		if files != nil {
			t.Errorf("a mixture after the crash: %q", files)
		}
		if _, missing := os.Lstat(filepath.Join(parent, o.target)); missing != nil && hasOld && !d.noExchange {
			t.Error("the target is missing after the crash")
		}

		// A later writer on another machine, or without locks, leaves the stage alone until its lease
		// has expired; one on this machine knows that its owner has ended.
		if step%2 == 0 || boot() == "" {
			for _, s := range left {
				put(t, filepath.Join(s, leaseName), string(leaseOf(false)))
			}
			next := beginOn(t, filepath.Join(o.home(parent), "next"), unsynced())
			next.Close()
			if got := stages(t, o.home(parent)); !slices.Equal(got, left) {
				t.Fatalf("stages %q became %q", left, got)
			}
			for _, s := range left {
				age(t, s, 2*leaseExpiry)
			}
		}
		next := beginOn(t, filepath.Join(o.home(parent), "next"), unsynced())
		next.Close()
		got := tree(t, parent)
		whole := slices.Equal(got, o.written("new")) || hasOld && slices.Equal(got, o.written("old")) || !hasOld && len(got) == 0
		if !whole || err == nil && !slices.Equal(got, o.written("new")) {
			t.Errorf("recovered %q", got)
		}
	})
}

// TestEverythingIsSyncedBeforeTheFirstRename checks the order of the steps: files and
// their folders, the journal, the renames, and the folder of the target.
func TestEverythingIsSyncedBeforeTheFirstRename(t *testing.T) {
	parent := t.TempDir()
	o := outputs[4]
	o.make(t, parent, "old")
	d := unsynced()
	s := beginOn(t, filepath.Join(parent, o.target), d)
	defer s.Close()
	o.make(t, s.Dir(), "new")
	d.done = nil
	if err := s.Commit(t.Context(), o.companions...); err != nil {
		t.Fatal(err)
	}
	synced := d.done[1:6] // in parallel
	slices.Sort(synced)
	in := s.Dir()
	want := []string{
		"rewrite " + filepath.Join(s.dir, leaseName),
		"sync " + in, "sync " + in + "/series", "sync " + in + "/series.json", "sync " + in + "/series/1.dcm", "sync " + in + "/series/2.dcm",
		"create " + filepath.Join(s.dir, journalName), "sync " + s.dir,
		"rename " + filepath.Join(s.dir, oldName, "series.json"),
		"exchange " + filepath.Join(parent, "series"),
		"rename " + filepath.Join(parent, "series.json"),
		"sync " + parent,
	}
	if !slices.Equal(d.done, want) {
		t.Errorf("steps\n%s\nwant\n%s", strings.Join(d.done, "\n"), strings.Join(want, "\n"))
	}
}

func TestRecoveryKeepsWhatWasWrittenSince(t *testing.T) {
	for name, since := range map[string]func(t *testing.T, parent string){
		"another target": func(t *testing.T, parent string) { put(t, filepath.Join(parent, "brain.nii"), "since") },
		"both": func(t *testing.T, parent string) {
			put(t, filepath.Join(parent, "brain.nii"), "since")
			put(t, filepath.Join(parent, "brain.nii.json"), "since")
		},
		"the target deleted":  func(t *testing.T, parent string) { os.Remove(filepath.Join(parent, "brain.nii")) },
		"a companion of ours": func(t *testing.T, parent string) { put(t, filepath.Join(parent, "brain.nii.json"), "since") },
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			o := outputs[1]
			o.make(t, parent, "old")
			d := unsynced()
			s := beginOn(t, filepath.Join(parent, o.target), d)
			o.make(t, s.Dir(), "new")
			// Killed after the new target took its place, before its record did.
			d.failAt, d.crash, d.steps = 9, true, 0
			if err := s.Commit(t.Context(), o.companions...); err == nil {
				t.Fatal("the commit was to fail")
			}
			if got := tree(t, parent); !slices.Equal(got, []string{"brain.nii=new brain.nii", "hidden"}) {
				t.Fatalf("after the crash: %q", got)
			}
			since(t, parent)
			want := slices.DeleteFunc(tree(t, parent), func(f string) bool { return f == "hidden" })
			age(t, s.dir, 2*leaseExpiry)
			next := beginOn(t, filepath.Join(parent, "next"), disk{})
			next.Close()
			if got := tree(t, parent); !slices.Equal(got, want) {
				t.Errorf("%q became %q", want, got)
			}
		})
	}
}

func TestCommitRemovesCompanionsOfTheEarlierOutput(t *testing.T) {
	parent := t.TempDir()
	outputs[1].make(t, parent, "old")
	s := beginOn(t, filepath.Join(parent, "brain.nii"), disk{})
	defer s.Close()
	put(t, s.Path("brain.nii"), "new")
	if err := s.Commit(t.Context(), "brain.nii.json"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got := tree(t, parent); !slices.Equal(got, []string{"brain.nii=new"}) {
		t.Errorf("files %q", got)
	}
}

func TestCancelledCommitKeepsTheEarlierOutput(t *testing.T) {
	parent := t.TempDir()
	o := outputs[4]
	o.make(t, parent, "old")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := beginOn(t, filepath.Join(parent, o.target), disk{})
	o.make(t, s.Dir(), "new")
	if err := s.Commit(ctx, o.companions...); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	s.Close()
	if got := tree(t, parent); !slices.Equal(got, o.written("old")) {
		t.Errorf("files %q", got)
	}
}

// cancellingDisk cancels a context as the journal is synced, the last step that nothing
// outside the stage sees.
type cancellingDisk struct {
	*faultyDisk
	at     string
	cancel context.CancelFunc
}

func (d *cancellingDisk) Sync(path string) error {
	if path == d.at {
		d.cancel()
	}
	return d.faultyDisk.Sync(path)
}

func TestCancelAfterTheJournalKeepsTheEarlierOutput(t *testing.T) {
	parent := t.TempDir()
	o := outputs[4]
	o.make(t, parent, "old")
	ctx, cancel := context.WithCancel(t.Context())
	d := &cancellingDisk{faultyDisk: unsynced(), cancel: cancel}
	s := beginOn(t, filepath.Join(parent, o.target), d)
	o.make(t, s.Dir(), "new")
	d.at = s.dir
	if err := s.Commit(ctx, o.companions...); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	s.Close()
	if got := tree(t, parent); !slices.Equal(got, o.written("old")) {
		t.Errorf("files %q", got)
	}
}

// TestLinksInAStageAreNotFollowed commits a folder with a link to nothing, which cannot
// be synced.
func TestLinksInAStageAreNotFollowed(t *testing.T) {
	parent := t.TempDir()
	s := beginOn(t, filepath.Join(parent, "out"), disk{})
	defer s.Close()
	put(t, filepath.Join(s.Path("out"), "x"), "new")
	if err := os.Symlink("gone", filepath.Join(s.Path("out"), "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got := tree(t, parent); !slices.Equal(got, []string{"out/link=a link", "out/x=new"}) {
		t.Errorf("files %q", got)
	}
}

func TestCommitOfNothingKeepsTheEarlierOutput(t *testing.T) {
	parent := t.TempDir()
	put(t, filepath.Join(parent, "out"), "old")
	s := beginOn(t, filepath.Join(parent, "out"), unsynced())
	err := s.Commit(t.Context())
	s.Close()
	var worded *Error
	if !errors.As(err, &worded) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if got := tree(t, parent); !slices.Equal(got, []string{"out=old"}) {
		t.Errorf("files %q", got)
	}
}

func TestCommitRefusesAnotherKindOfFile(t *testing.T) {
	parent := t.TempDir()
	put(t, filepath.Join(parent, "folder", "x"), "x")
	put(t, filepath.Join(parent, "file"), "x")
	if err := os.Symlink("folder", filepath.Join(parent, "link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	before := tree(t, parent)
	for _, c := range []struct {
		target string
		folder bool
		want   string
	}{
		{"file", true, "is a file"}, {"folder", false, "is a folder"}, {"link", true, "symbolic link"},
	} {
		s := beginOn(t, filepath.Join(parent, c.target), disk{})
		if c.folder {
			put(t, filepath.Join(s.Path(c.target), "new"), "new")
		} else {
			put(t, s.Path(c.target), "new")
		}
		if err := s.Commit(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.target, err)
		}
		s.Close()
		// The same as a companion.
		s = beginOn(t, filepath.Join(parent, "other"), disk{})
		put(t, s.Path("other"), "new")
		if c.target == "folder" {
			put(t, s.Path("folder"), "new")
			if err := s.Commit(t.Context(), "folder"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s as a companion: error %v", c.target, err)
			}
		}
		s.Close()
	}
	if got := tree(t, parent); !slices.Equal(got, before) {
		t.Errorf("%q became %q", before, got)
	}
}

// goneDisk loses its folder at the last step of a commit, so that nothing can be
// undone, and takes it back after that.
type goneDisk struct {
	*faultyDisk
	parent string
	gone   atomic.Bool // files are synced in parallel
}

func (d *goneDisk) Sync(path string) error {
	if path == d.parent {
		d.gone.Store(true)
	}
	if d.gone.Load() {
		return errInjected
	}
	return nil
}

func (d *goneDisk) Rename(from, to string) error {
	if d.gone.Load() {
		return errInjected
	}
	return d.faultyDisk.Rename(from, to)
}

func TestCommitThatCannotBeUndoneIsKeptForRecovery(t *testing.T) {
	parent := t.TempDir()
	o := outputs[1]
	o.make(t, parent, "old")
	s := beginOn(t, filepath.Join(parent, o.target), &goneDisk{faultyDisk: unsynced(), parent: parent})
	o.make(t, s.Dir(), "new")
	err := s.Commit(t.Context(), o.companions...)
	if err == nil || !errors.Is(err, errInjected) || !strings.Contains(err.Error(), "could not be put back") ||
		!strings.Contains(err.Error(), filepath.Base(s.dir)) {
		t.Errorf("error %v", err)
	}
	s.Close()
	if got := stages(t, parent); !slices.Equal(got, []string{s.dir}) {
		t.Fatalf("stages %q, want %q", got, s.dir)
	}
	age(t, s.dir, 2*leaseExpiry)
	next := beginOn(t, filepath.Join(parent, "next"), unsynced())
	next.Close()
	if got := tree(t, parent); !slices.Equal(got, o.written("new")) {
		t.Errorf("recovered %q", got)
	}
}
