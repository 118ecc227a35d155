package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/internal/message"
	"quell/io/format"
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
		report, err := exportRun(t.Context(), run, out, ExportOptions{Dtype: c.dtype}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if report.Files != c.files || report.Recipe != out+".recipe.json" || report.Output != out {
			t.Errorf("%s: report %+v", c.name, report)
		}
		back := reopen(t, out)
		if c.files == 2 { // Analyze has its own order of voxels
			for z := range run.Result.View(volume.Axial).Size[2] {
				want := run.Result.View(volume.Axial).Extract(nil, run.Result, z)
				if got := back.Volume.View(volume.Axial).Extract(nil, back.Volume, z); !slices.Equal(got, want) {
					t.Errorf("%s: other values in slice %d", c.name, z)
				}
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
	if _, err := exportRun(t.Context(), other, out, ExportOptions{}, nil); err != nil {
		t.Fatal(err)
	}
	if got := reopen(t, out).Volume.Data[0]; got != 12345 {
		t.Errorf("voxel 0 is %v after the second export", got)
	}
}

// TestAnalyzeWarning: an export to Analyze says how far voxels move if the format
// cannot store their position, and nothing if it can.
func TestAnalyzeWarning(t *testing.T) {
	for name, z := range map[string]float64{"near": 0, "far": 500} {
		s := wavy(8, 7, 6)
		s.Volume.Affine[2][3] = z
		report, err := convert(t.Context(), s, filepath.Join(t.TempDir(), "a.hdr"), ExportOptions{})
		if err != nil {
			t.Fatal(err)
		}
		warned := strings.Contains(message.Join("\n", report.Warnings...).String(), "voxels up to 505.0 mm from their position")
		if warned != (z > 0) || len(report.Warnings) > 1 {
			t.Errorf("%s: warnings %q", name, report.Warnings)
		}
	}
}

// TestExportsThatFailLate: where the record, the check or the commit fails, nothing is
// left, and the error names the output or is the context's.
func TestExportsThatFailLate(t *testing.T) {
	run := filtered(t, wavy(6, 5, 4), volume.Region{})
	for what, c := range map[string]struct {
		meanwhile func(dir string, cancel func())
		code      int
		want      string
	}{
		"no stage left": {func(dir string, _ func()) {
			stages, _ := filepath.Glob(filepath.Join(dir, ".quell*"))
			for _, s := range stages {
				os.RemoveAll(s)
			}
		}, ExitFailed, "out.nii"},
		"cancelled": {func(_ string, cancel func()) { cancel() }, ExitCancelled, ""},
		"a folder of that name": {func(dir string, _ func()) {
			if err := os.Mkdir(filepath.Join(dir, "out.nii"), 0o755); err != nil {
				t.Error(err)
			}
		}, ExitUsage, "is a folder"},
	} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out.nii")
		ctx, cancel := context.WithCancel(t.Context())
		report, err := exportRun(ctx, run, out, ExportOptions{}, func(int, int) { c.meanwhile(dir, cancel) })
		cancel()
		if err == nil || ExitCode(err) != c.code || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), ".quell") || report.Recipe != "" {
			t.Errorf("%s: %+v, %v", what, report, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(left) != 0 {
			t.Errorf("%s: %q was written", what, left)
		}
		if stages, _ := filepath.Glob(filepath.Join(dir, ".quell*")); len(stages) != 0 {
			t.Errorf("%s: %q is left", what, stages)
		}
	}
}

// TestExportReports the time that it took and every file.
func TestExportReports(t *testing.T) {
	run := filtered(t, wavy(6, 5, 4), volume.Region{})
	var calls [][2]int
	report, err := exportRun(t.Context(), run, filepath.Join(t.TempDir(), "out.nii"), ExportOptions{}, func(done, total int) { calls = append(calls, [2]int{done, total}) })
	if err != nil || report.Write <= 0 || len(calls) != 1 || calls[0] != [2]int{1, 1} {
		t.Errorf("%+v, progress %v, %v", report, calls, err)
	}
	if _, err := writeNIfTICancelled(t, run); ExitCode(err) != ExitCancelled {
		t.Errorf("cancelled while writing: %v", err)
	}
}

// writeNIfTICancelled writes with a context that has ended.
func writeNIfTICancelled(t *testing.T, run *Run) (report ExportReport, err error) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return save(ctx, run.Source, run.Result, format.Derived{}, filepath.Join(t.TempDir(), "a.nii"), ExportOptions{}, Events{})
}
