package app

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/series"
	"quell/volume"
)

// filtered runs the bilateral filter over a series.
func filtered(t *testing.T, s *series.Series, region volume.Region) *Run {
	t.Helper()
	eng, err := PickEngine("cpu")
	if err != nil {
		t.Fatal(err)
	}
	run, err := Denoise(t.Context(), eng, RunRequest{Series: s, Recipe: mustRecipe("bilateral", 3).With("sigma-range", denoise.Percent(15)), Region: region}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// exportRun writes a finished run as the workbench and a batch do. progress, which may be
// nil, counts files.
func exportRun(ctx context.Context, run *Run, out string, o ExportOptions, progress func(done, total int)) (ExportReport, error) {
	var events Events
	if progress != nil {
		events.Progress = func(step Step, done, total int64) {
			if step == Writing {
				progress(int(done), int(total))
			}
		}
	}
	job := Job{Recipe: &run.Recipe, Output: Output{Path: out, ExportOptions: o}}
	r, err := DoOn(ctx, On{Series: run.Source, Run: run}, job, events)
	return r.Written, err
}

// convert writes a series as it is.
func convert(ctx context.Context, s *series.Series, out string, o ExportOptions) (ExportReport, error) {
	r, err := DoOn(ctx, On{Series: s}, Job{Output: Output{Path: out, ExportOptions: o}}, Events{})
	return r.Written, err
}

func reopen(t *testing.T, path string) *series.Series {
	t.Helper()
	s, c, err := openPath(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return s
}

func largestDifference(t *testing.T, a, b *volume.Volume) float64 {
	t.Helper()
	if a.Dims != b.Dims {
		t.Fatalf("dims %v and %v", a.Dims, b.Dims)
	}
	worst := 0.0
	for i := range a.Data {
		worst = max(worst, math.Abs(float64(a.Data[i])-float64(b.Data[i])))
	}
	return worst
}

func TestExportRegion(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 8, 7, 6)
	s := reopen(t, in)
	whole := filtered(t, s, volume.Region{})
	part := filtered(t, s, volume.Slices(s.Volume.Geometry, 2, 4))
	out := filepath.Join(dir, "part.nii")
	if _, err := exportRun(t.Context(), part, out, ExportOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	back := reopen(t, out).Volume
	want := whole.Result.Crop(volume.Slices(s.Volume.Geometry, 2, 4))
	if d := largestDifference(t, want, back); d > 1e-4*201 {
		t.Errorf("slices 2 and 3 differ from those of the whole by %g", d)
	}
	if !back.SameGrid(want.Geometry, 1e-4) {
		t.Error("slices 2 and 3 moved")
	}
}

func TestExportDICOM(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	putDICOM(t, src, 8, 7, 6)
	before := treeOf(t, src)
	s := reopen(t, src)
	run := filtered(t, s, volume.Region{})
	out := filepath.Join(dir, "out")
	report, err := exportRun(t.Context(), run, out, ExportOptions{Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	back := reopen(t, out)
	half := math.Abs(s.Sources[0].Slope)/2 + 1e-4
	if d := largestDifference(t, run.Result, back.Volume); d > half {
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
	if _, err := exportRun(t.Context(), run, out, ExportOptions{}, nil); err != nil {
		t.Errorf("a second export: %v", err)
	}
	if err := os.WriteFile(filepath.Join(out, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := exportRun(t.Context(), run, out, ExportOptions{}, nil); ExitCode(err) != ExitUsage {
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

func TestExportNeverTouchesItsSource(t *testing.T) {
	dir := t.TempDir()
	nii := filepath.Join(dir, "in.nii")
	putNii(t, nii, 4, 4, 4)
	pair := filepath.Join(dir, "pair.hdr")
	putNii(t, pair, 4, 4, 4)
	folder := filepath.Join(dir, "study", "series")
	putDICOM(t, folder, 4, 4, 4)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "study"), link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	for _, c := range []struct{ in, out string }{
		{nii, nii},
		{nii, filepath.Join(dir, "study", "..", "in.nii")},
		{pair, pair},
		{pair, filepath.Join(dir, "pair.img")},
		{folder, folder},
		{folder, filepath.Join(dir, "study")},
		{folder, dir},
		{folder, filepath.Join(folder, "sub")},
		{folder, filepath.Join(folder, "out.nii.gz")},
		{folder, filepath.Join(link, "series", "out.nii.gz")},
		{folder, filepath.Join(link, "series")},
		{filepath.Join(folder, "IM00001.dcm"), folder},
		{filepath.Join(dir, "study"), filepath.Join(folder, "sub")},
	} {
		s := reopen(t, c.in)
		err := CheckOutput(s, c.out, ExportOptions{})
		if ExitCode(err) != ExitUsage {
			t.Errorf("%s to %s: %v", c.in, c.out, err)
		}
		if c.out == c.in && strings.Contains(c.in, ".") && !strings.Contains(err.Error(), "is the input itself") {
			t.Errorf("%s to itself: %v", c.in, err)
		}
	}
	for _, c := range []struct{ in, out string }{
		{nii, filepath.Join(dir, "out.nii")},
		{folder, filepath.Join(dir, "study", "out")},
		{folder, filepath.Join(dir, "study", "out.nii.gz")},
		{filepath.Join(folder, "IM00001.dcm"), filepath.Join(folder, "out")},
		{filepath.Join(dir, "study"), filepath.Join(dir, "study", "out")},
	} {
		s := reopen(t, c.in)
		if err := CheckOutput(s, c.out, ExportOptions{}); err != nil {
			t.Errorf("%s to %s: %v", c.in, c.out, err)
		}
	}
}

func TestExportRefusesUnusableNames(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 4, 4, 4)
	s := reopen(t, in)
	if err := os.Mkdir(filepath.Join(dir, "folder.nii"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		out, dtype string
	}{
		{"", ""}, {"x.img", ""}, {"x.nii", "int3"}, {"folder", "int16"}, {"folder.nii", ""}, {"in.nii/x.nii", ""}, {"in.nii/folder", ""},
	} {
		out := c.out
		if out != "" {
			out = filepath.Join(dir, out)
		}
		if err := CheckOutput(s, out, ExportOptions{Dtype: c.dtype}); ExitCode(err) != ExitUsage {
			t.Errorf("%q %q: %v", c.out, c.dtype, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CheckOutput(s, filepath.Join(dir, "file"), ExportOptions{}); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "is a file, and a DICOM series needs a folder") {
		t.Errorf("DICOM onto a file: %v", err)
	}
	if err := CheckOutput(s, filepath.Join(dir, "folder.nii"), ExportOptions{}); err == nil || !strings.Contains(err.Error(), "is a folder; choose a name that is free") {
		t.Errorf("NIfTI onto a folder: %v", err)
	}
	series := filepath.Join(dir, "series")
	putDICOM(t, series, 4, 4, 2)
	if _, err := convert(t.Context(), reopen(t, series), filepath.Join(dir, "again"), ExportOptions{}); ExitCode(err) != ExitUsage {
		t.Errorf("DICOM to DICOM: %v", err)
	}
}

func TestExportCancelledLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 8, 8, 8)
	run := filtered(t, reopen(t, in), volume.Region{})
	for _, out := range []string{"out.nii.gz", "out"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := exportRun(ctx, run, filepath.Join(dir, out), ExportOptions{}, nil); ExitCode(err) != ExitCancelled {
			t.Errorf("%s: %v", out, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, want the input alone", entries)
	}
}

func TestNoisyExportIsReproducible(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 6, 5, 4)
	s := reopen(t, in)
	n := Noise{Model: noise.Gaussian, Sigma: 3, Seed: 42}
	var values [][]float32
	for _, name := range []string{"a.nii", "b.nii"} {
		report, err := DoOn(t.Context(), On{Series: s}, Job{Noise: &n, Output: Output{Path: filepath.Join(dir, name)}}, Events{})
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, reopen(t, report.Output).Volume.Data)
		if _, err := LoadRecipe(report.Record); ExitCode(err) != ExitInput {
			t.Errorf("a record of noise was taken as a recipe: %v", err)
		}
	}
	if !slices.Equal(values[0], values[1]) || slices.Equal(values[0], s.Volume.Data) {
		t.Error("the same seed must give the same, changed, values")
	}
}
