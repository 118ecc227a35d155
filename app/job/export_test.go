package job_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/volume"
)

func TestExportCancelledLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 8, 8, 8)
	run := runtest.Filtered(t, opentest.Reopen(t, in), volume.Region{})
	for _, out := range []string{"out.nii.gz", "out"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := roomtest.ExportRun(ctx, run, filepath.Join(dir, out), job.Options{}, nil); job.ExitCode(err) != job.ExitCancelled {
			t.Errorf("%s: %v", out, err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, want the input alone", entries)
	}
}
