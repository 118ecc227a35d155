package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"quell/app/job"
)

// TestFullDisk: on a disk that is too small for all outputs and results every series still
// ends in an output or a failure, and a larger disk later takes the rest.
func TestFullDisk(t *testing.T) {
	c := newCohort(t)
	c.must(os.MkdirAll(c.out, 0o777))
	if err := syscall.Mount("tmpfs", c.out, "tmpfs", 0, "size=160k"); err != nil {
		t.Skipf("a file system can be mounted by root alone: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(c.out, 0); err != nil {
			t.Error(err)
		}
	})
	for i := range 12 {
		c.nii(fmt.Sprintf("s%02d.nii", i), i)
	}
	s, err := Run(t.Context(), c.options(), Events{})
	if err == nil || job.ExitCode(err) != job.ExitFailed || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("a report that cannot be written: %v", err)
	}
	if len(resultsOf(s)) != 12 || s.Failed == 0 || s.Done == 0 {
		t.Errorf("%+v, %d results", s.Progress, len(resultsOf(s)))
	}
	for _, r := range resultsOf(s) {
		if r.State == Failed && !strings.Contains(r.Problem, "disk") && !strings.Contains(r.Problem, "are free") {
			t.Errorf("%s: %q", r.Unit, r.Problem)
		}
		if r.State == Done && !exists(filepath.Join(c.out, r.Unit)) {
			t.Errorf("%s is not there", r.Unit)
		}
	}
	c.must(syscall.Mount("", c.out, "", syscall.MS_REMOUNT, "size=16m"))
	if again := c.run(c.options()); again.Done != 12 || again.Reused != s.Done {
		t.Errorf("on a larger disk: %+v after %+v", again.Progress, s.Progress)
	}
	c.must(syscall.Mount("", c.out, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	if _, err := Run(t.Context(), c.options(), Events{}); job.ExitCode(err) != job.ExitFailed || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a read-only disk: %v", err)
	}
}
