package app

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

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
	putNii(t, in, 40, 40, 40)
	run := filtered(t, reopen(t, in), volume.Region{})
	out := filepath.Join(small, "out.nii")
	_, err := exportRun(t.Context(), run, out, ExportOptions{}, nil)
	if err == nil || !strings.Contains(err.Error(), "it needs 256.0 kB and ") || ExitCode(err) != ExitFailed {
		t.Errorf("export: error %v", err)
	}
	recipe := mustRecipe("median", 2)
	job := Job{Input: Input{Path: in}, Recipe: &recipe, Output: Output{Path: out}}
	filtering := false
	events := Events{Progress: func(step Step, done, total int64) { filtering = filtering || step == Filtering }}
	if _, err := Do(t.Context(), job, events); err == nil || !strings.Contains(err.Error(), "it needs") || filtering {
		t.Errorf("job: error %v, filtered %v", err, filtering)
	}
	if err := CheckOutput(run.Source, filepath.Join(small, strings.Repeat("n", 300)), ExportOptions{}); ExitCode(err) != ExitUsage {
		t.Errorf("a long name: error %v", err)
	}
	// A part of the slices fits.
	job.Slices = SliceRange{From: 2, To: 4}
	if _, err := Do(t.Context(), job, Events{}); err != nil {
		t.Errorf("two slices: %v", err)
	}
	if err := syscall.Mount("", small, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if err := CheckOutput(run.Source, out, ExportOptions{}); ExitCode(err) != ExitFailed || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a read-only disk: error %v", err)
	}
}
