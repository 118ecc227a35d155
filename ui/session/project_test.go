package session_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"quell/app/workbench"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/ui/session/desk"
)

// stack writes a DICOM series to a folder.
func stack(t *testing.T, folder string, change func(*dicomtest.Fake)) {
	t.Helper()
	fakes := dicomtest.Stack(9)
	for _, name := range slices.Sorted(maps.Keys(fakes)) {
		change(fakes[name])
	}
	for name, f := range dicomtest.FilesOf(fakes) {
		if err := os.WriteFile(filepath.Join(folder, name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A project holds no name and no picture; the list has both again, of every series, before it is shown. A folder that holds
// other images by now lends them to nothing.
func TestTheListOfAProjectHasNamesAndPictures(t *testing.T) {
	folder, other := t.TempDir(), t.TempDir()
	stack(t, folder, func(*dicomtest.Fake) {})
	stack(t, other, func(f *dicomtest.Fake) { f.With(part10.TagSeriesDescription, "OTHER") })
	b := newBench(t)
	b.settle()
	paths := append(written(t, 2), folder, other)
	b.Tuning.Set(b.tuned(4), true) // the bundled series does not give way
	b.opens(append(paths, written(t, 1)...)...)
	before := b.Documents.List()
	w, _ := b.Documents.ProjectWork()
	path := filepath.Join(t.TempDir(), "a.quell")
	if err := w.WriteProject(path, false); err != nil {
		t.Fatal(err)
	}
	w, err := workbench.ReadProject(path)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(other)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		_ = os.Remove(filepath.Join(other, e.Name()))
	}
	stack(t, other, func(f *dicomtest.Fake) {
		f.With(part10.TagSOPInstanceUID, f.Values[part10.TagSOPInstanceUID].(string)+".7").With(part10.TagPatientName, "STRANGER")
	})

	next := newBenchWith(t, func(d *desk.Deps) {
		d.Bundled = func(context.Context) (*series.Series, error) { return rampSeries(t), nil }
	})
	next.settle()
	next.Reader.OpenProject(w)
	next.settle()
	list := next.Documents.List()
	if len(list) != len(before) || len(next.errors) > 0 {
		t.Fatalf("%d series of %d, errors %v", len(list), len(before), next.errors)
	}
	for i, d := range list {
		if d.Path == other {
			if d.Name != "" || d.Picture != nil || d.Meta.Patient != "" {
				t.Errorf("a folder with other images is called %q of %q, picture %t", d.Name, d.Meta.Patient, d.Picture != nil)
			}
			continue
		}
		if d.Away != (i < len(list)-1) || d.Name != before[i].Name || d.Meta.Patient != before[i].Meta.Patient || d.Meta.Modality != before[i].Meta.Modality || d.Picture == nil {
			t.Errorf("series %d, put away %t, is called %q, %+v, picture %t; it was %q", i, d.Away, d.Name, d.Meta, d.Picture != nil, before[i].Name)
		}
	}
	now, _ := next.Documents.ProjectWork()
	if !workbench.SameWork(now, w) {
		t.Error("names and pictures that were read again are a change of the project")
	}
}
