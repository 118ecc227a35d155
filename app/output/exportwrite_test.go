package output

import (
	"context"
	"path/filepath"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/io/format"
)

func TestSaveIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := apptest.Wavy(6, 5, 4)
	_, err := save(ctx, s, s.Volume, format.Derived{}, filepath.Join(t.TempDir(), "a.nii"), job.Options{}, job.Events{})
	if job.ExitCode(err) != job.ExitCancelled {
		t.Errorf("cancelled while writing: %v", err)
	}
}
