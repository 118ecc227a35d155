package run_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/volume"
)

func TestExportRegion(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 8, 7, 6)
	s := opentest.Reopen(t, in)
	whole := runtest.Filtered(t, s, volume.Region{})
	part := runtest.Filtered(t, s, volume.Slices(s.Volume.Geometry, 2, 4))
	out := filepath.Join(dir, "part.nii")
	if _, err := roomtest.ExportRun(t.Context(), part, out, job.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	back := opentest.Reopen(t, out).Volume
	want := whole.Result.Crop(volume.Slices(s.Volume.Geometry, 2, 4))
	if d := apptest.LargestDifference(t, want, back); d > 1e-4*201 {
		t.Errorf("slices 2 and 3 differ from those of the whole by %g", d)
	}
	if !back.SameGrid(want.Geometry, 1e-4) {
		t.Error("slices 2 and 3 moved")
	}
}

func TestExportDICOM(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	apptest.PutDICOM(t, src, 8, 7, 6)
	before := treeOf(t, src)
	s := opentest.Reopen(t, src)
	run := runtest.Filtered(t, s, volume.Region{})
	out := filepath.Join(dir, "out")
	report, err := roomtest.ExportRun(t.Context(), run, out, job.Options{Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	back := opentest.Reopen(t, out)
	half := math.Abs(s.Sources[0].Slope)/2 + 1e-4
	if d := apptest.LargestDifference(t, run.Result, back.Volume); d > half {
		t.Errorf("values differ by %g, more than half a rescale step (%g)", d, half)
	}
	if !back.Volume.SameGrid(s.Volume.Geometry, 1e-3) || back.UID == s.UID || report.Files != 6 {
		t.Errorf("geometry kept: %v, own UID: %v, %d files", back.Volume.SameGrid(s.Volume.Geometry, 1e-3), back.UID != s.UID, report.Files)
	}
	if len(treeOf(t, out)) != 6 {
		t.Error("the folder holds more than the slices")
	}
	if !slices.Equal(before, treeOf(t, src)) {
		t.Error("the source was changed")
	}
	// An earlier export is replaced; anything else is not.
	if _, err := roomtest.ExportRun(t.Context(), run, out, job.Options{}, nil); err != nil {
		t.Errorf("a second export: %v", err)
	}
	if err := os.WriteFile(filepath.Join(out, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := roomtest.ExportRun(t.Context(), run, out, job.Options{}, nil); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("a folder with another program's file: %v", err)
	}
}

// treeOf lists the files of a folder with their sizes and times.
func treeOf(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e.Name()+info.ModTime().String()+string(data))
	}
	return out
}
