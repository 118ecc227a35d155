package run_test

import (
	"path/filepath"
	"slices"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/volume"
)

func TestExportNIfTI(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 8, 7, 6)
	run := runtest.Filtered(t, opentest.Reopen(t, in), volume.Region{})
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
		report, err := roomtest.ExportRun(t.Context(), run, out, job.Options{Dtype: c.dtype}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if report.Files != c.files || report.Recipe != out+".recipe.json" || report.Output != out {
			t.Errorf("%s: report %+v", c.name, report)
		}
		back := opentest.Reopen(t, out)
		if c.files == 2 { // Analyze has its own order of voxels
			for z := range run.Result.View(volume.Axial).Size[2] {
				want := run.Result.View(volume.Axial).Extract(nil, run.Result, z)
				if got := back.Volume.View(volume.Axial).Extract(nil, back.Volume, z); !slices.Equal(got, want) {
					t.Errorf("%s: other values in slice %d", c.name, z)
				}
			}
		} else if d := apptest.LargestDifference(t, run.Result, back.Volume); d > c.tolerance {
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
	other := runtest.Filtered(t, opentest.Reopen(t, in), volume.Region{})
	other.Result.Data[0] = 12345
	if _, err := roomtest.ExportRun(t.Context(), other, out, job.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	if got := opentest.Reopen(t, out).Volume.Data[0]; got != 12345 {
		t.Errorf("voxel 0 is %v after the second export", got)
	}
}
