package session_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"quell/app/job"
	"quell/io/dicom"
	"quell/ui/session/marks"
	"quell/ui/viewer"
	"quell/volume"
)

// A presentation state refers to the last export of the result that is shown. NIfTI has none by
// itself, and an export that another took the place of counts no more.
func TestPresentable(t *testing.T) {
	b := newBench(t)
	export := func(out string) {
		t.Helper()
		b.Exports.Write(out, job.Options{}, func(job.Written) {})
		b.settle()
	}
	want := func(what, folder string, ok bool) {
		t.Helper()
		if got, may := b.Exports.Presentable(); got != folder || may != ok {
			t.Errorf("%s: %q, %v", what, got, may)
		}
	}
	want("NIfTI", "", false)
	dir := t.TempDir()
	b.applied(3)
	export(filepath.Join(dir, "a.nii"))
	want("a NIfTI export", "", false)
	out := filepath.Join(dir, "out")
	export(out)
	want("an export of DICOM", out, true)
	b.applied(4)
	want("another result", "", false)
	export(out)
	want("its export", out, true)
	b.Results.Show(0)
	b.settle()
	want("the first result, whose export was replaced", "", false)
}

// The state is of the pane of the denoised picture of an export, with the marks on its slices.
func TestSavePresentation(t *testing.T) {
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "PR00001.dcm")
	roles := map[viewer.Role]int{}
	text := func(f marks.Figures, role viewer.Role) string {
		roles[role]++
		return f.Mark.Name() + " here"
	}
	b.Exports.SavePresentation(path, text, false)
	if b.Tasks.Busy() {
		t.Fatal("a presentation state of NIfTI")
	}
	b.applied(3)
	out := filepath.Join(t.TempDir(), "out")
	b.Exports.Write(out, job.Options{}, func(job.Written) {})
	b.settle()
	b.draw(marks.EllipseTool, [2]float64{2, 2}, [2]float64{9, 9})
	b.draw(marks.LineTool, [2]float64{2, 2}, [2]float64{12, 2})
	b.settle()
	b.Exports.SavePresentation(path, text, false)
	b.settle()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err, b.errors)
	}
	if b.Tasks.Message() != "The presentation state is saved." || roles[viewer.Denoised] != 2 || roles[viewer.Original] != 0 {
		t.Errorf("%q; texts for %v", b.Tasks.Message(), roles)
	}
	objects, _, err := dicom.Objects(t.Context(), os.DirFS(out))
	if err != nil || len(objects) == 0 {
		t.Fatal(err)
	}
	for _, o := range objects {
		if !bytes.Contains(file, []byte(o.UID)) {
			t.Errorf("%s is not referred to", o.Name)
		}
	}
	for _, want := range []string{"ROI 1 here", "Line 2 here", "ELLIPSE", "POLYLINE"} {
		if !bytes.Contains(file, []byte(want)) {
			t.Errorf("the state lacks %q", want)
		}
	}
	// A file that is there is not replaced without leave.
	b.Exports.SavePresentation(path, text, false)
	b.settle()
	if len(b.errors) != 1 {
		t.Errorf("errors %v", b.errors)
	}
}

// The state of a series as it was opened has the window and the figures of the original, and the area
// of its pane, as it was before another plane was shown; a series with added noise has none.
func TestPresentationOfTheOriginal(t *testing.T) {
	b := newBench(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	b.applied(3)
	b.Exports.Write(out, job.Options{}, func(job.Written) {})
	b.settle()
	b.Reader.Open(out)
	b.settle()
	if folder, ok := b.Exports.Presentable(); folder != "" || !ok {
		t.Fatalf("%q, %v", folder, ok)
	}
	v := b.Series().Volume
	b.State().Windows.Set(volume.Window{Center: 321, Width: 123})
	b.State().Cut().Clockwise()
	size := b.State().Cut().View().Size
	b.State().Cut().ZoomAt(4, 0, 0, 64, 48) // the top left corner stays
	first, last := b.State().Cut().Transform(64, 48).Pixels(64, 48)
	if first[1] != 0 || last[1] >= size[1]-1 {
		t.Fatalf("rows %d to %d of %d", first[1], last[1], size[1])
	}
	b.draw(marks.LineTool, [2]float64{2, 2}, [2]float64{12, 2})
	b.State().SetPlane(volume.Coronal) // the acquired slices are still shown as before
	path := filepath.Join(dir, "PR00001.dcm")
	var roles []viewer.Role
	b.Exports.SavePresentation(path, func(_ marks.Figures, r viewer.Role) string { roles = append(roles, r); return "" }, false)
	b.settle()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err, b.errors)
	}
	if !slices.Equal(roles, []viewer.Role{viewer.Original}) || !bytes.Contains(file, []byte("321 ")) || !bytes.Contains(file, []byte("123 ")) {
		t.Errorf("roles %v, or another window", roles)
	}
	// Turned clockwise, the screen begins at the bottom of the stored image.
	corner := func(col, row int) []byte {
		b := []byte("SL\x08\x00")
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(col)), uint32(row))
	}
	if !bytes.Contains(file, corner(first[1]+1, v.Dims[1]-first[0])) || !bytes.Contains(file, corner(last[1]+1, v.Dims[1]-last[0])) {
		t.Errorf("the area is not that of pixels %v to %v", first, last)
	}
	b.Reader.AddNoise(job.AddedNoise{Model: "gaussian", Sigma: 3, Seed: 1})
	b.settle()
	if _, ok := b.Exports.Presentable(); ok {
		t.Error("a state of the original has the figures of added noise")
	}
}
