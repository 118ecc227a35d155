package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/volume"
)

func TestLostSourceIsNamed(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	apptest.PutDICOM(t, src, 8, 7, 6)
	run := runtest.Filtered(t, opentest.Reopen(t, src), volume.Region{})
	if err := os.Remove(filepath.Join(src, "IM00003.dcm")); err != nil {
		t.Fatal(err)
	}
	_, err := roomtest.ExportRun(t.Context(), run, filepath.Join(dir, "out"), job.Options{}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "IM00003.dcm: the source file cannot be opened") {
		t.Errorf("error %v", err)
	}
}
