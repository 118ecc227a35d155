package run_test

import (
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

func TestOutputNamesMayBeAnyBytes(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 8, 7, 6)
	run := runtest.Filtered(t, opentest.Reopen(t, in), volume.Region{})
	for _, name := range []string{"K\xf6pf.nii", "K\xf6pf.hdr", "K\xf6pf"} {
		out := filepath.Join(dir, name)
		if err := os.WriteFile(out, nil, 0o644); err != nil {
			t.Skip("the file system takes UTF-8 alone:", err)
		}
		os.Remove(out)
		for range 2 { // the second replaces the first
			if _, err := roomtest.ExportRun(t.Context(), run, out, job.Options{}, nil); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
		}
		if back := opentest.Reopen(t, out).Volume; back.Dims != run.Result.Dims {
			t.Errorf("%q: dims %v", name, back.Dims)
		}
	}
}
