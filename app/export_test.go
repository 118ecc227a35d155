package app

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quell/denoise"
	"quell/io/nifti"
	"quell/volume"
)

// filtered runs a small median over a series.
func filtered(t *testing.T, s *volume.Series, region volume.Region) *Run {
	t.Helper()
	eng, err := PickEngine("cpu")
	if err != nil {
		t.Fatal(err)
	}
	run, err := Denoise(t.Context(), eng, s, mustRecipe("bilateral", 3), region, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func reopen(t *testing.T, path string) *volume.Series {
	t.Helper()
	s, c, err := Open(t.Context(), path, -1, nil)
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

func TestExportNIfTI(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 8, 7, 6)
	run := filtered(t, reopen(t, in), volume.Region{})
	for _, c := range []struct {
		name, dtype string
		files       int
		tolerance   float64
	}{
		{"a.nii", "", 1, 0},
		{"deep/er/b.nii.gz", "", 1, 0},
		{"c.nii.gz", "int16", 1, 201.0 / 65000 / 2},
		{"d.hdr", "", 2, 0},
	} {
		out := filepath.Join(dir, filepath.FromSlash(c.name))
		report, err := Export(t.Context(), run, out, ExportOptions{Dtype: c.dtype}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if report.Files != c.files || report.Recipe != out+".recipe.json" || report.Output != out {
			t.Errorf("%s: report %+v", c.name, report)
		}
		back := reopen(t, out)
		if c.files == 2 { // Analyze has its own order of voxels, which sameValues knows
			if err := sameValues(run.Result, back); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		} else if d := largestDifference(t, run.Result, back.Volume); d > c.tolerance {
			t.Errorf("%s: values differ by %g", c.name, d)
		}
		if c.files == 1 && !back.Volume.SameGrid(run.Result.Geometry, 1e-4) {
			t.Errorf("%s: the geometry changed", c.name)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), ".quell*")); len(left) != 0 {
			t.Errorf("%s: left behind %v", c.name, left)
		}
	}
	// An earlier output is replaced.
	out := filepath.Join(dir, "a.nii")
	other := filtered(t, reopen(t, in), volume.Region{})
	other.Result.Data[0] = 12345
	if _, err := Export(t.Context(), other, out, ExportOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	if got := reopen(t, out).Volume.Data[0]; got != 12345 {
		t.Errorf("voxel 0 is %v after the second export", got)
	}
}

func TestExportRegion(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 8, 7, 6)
	s := reopen(t, in)
	whole := filtered(t, s, volume.Region{})
	part := filtered(t, s, volume.Slices(s.Volume.Geometry, 2, 4))
	out := filepath.Join(dir, "part.nii")
	if _, err := Export(t.Context(), part, out, ExportOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	back := reopen(t, out).Volume
	want := whole.Result.Crop(volume.Slices(s.Volume.Geometry, 2, 4))
	if d := largestDifference(t, want, back); d > 1e-4*201 {
		t.Errorf("slices 2 and 3 differ from those of the whole by %g", d)
	}
	if !back.SameGrid(want.Geometry, 1e-4) {
		t.Error("slices 2 and 3 are not where they were")
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
	report, err := Export(t.Context(), run, out, ExportOptions{Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, nil)
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
		t.Error("the source was touched")
	}
	// An earlier export is replaced; anything else is not.
	if _, err := Export(t.Context(), run, out, ExportOptions{}, nil); err != nil {
		t.Errorf("a second export: %v", err)
	}
	if err := os.WriteFile(filepath.Join(out, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Export(t.Context(), run, out, ExportOptions{}, nil); ExitCode(err) != ExitUsage {
		t.Errorf("a folder with a stranger's file: %v", err)
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
		{folder, filepath.Join(link, "series")},
		{filepath.Join(folder, "IM00001.dcm"), folder},
		{filepath.Join(dir, "study"), filepath.Join(folder, "sub")},
	} {
		s := reopen(t, c.in)
		if err := CheckOutput(s, c.out, ExportOptions{}); ExitCode(err) != ExitUsage {
			t.Errorf("%s to %s: %v", c.in, c.out, err)
		}
	}
	for _, c := range []struct{ in, out string }{
		{nii, filepath.Join(dir, "out.nii")},
		{folder, filepath.Join(dir, "study", "out")},
		{folder, filepath.Join(folder, "out.nii.gz")},
		{filepath.Join(folder, "IM00001.dcm"), filepath.Join(folder, "out")},
		{filepath.Join(dir, "study"), filepath.Join(dir, "study", "out")},
	} {
		s := reopen(t, c.in)
		if err := CheckOutput(s, c.out, ExportOptions{}); err != nil {
			t.Errorf("%s to %s: %v", c.in, c.out, err)
		}
	}
}

func TestExportRefusesNonsense(t *testing.T) {
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
	if err := CheckOutput(s, filepath.Join(dir, "file"), ExportOptions{}); ExitCode(err) != ExitUsage {
		t.Errorf("DICOM onto a file: %v", err)
	}
	series := filepath.Join(dir, "series")
	putDICOM(t, series, 4, 4, 2)
	if _, err := Convert(t.Context(), reopen(t, series), filepath.Join(dir, "again"), ExportOptions{}, nil); ExitCode(err) != ExitUsage {
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
		if _, err := Export(ctx, run, filepath.Join(dir, out), ExportOptions{}, nil); ExitCode(err) != ExitCancelled {
			t.Errorf("%s: %v", out, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, want the input alone", entries)
	}
}

func TestExportClearsWhatAKillLeft(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 4, 4, 4)
	old, fresh := filepath.Join(dir, ".quell-export-1"), filepath.Join(dir, ".quell-export-2")
	for _, stage := range []string{old, fresh} {
		if err := os.Mkdir(stage, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	lastWeek := time.Now().Add(-7 * 24 * time.Hour)
	if err := os.Chtimes(old, lastWeek, lastWeek); err != nil {
		t.Fatal(err)
	}
	if _, err := Convert(t.Context(), reopen(t, in), filepath.Join(dir, "out.nii"), ExportOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the stage of a week ago is still there")
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Error("a stage that may be in use was removed")
	}
}

func TestRecordReproducesTheRun(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 8, 7, 6)
	s := reopen(t, in)
	run := filtered(t, s, volume.Region{})
	report, err := Export(t.Context(), run, filepath.Join(dir, "out.nii"), ExportOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := LoadRecipe(report.Recipe)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Equal(run.Resolved) || !r.Resolved() {
		t.Errorf("the record holds %v, the run was %v", r, run.Resolved)
	}
	eng, _ := PickEngine("cpu")
	again, err := Denoise(t.Context(), eng, s, r, volume.Region{}, nil, nil)
	if err != nil || !slices.Equal(again.Result.Data, run.Result.Data) {
		t.Errorf("the record does not give the same bits again (%v)", err)
	}

	data, err := os.ReadFile(report.Recipe)
	if err != nil {
		t.Fatal(err)
	}
	var record Record
	if err := json.Unmarshal(data, &record); err != nil {
		t.Fatal(err)
	}
	if record.Quell != Version() || record.Engine.Name != "cpu" || !record.Asked.Get("sigma-range").IsPercent() ||
		record.Source.SHA256 != voxelHash(s.Volume) || record.Source.Dims != s.Volume.Dims || record.Time.IsZero() {
		t.Errorf("record %s", data)
	}
	if strings.Contains(string(data), dir) || strings.Contains(string(data), "in.nii") {
		t.Errorf("the record names a path: %s", data)
	}
}

func TestVoxelHashIsOfLittleEndianFloats(t *testing.T) {
	// printf '\x00\x00\x80\x3f\x00\x00\x20\xc1' | sha256sum: 1.0 and -10.0
	const want = "db8f24d4dbf13252630b47c91802b9524a84177fa9bd359388ac6d33a8883f9f"
	v := volume.New(volume.NewGeometry([3]int{2, 1, 1}, [3]float64{1, 1, 1}))
	v.Data[0], v.Data[1] = 1, -10
	if got := voxelHash(v); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

func TestLoadRecipe(t *testing.T) {
	dir := t.TempDir()
	put := func(text string) string {
		path := filepath.Join(dir, "r.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	want := mustRecipe("nlm", 3).With("h", denoise.Number(10))
	bare, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := LoadRecipe(put(string(bare))); err != nil || !got.Equal(want) {
		t.Errorf("a bare recipe: %v, %v", got, err)
	}
	if got, err := LoadRecipe(put(`{"quell":"9","recipe":` + string(bare) + `}`)); err != nil || !got.Equal(want) {
		t.Errorf("a record: %v, %v", got, err)
	}
	for _, text := range []string{
		"", "[]", "no json", `{"quell":"9"}`, `{"quell":"9","recipe":7}`, `{"version":7,"filter":"nlm","dims":2}`,
		`{"version":1,"filter":"magic","dims":2}`, `{"version":1,"filter":"nlm","dims":2,"parameters":{"H":3}}`,
		`{"version":1,"filter":"nlm","dims":2,"parameters":{"h":-3}}`,
	} {
		if _, err := LoadRecipe(put(text)); ExitCode(err) != ExitInput {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "missing.json")} {
		if _, err := LoadRecipe(path); ExitCode(err) != ExitInput {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestNoisyExportIsReproducible(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	putNii(t, in, 6, 5, 4)
	s := reopen(t, in)
	n := Noise{Model: denoise.GaussianNoise, Sigma: 3, Seed: 42}
	var values [][]float32
	for _, name := range []string{"a.nii", "b.nii"} {
		noisy, err := AddNoise(s, n)
		if err != nil {
			t.Fatal(err)
		}
		report, err := ExportNoisy(t.Context(), s, noisy, n, filepath.Join(dir, name), ExportOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, reopen(t, report.Output).Volume.Data)
		if _, err := LoadRecipe(report.Recipe); ExitCode(err) != ExitInput {
			t.Errorf("a record of noise was taken as a recipe: %v", err)
		}
	}
	if !slices.Equal(values[0], values[1]) || slices.Equal(values[0], s.Volume.Data) {
		t.Error("the same seed must give the same, changed, values")
	}
}

func TestReadBackCatchesAChange(t *testing.T) {
	dir := t.TempDir()
	s := putNii(t, filepath.Join(dir, "a.nii"), 4, 4, 4)
	back, err := nifti.Read(t.Context(), os.DirFS(dir), "a.nii")
	if err != nil {
		t.Fatal(err)
	}
	if err := sameValues(s.Volume, back); err != nil {
		t.Error(err)
	}
	back.Volume.Data[5] += 1
	if err := sameValues(s.Volume, back); err == nil {
		t.Error("a changed voxel passes")
	}
	back.Volume.Data[5] = float32(math.NaN())
	if err := sameValues(s.Volume, back); err == nil {
		t.Error("NaN passes")
	}
	if err := sameValues(wavy(4, 4, 5).Volume, back); err == nil {
		t.Error("other dims pass")
	}
}
