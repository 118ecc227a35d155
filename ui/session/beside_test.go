package session_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/open"
	"quell/io/nifti/niftitest"
	"quell/ui/session/desk"
	"quell/ui/session/marks"
	"quell/ui/viewer"
	"quell/volume"
)

// shifted writes the ramp of rampSeries without noise and 50 more, moved by mm in the patient, and returns its path.
func shifted(t *testing.T, by volume.Vec) string {
	t.Helper()
	g := rampSeries(t).Volume.Geometry
	g.Affine.SetColumn(3, g.Affine.Column(3).Add(by))
	v := volume.New(g)
	for i := range v.Data {
		v.Data[i] = float32(150 + 10*(i%16))
	}
	path := filepath.Join(t.TempDir(), "prior.nii.gz")
	if err := niftitest.Write(t.Context(), path, v, ""); err != nil {
		t.Fatal(err)
	}
	return path
}

// Another series stands beside the open one as side A, by position, until it is closed; numbers about the filter are of
// the original.
func TestOpenBeside(t *testing.T) {
	b := newBench(t)
	b.applied(3)
	b.State().SetPlane(volume.Axial)
	b.State().Cut().SetIndex(4)
	b.settle()
	series, before := b.Series(), b.Measures.Slice()
	if !before.Known || !before.Current {
		t.Fatal("the slice is not measured")
	}
	window := b.State().Windows.Current()

	b.Reader.OpenBeside(shifted(t, volume.Vec{2, 0, 4})) // two voxels along x, two slices
	b.settle()
	other, compared := b.Results.Beside()
	if len(b.errors) > 0 || other == nil || !compared || b.Series() != series || len(b.Documents.List()) != 1 {
		t.Fatalf("%v, %+v, compared %v", b.errors, other, compared)
	}
	p := b.Screen.Picture()
	if p.Base != other.Volume || !p.Other || p.FirstName() != "other series" {
		t.Fatal("the other series is not side A")
	}
	for x := range 16 {
		outside := x < 2
		if p.Outside(x) != outside {
			t.Errorf("voxel %d is outside: %v", x, p.Outside(x))
		}
		if want := float32(150 + 10*(x-2)); !outside && math.Abs(float64(p.Before[x]-want)) > 1e-3 {
			t.Errorf("voxel %d is %g; want %g", x, p.Before[x], want)
		}
		if !outside && p.Residual[x] != p.Before[x]-p.After[x] || outside && p.Residual[x] != 0 {
			t.Errorf("the difference at voxel %d is %g", x, p.Residual[x])
		}
	}
	for _, want := range []string{"beside this one, by position", "do not share a frame of reference: positions may differ.", "58 % of the open series"} {
		if !strings.Contains(b.Tasks.Message(), want) {
			t.Errorf("%q; want %q", b.Tasks.Message(), want)
		}
	}
	// The slice follows.
	b.State().Cut().SetIndex(1) // no slice of the other series
	b.settle()
	if p := b.Screen.Picture(); p.Index != 1 || !p.Outside(100) {
		t.Error("slice 2 shows values of the other series")
	}
	b.State().Cut().SetIndex(4)
	b.settle()
	after := b.Measures.Slice()
	if !after.Known || !after.Current || after.ResidualSD != before.ResidualSD || after.Judgement != before.Judgement || after.Change.MSE != before.Change.MSE || after.Change.SSIM != before.Change.SSIM {
		t.Errorf("the numbers of the slice changed: %+v, %+v", before.Measures, after.Measures)
	}
	if got := b.Documents.List()[0].Bytes; got != 2*size(t)+other.Bytes() {
		t.Errorf("%d bytes", got)
	}
	// Values without a unit have no scale in common: each picture has its own window.
	w := &b.State().Windows
	if !w.Unlinked() || w.Of(viewer.Original) != other.Window || w.Of(viewer.Denoised) != window {
		t.Errorf("windows %+v and %+v", w.Of(viewer.Original), w.Of(viewer.Denoised))
	}
	// The series itself is side B on request; its numbers stay those of the filter.
	b.Results.CompareUnfiltered(true)
	b.settle()
	if p := b.Screen.Picture(); !p.Unfiltered() || p.SecondName() != "original" || p.After[5] != series.Volume.At(5, 0, 4) || p.Residual[5] != p.Before[5]-p.After[5] || !b.Results.Unfiltered() {
		t.Error("the series itself is not side B")
	}
	if now := b.Measures.Slice(); !now.Current || now.ResidualSD != before.ResidualSD || now.Change.MSE != before.Change.MSE {
		t.Errorf("the numbers are %+v", now.Measures)
	}
	b.State().Cut().SetIndex(3) // has not been on the screen: its numbers are measured now
	b.settle()
	if now := b.Measures.Slice(); !now.Current || now.Index != 3 || math.Abs(float64(now.ResidualMean)-3) > 1e-4 {
		t.Errorf("the numbers of slice 4 are %+v", now.Measures)
	}
	b.State().Cut().SetIndex(4)
	if w, _ := b.Work(); w.Beside.AsIs != true {
		t.Error("it is not kept that the series itself is side B")
	}
	b.Results.CompareUnfiltered(false)
	b.settle()
	if b.Screen.Picture().Unfiltered() || b.Results.Unfiltered() {
		t.Error("the result is not side B again")
	}
	// A run, the original and the other series can all be side A.
	b.Results.CompareWith(0)
	b.settle()
	if _, compared := b.Results.Beside(); compared || b.Screen.Picture().Other || w.Unlinked() {
		t.Error("the run is not side A")
	}
	b.Results.CompareWithOther()
	b.settle()
	if _, run := b.Results.Base(); run || !b.Screen.Picture().Other {
		t.Error("the other series is not side A again")
	}
	b.Results.CloseOther()
	b.settle()
	if other, compared := b.Results.Beside(); other != nil || compared || b.Screen.Picture().Base != nil || w.Unlinked() || w.Of(viewer.Original) != window {
		t.Error("the original is not side A again")
	}
	b.Results.CompareWithOther()
	b.Results.CloseOther()
}

