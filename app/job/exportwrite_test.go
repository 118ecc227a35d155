package job_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/internal/message"
	"quell/volume"
)

// TestAnalyzeWarning: an export to Analyze says how far voxels move if the format
// cannot store their position, and nothing if it can.
func TestAnalyzeWarning(t *testing.T) {
	for name, z := range map[string]float64{"near": 0, "far": 500} {
		s := apptest.Wavy(8, 7, 6)
		s.Volume.Affine[2][3] = z
		report, err := roomtest.Convert(t.Context(), s, filepath.Join(t.TempDir(), "a.hdr"), job.Options{})
		if err != nil {
			t.Fatal(err)
		}
		warned := strings.Contains(message.Join("\n", report.Warnings...).String(), "voxels up to 505.0 mm from their position")
		if warned != (z > 0) || len(report.Warnings) > 1 {
			t.Errorf("%s: warnings %q", name, report.Warnings)
		}
	}
}

// TestExportsThatFailLate: if the record, the check or the commit fails, nothing is
// left, and the error names the output or is the context's.
func TestExportsThatFailLate(t *testing.T) {
	run := runtest.Filtered(t, apptest.Wavy(6, 5, 4), volume.Region{})
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
		}, job.ExitFailed, "out.nii"},
		"cancelled": {func(_ string, cancel func()) { cancel() }, job.ExitCancelled, ""},
		"a folder of that name": {func(dir string, _ func()) {
			if err := os.Mkdir(filepath.Join(dir, "out.nii"), 0o755); err != nil {
				t.Error(err)
			}
		}, job.ExitUsage, "is a folder"},
	} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out.nii")
		ctx, cancel := context.WithCancel(t.Context())
		report, err := roomtest.ExportRun(ctx, run, out, job.Options{}, func(int, int) { c.meanwhile(dir, cancel) })
		cancel()
		if err == nil || job.ExitCode(err) != c.code || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), ".quell") || report.Recipe != "" {
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
	run := runtest.Filtered(t, apptest.Wavy(6, 5, 4), volume.Region{})
	var calls [][2]int
	report, err := roomtest.ExportRun(t.Context(), run, filepath.Join(t.TempDir(), "out.nii"), job.Options{}, func(done, total int) { calls = append(calls, [2]int{done, total}) })
	if err != nil || report.Write <= 0 || len(calls) != 1 || calls[0] != [2]int{1, 1} {
		t.Errorf("%+v, progress %v, %v", report, calls, err)
	}
}
