package session_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"quell/app/workbench"
	"quell/io/dicom/dicomtest"
	"quell/series"
)

// One damaged file does not keep the others of its series from being opened: after a question, with
// a finding. A no leaves the open series; an answer that comes late opens nothing.
func TestADamagedFileIsAQuestion(t *testing.T) {
	folder := t.TempDir()
	files := dicomtest.FilesOf(dicomtest.Stack(9))
	broken := slices.Sorted(maps.Keys(files))[4]
	files[broken].Data = files[broken].Data[:len(files[broken].Data)/2]
	for name, f := range files {
		if err := os.WriteFile(filepath.Join(folder, name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := newBench(t)
	b.settle()
	before := b.Series()
	var open, drop func()
	asked := 0
	b.damaged = func(err error, rest int, yes, no func()) {
		if asked++; rest != 8 || err == nil {
			t.Errorf("asked for %d slices because of %v", rest, err)
		}
		open, drop = yes, no
	}
	ask := func() {
		t.Helper()
		asked = 0
		b.Reader.Open(folder)
		b.loop.until("the question is asked", func() bool { return asked == 1 })
		if b.Series() != before || !b.Tasks.Busy() {
			t.Error("the question is not waited for")
		}
	}
	ask()
	drop()
	b.settle()
	if b.Series() != before || b.Tasks.Busy() || len(b.errors) > 0 {
		t.Errorf("after a no: busy %v, errors %v", b.Tasks.Busy(), b.errors)
	}
	ask()
	b.Tasks.Cancel()
	open()
	b.settle()
	if b.Series() != before || b.Tasks.Busy() {
		t.Error("a late yes opens the series")
	}
	ask()
	open()
	b.settle()
	s := b.Series()
	if s == before || s.Volume.Dims[2] != 8 || len(b.errors) > 0 || b.Documents.Path() != folder {
		t.Fatalf("%v of %q, errors %v", s.Volume.Dims, b.Documents.Path(), b.errors)
	}
	for _, kind := range []series.Kind{series.Damaged, series.Gap} {
		if !slices.ContainsFunc(s.Findings, func(f series.Finding) bool { return f.Kind == kind }) {
			t.Errorf("no finding %s in %+v", kind, s.Findings)
		}
	}
	w, _ := b.Documents.Workspace()
	next := anotherBench(t)
	next.damaged = nil // it was answered
	next.settle()
	next.Reader.Restore(workbench.Workspace{Open: w.Open, Shown: w.Shown})
	next.settle()
	if next.Series().Volume.Dims[2] != 8 || len(next.errors) > 0 {
		t.Errorf("restored: %v, errors %v", next.Series().Volume.Dims, next.errors)
	}
}