// What cannot stand beside is refused with a sentence, and nothing changes.
func TestNothingOpensBeside(t *testing.T) {
	b := newBench(t)
	b.settle()
	refused := func(path, want string) {
		t.Helper()
		b.errors = nil
		b.Reader.OpenBeside(path)
		b.settle()
		if other, _ := b.Results.Beside(); other != nil || len(b.errors) != 1 || !strings.Contains(b.errors[0].Error(), want) || b.Tasks.Busy() {
			t.Errorf("%v, %v; want %q", other, b.errors, want)
		}
	}
	refused(shifted(t, volume.Vec{0, 0, 500}), "nothing to compare; choose a series of the same region")
	refused(filepath.Join(t.TempDir(), "missing.nii"), "missing.nii")
	b.Reader.ShowBeside(0) // itself
	b.Reader.ShowBeside(-1)
	b.Reader.ShowBeside(1)
	if other, _ := b.Results.Beside(); other != nil || b.Tasks.Busy() {
		t.Error("a series stands beside itself")
	}
}

// A cancelled or replaced task leaves nothing beside.
func TestOpenBesideIsCancelled(t *testing.T) {
	b := newBench(t)
	b.settle()
	path := shifted(t, volume.Vec{})
	began := make(chan bool)
	b.scan = func(ctx context.Context, path string) (*open.Catalog, error) {
		close(began)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	b.Reader.OpenBeside(path)
	<-began
	if b.Tasks.Kind() != desk.Preparing {
		t.Error("no task is in progress")
	}
	b.Reader.OpenBeside(path) // one at a time
	b.Tasks.Cancel()
	b.settle()
	if other, _ := b.Results.Beside(); other != nil || len(b.errors) > 0 || !strings.Contains(b.Tasks.Message(), "cancelled") {
		t.Errorf("%v, %v, %q", other, b.errors, b.Tasks.Message())
	}
}

// Memory is checked before voxels are read.
func TestBesideNeedsMemory(t *testing.T) {
	path := shifted(t, volume.Vec{1, 0, 0})
	need := size(t) + 5*size(t)/4 // the series, and its voxels with their mask on the grid of the open one
	t.Run("free", func(t *testing.T) {
		for free, fits := range map[int64]bool{need - 1: false, need: true, 0: true} {
			b := newBenchWith(t, func(d *desk.Deps) { d.Available = func() int64 { return free } })
			b.settle()
			b.Reader.OpenBeside(path)
			b.settle()
			if other, _ := b.Results.Beside(); (other != nil) != fits || !fits && !strings.Contains(b.errors[0].Error(), "is free; close a series first") {
				t.Errorf("%d bytes are free: %v, %v", free, other, b.errors)
			}
		}
	})
	t.Run("kept", func(t *testing.T) {
		for limit, fits := range map[int64]bool{size(t) + need - 1: false, size(t) + need: true} {
			b := newBenchWith(t, func(d *desk.Deps) { d.Memory = limit })
			b.settle()
			b.Reader.OpenBeside(path)
			b.settle()
			if other, _ := b.Results.Beside(); (other != nil) != fits || !fits && !strings.Contains(b.errors[0].Error(), "kept for them; close a series first") {
				t.Errorf("%d bytes may be kept: %v, %v", limit, other, b.errors)
			}
		}
	})
}

// An open series stands beside another one without being read again, and each series has its own.
func TestAnOpenSeriesStandsBeside(t *testing.T) {
	b := newBench(t)
	b.settle()
	paths := written(t, 2)
	b.opens(paths...)
	first, second := 0, 1
	b.scan = func(context.Context, string) (*open.Catalog, error) {
		t.Error("files are read again")
		return nil, context.Canceled
	}
	b.Reader.ShowBeside(first)
	b.settle()
	other, compared := b.Results.Beside()
	if !compared || other.Opened.Path != paths[first] || other.Share != 1 || b.Screen.Picture().Base != other.Volume {
		t.Fatalf("%+v, %v", other, b.errors)
	}
	b.Documents.Show(first)
	b.settle()
	if other, _ := b.Results.Beside(); other != nil || b.Screen.Picture().Base != nil {
		t.Error("the other document has a series beside it")
	}
	b.Documents.Show(second)
	b.settle()
	if now, compared := b.Results.Beside(); now != other || !compared {
		t.Error("the series beside is gone after another one was shown")
	}
	b.Documents.Close(first)
	b.settle()
	if now, _ := b.Results.Beside(); now != other {
		t.Error("the series beside went with its document")
	}
}

// ROI figures on the screen are of the shown picture, written ones of the original.
func TestMarksBesideAnother(t *testing.T) {
	b := newBench(t)
	b.applied(3)
	m := b.draw(marks.RectangleTool, [2]float64{3, 3}, [2]float64{9, 8})
	own := b.Marks.CSV()
	b.Reader.OpenBeside(shifted(t, volume.Vec{}))
	b.settle()
	shown, written := b.Marks.Figures(m), b.Marks.Own(m)
	if d := shown.Stats[viewer.Original].Mean - written.Stats[viewer.Original].Mean; d < 40 || d > 60 {
		t.Errorf("the ROI is %g in the other series and %g in the original", shown.Stats[viewer.Original].Mean, written.Stats[viewer.Original].Mean)
	}
	if b.Marks.CSV() != own {
		t.Error("the table of the marks is of another series")
	}
}

// The series beside comes back with the work, by its voxels; one that is gone or holds others is named.
func TestTheSeriesBesideIsOpenedAgain(t *testing.T) {
	b := newBench(t)
	b.settle()
	b.opens(written(t, 1)...)
	path := shifted(t, volume.Vec{2, 0, 4})
	b.Reader.OpenBeside(path)
	b.settle()
	b.State().Windows.Set(volume.Window{Center: 170, Width: 90})
	b.Results.CompareUnfiltered(true)
	b.settle()
	work, _ := b.Work()
	if s := work.Beside; s.Path != path || len(s.Voxels) < 32 || !s.Compared {
		t.Fatalf("%+v", s)
	}
	next, _ := restore(t, work, nil)
	other, compared := next.Results.Beside()
	was, _ := b.Results.Beside()
	if !compared || !next.Results.Unfiltered() || !slices.Equal(other.Volume.Data, was.Volume.Data) || other.Share != was.Share || strings.Contains(next.Tasks.Message(), "other series") {
		t.Fatalf("%+v, %q", other, next.Tasks.Message())
	}
	for _, role := range []viewer.Role{viewer.Original, viewer.Denoised} {
		if next.State().Windows.Of(role) != b.State().Windows.Of(role) {
			t.Errorf("the window of pane %d is %+v", role, next.State().Windows.Of(role))
		}
	}
	if again, _ := next.Work(); again.Beside != work.Beside {
		t.Errorf("it is kept as %+v, not %+v", again.Beside, work.Beside)
	}
	next.Results.CompareWith(-1)
	again, _ := next.Work()
	last, _ := restore(t, again, nil)
	if other, compared := last.Results.Beside(); other == nil || compared {
		t.Error("the other series is side A, and was not")
	}
	last.Results.CloseOther()
	if w, _ := last.Work(); w.Beside.Path != "" {
		t.Error("a series that was closed is kept")
	}
	lost := func(want string) {
		t.Helper()
		b, opened := restore(t, work, nil)
		if other, _ := b.Results.Beside(); other != nil || !opened || len(b.errors) > 0 || !strings.Contains(b.Tasks.Message(), "The other series is not beside it: ") || !strings.Contains(b.Tasks.Message(), want) {
			t.Errorf("%v, %v, %q; want %q", other, b.errors, b.Tasks.Message(), want)
		}
	}
	if err := os.Rename(shifted(t, volume.Vec{2, 0, 2}), path); err != nil { // the same voxels elsewhere: they are compared there
		t.Fatal(err)
	}
	if moved, _ := restore(t, work, nil); moved.Results != nil {
		if other, _ := moved.Results.Beside(); other == nil || slices.Equal(other.Volume.Data, was.Volume.Data) {
			t.Error("the same voxels at another place are not opened, or not there")
		}
	}
	another := shifted(t, volume.Vec{})
	data, err := os.ReadFile(written(t, 1)[0])
	if err := errors.Join(err, os.WriteFile(path, data, 0o600), os.Remove(another)); err != nil {
		t.Fatal(err)
	}
	lost("contains other voxels than when the project was saved")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	lost("prior.nii.gz")
}

// A document that is put away reads the series beside it again when it is shown.
func TestTheSeriesBesideIsPutAway(t *testing.T) {
	t.Parallel()
	limit := 4 * size(t)
	b := newBenchWith(t, func(d *desk.Deps) { d.Memory = limit })
	b.settle()
	paths := written(t, 3)
	b.opens(paths[0])
	b.Reader.OpenBeside(shifted(t, volume.Vec{1, 0, 0}))
	b.settle()
	b.opens(paths[1], paths[2])
	if list := b.Documents.List(); !list[0].Away || list[0].Bytes != 0 {
		t.Fatalf("%+v", list)
	}
	b.Documents.Show(0)
	b.settle()
	if _, compared := b.Results.Beside(); !compared || !b.Screen.Picture().Other {
		t.Errorf("the series beside is gone: %q, %v", b.Tasks.Message(), b.errors)
	}
}
