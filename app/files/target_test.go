package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/volume"
)

// TestTargetWrittenMeanwhileIsKept writes a file at the path at which an export is
// about to end.
func TestTargetWrittenMeanwhileIsKept(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 4, 4, 2)
	run := runtest.Filtered(t, opentest.Reopen(t, in), volume.Region{})
	out := filepath.Join(dir, "out.nii")
	_, err := roomtest.ExportRun(t.Context(), run, out, job.Options{}, func(int, int) {
		if err := os.WriteFile(out, []byte("theirs"), 0o644); err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, files.ErrForeignTarget) {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(out); err != nil || string(data) != "theirs" {
		t.Errorf("the file holds %q, %v", data, err)
	}
}
