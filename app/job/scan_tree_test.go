package job_test

import (
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/open/opentest"
)

func TestLinkToItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "loop.nii")
	apptest.Symlink(t, path, path)
	if err := opentest.Refused(t, path); !strings.Contains(err.Problem.String(), "leads back to itself") {
		t.Errorf("%v", err)
	}
}
