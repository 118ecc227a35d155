package atomic

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// staying is an output in a folder that stays.
var staying = outputs[len(outputs)-1]

// TestACompanionInsideMeansThatAllIsThere: a record is in the folder only with the whole
// of its series, at every step.
func TestACompanionInsideMeansThatAllIsThere(t *testing.T) {
	parent := t.TempDir()
	staying.make(t, parent, "old")
	d := &watchingDisk{faultyDisk: unsynced(), look: func() {
		got := slices.DeleteFunc(tree(t, parent), func(f string) bool { return f == "hidden" })
		if slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, "a.json") }) && len(got) != len(staying.files) {
			t.Errorf("a record beside a part: %q", got)
		}
	}}
	s := staying.begin(t, parent, d)
	defer s.Close()
	if err := s.Commit(t.Context(), staying.companions...); err != nil {
		t.Fatal(err)
	}
	if d.looks < 6 {
		t.Errorf("%d renames", d.looks)
	}
}

// watchingDisk looks after every rename.
type watchingDisk struct {
	*faultyDisk
	look  func()
	looks int
}

func (d *watchingDisk) Rename(from, to string) error {
	err := d.faultyDisk.Rename(from, to)
	d.looks++
	d.look()
	return err
}

// TestRecoveryInsideKeepsWhatWasWrittenSince kills a commit when the earlier entries are
// out and one new entry is in.
func TestRecoveryInsideKeepsWhatWasWrittenSince(t *testing.T) {
	for name, c := range map[string]struct {
		since func(t *testing.T, out string)
		want  []string // nil: as it was before the recovery
	}{
		"nothing":           {func(*testing.T, string) {}, staying.written("new")},
		"a file of another": {func(t *testing.T, out string) { put(t, filepath.Join(out, "letter"), "x") }, append(staying.written("new"), "series/letter=x")},
		"an entry changed":  {func(t *testing.T, out string) { put(t, filepath.Join(out, "1.dcm"), "since") }, nil},
		"an entry written":  {func(t *testing.T, out string) { put(t, filepath.Join(out, "2.dcm"), "since") }, nil},
		"an entry removed":  {func(t *testing.T, out string) { os.Remove(filepath.Join(out, "1.dcm")) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			out := filepath.Join(parent, "series")
			staying.make(t, parent, "old")
			d := unsynced()
			s := staying.begin(t, parent, d)
			d.steps, d.done = 0, nil
			if err := s.Commit(t.Context(), staying.companions...); err != nil {
				t.Fatal(err)
			}
			first := slices.Index(d.done, "rename "+filepath.Join(out, "1.dcm"))
			s.Close()
			os.RemoveAll(out)
			staying.make(t, parent, "old")
			s = staying.begin(t, parent, d)
			d.failAt, d.crash, d.steps = first+1, true, 0
			if s.Commit(t.Context(), staying.companions...) == nil {
				t.Fatal("the commit was to fail")
			}
			if got := tree(t, parent); !slices.Equal(got, []string{"hidden", "series/1.dcm=new series/1.dcm"}) {
				t.Fatalf("after the crash: %q", got)
			}
			c.since(t, out)
			want := c.want
			if want == nil {
				want = slices.DeleteFunc(tree(t, parent), func(f string) bool { return f == "hidden" })
			}
			age(t, s.dir, 2*leaseExpiry)
			next := beginOn(t, filepath.Join(out, "next"), disk{})
			next.Close()
			if got := tree(t, parent); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// TestTwoWritersIntoOneFolder leave the output of one of them, whole.
func TestTwoWritersIntoOneFolder(t *testing.T) {
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	contents := []string{"a", "b", "c", "d"}
	for _, content := range contents {
		writers.Go(func() {
			s, err := open(out, out, true, disk{}, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for _, name := range []string{"1", "2", "3", "only " + content} {
				put(t, filepath.Join(s.Path("out"), name), content)
			}
			if err := s.Commit(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	got := tree(t, out)
	if !slices.ContainsFunc(contents, func(c string) bool {
		return slices.Equal(got, []string{"1=" + c, "2=" + c, "3=" + c, "only " + c + "=" + c})
	}) {
		t.Errorf("files %q", got)
	}
}
