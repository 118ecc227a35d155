package output_test

import (
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/output"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/internal/message"
	"quell/volume"
)

func TestDeidentifyIsForDICOM(t *testing.T) {
	dir := t.TempDir()
	nii := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, nii, 4, 4, 3)
	apptest.PutDICOM(t, filepath.Join(dir, "src"), 4, 4, 3)
	for in, out := range map[string]string{nii: "out", filepath.Join(dir, "src"): "out.nii.gz"} {
		err := output.Check(opentest.Reopen(t, in), filepath.Join(dir, out), job.Options{Deidentify: true})
		if job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%s to %s: %v", in, out, err)
		}
	}
}

// TestSourceWithoutUIDs exports slices without instance UIDs: the output is a new
// series, and a warning says so.
func TestSourceWithoutUIDs(t *testing.T) {
	dir := t.TempDir()
	apptest.PutDICOM(t, filepath.Join(dir, "src"), 4, 4, 3)
	s := opentest.Reopen(t, filepath.Join(dir, "src"))
	for i := range s.Sources {
		s.Sources[i].UID = ""
	}
	out := filepath.Join(dir, "out")
	if err := output.Check(s, out, job.Options{Deidentify: true}); err == nil || !strings.Contains(err.Error(), "have no instance UIDs") {
		t.Error(err)
	}
	report, err := roomtest.ExportRun(t.Context(), runtest.Filtered(t, s, volume.Region{}), out, job.Options{}, nil)
	if err != nil || !strings.Contains(message.Join("\n", report.Warnings...).String(), "is a new series") {
		t.Errorf("%v, warnings %q", err, report.Warnings)
	}
}
