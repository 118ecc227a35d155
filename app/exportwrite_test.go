package app

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/io/nifti"
	"quell/volume"
)

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

// TestAnalyzeWarning: an export to Analyze says how far voxels move if the format
// cannot store their position, and nothing if it can.
func TestAnalyzeWarning(t *testing.T) {
	for name, z := range map[string]float64{"near": 0, "far": 500} {
		s := wavy(8, 7, 6)
		s.Volume.Affine[2][3] = z
		report, err := Convert(t.Context(), s, filepath.Join(t.TempDir(), "a.hdr"), ExportOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		warned := strings.Contains(strings.Join(report.Warnings, "\n"), "voxels up to 505.0 mm from their position")
		if warned != (z > 0) || len(report.Warnings) > 1 {
			t.Errorf("%s: warnings %q", name, report.Warnings)
		}
	}
}
