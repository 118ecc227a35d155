package app_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/app/output"
	"quell/app/roomtest"
	"quell/app/run/runtest"
	"quell/volume"
)

// TestDiskIsCheckedBeforeAnyWork exports to a disk of 64 kB.
func TestDiskIsCheckedBeforeAnyWork(t *testing.T) {
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a file system can be mounted by root alone: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, 0); err != nil {
			t.Error(err)
		}
	})
	in := filepath.Join(t.TempDir(), "in.nii")
	apptest.PutNii(t, in, 40, 40, 40)
	run := runtest.Filtered(t, opentest.Reopen(t, in), volume.Region{})
	out := filepath.Join(small, "out.nii")
	_, err := roomtest.ExportRun(t.Context(), run, out, job.Options{}, nil)
	if err == nil || !strings.Contains(err.Error(), "it needs 256.0 kB and ") || job.ExitCode(err) != job.ExitFailed {
		t.Errorf("export: error %v", err)
	}
	recipe := apptest.MustRecipe("median", 2)
	j := job.Job{Input: job.Input{Path: in}, Recipe: &recipe, Output: job.Output{Path: out}}
	filtering := false
	events := job.Events{Progress: func(step job.Step, done, total int64) { filtering = filtering || step == job.Filtering }}
	if _, err := app.Do(t.Context(), j, events); err == nil || !strings.Contains(err.Error(), "it needs") || filtering {
		t.Errorf("job: error %v, filtered %v", err, filtering)
	}
	if err := output.Check(run.Source, filepath.Join(small, strings.Repeat("n", 300)), job.Options{}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("a long name: error %v", err)
	}
	// A part of the slices fits.
	j.Slices = job.SliceRange{From: 2, To: 4}
	if _, err := app.Do(t.Context(), j, job.Events{}); err != nil {
		t.Errorf("two slices: %v", err)
	}
	if err := syscall.Mount("", small, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if err := output.Check(run.Source, out, job.Options{}); job.ExitCode(err) != job.ExitFailed || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a read-only disk: error %v", err)
	}
}
