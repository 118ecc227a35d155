package job_test

import (
	"context"
	"path/filepath"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
)

func TestOpenCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nii")
	apptest.PutNii(t, path, 3, 3, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, p := range []string{path, filepath.Dir(path)} {
		if _, _, err := opentest.OpenPath(ctx, p); job.ExitCode(err) != job.ExitCancelled {
			t.Errorf("a cancelled open: %v", err)
		}
	}
}
