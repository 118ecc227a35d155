package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"quell/app/executor"
	"quell/app/job"
)

// namesIn returns the names of what is in a folder.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestOutputIsAMountPoint is the layout of containers: the series and its record go into the
// mounted folder, are known again, replaced, and found by what reads records.
func TestOutputIsAMountPoint(t *testing.T) {
	at := folder(t)
	out := at("out")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", out, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("a file system can be mounted by root alone: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(out, 0); err != nil {
			t.Error(err)
		}
	})
	beside := namesIn(t, filepath.Dir(out))
	run := func(code int, args ...string) (stdout []byte) {
		t.Helper()
		var printed, stderr bytes.Buffer
		if got := execute(t.Context(), args, &printed, &stderr); got != code {
			t.Fatalf("%q: exit code %d, %s", args, got, &stderr)
		}
		return printed.Bytes()
	}
	record := filepath.Join(out, "quell.recipe.json")
	for _, sigma := range []string{"1", "2"} {
		var report executor.Outcome
		if err := json.Unmarshal(run(0, "denoise", at("a.nii"), out+"/", "--filter", "gaussian", "--sigma-spatial", sigma, "--json"), &report); err != nil || report.Record != record || report.Output != out {
			t.Fatalf("output %s, record %s, %v", report.Output, report.Record, err)
		}
		if names := namesIn(t, out); len(names) != 12 || names[0] != "IM00001.dcm" || names[11] != "quell.recipe.json" {
			t.Errorf("files %q", names)
		}
	}
	if names := namesIn(t, filepath.Dir(out)); !slices.Equal(names, beside) {
		t.Errorf("beside it: %q became %q", beside, names)
	}
	for _, recipe := range []string{record, out} {
		again := at("again.nii")
		run(0, "denoise", at("a.nii"), again, "--recipe", recipe)
		run(0, "denoise", at("a.nii"), at("same.nii"), "--filter", "gaussian", "--sigma-spatial", "2")
		var same struct {
			Max float64 `json:"max_abs_diff"`
		}
		if err := json.Unmarshal(run(0, "compare", again, at("same.nii"), "--json"), &same); err != nil || same.Max != 0 {
			t.Errorf("by the recipe of %s: %+v, %v", recipe, same, err)
		}
	}
	run(0, "info", out)
	if err := os.WriteFile(filepath.Join(out, "letter.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	run(2, "denoise", at("a.nii"), out, "--filter", "median")
	run(2, "denoise", at("a.nii"), out, "--filter", "median", "--overwrite")
}

// TestOutputInAFolderOfAnother: a user writes into a prepared folder with a parent of root.
func TestOutputInAFolderOfAnother(t *testing.T) {
	const other = 65534
	if os.Geteuid() != 0 {
		t.Skip("only root can run a program as another user")
	}
	at := folder(t)
	top := filepath.Dir(at("a.nii"))
	out, home, program := at("out"), at("home"), at("quell")
	data, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(program, data, 0o755), os.Mkdir(out, 0o755), os.Mkdir(home, 0o755),
		os.Chown(out, other, other), os.Chown(home, other, other), os.Chmod(filepath.Dir(top), 0o755)); err != nil {
		t.Fatal(err)
	}
	denoise := func(out string, flags ...string) (int, string) {
		cmd := exec.Command(program, append([]string{"denoise", at("a.nii"), out, "--filter", "median", "--engine", "cpu"}, flags...)...)
		cmd.Env = []string{"HOME=" + home, "PATH=/nowhere"}
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: other, Gid: other}}
		text, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Skipf("no program runs as another user here: %v", err)
		}
		return cmd.ProcessState.ExitCode(), string(text)
	}
	for range 2 { // the second replaces the first
		if code, text := denoise(out); code != 0 {
			t.Fatalf("exit code %d, %s", code, text)
		}
		if names := namesIn(t, out); len(names) != 12 || names[11] != "quell.recipe.json" {
			t.Errorf("files %q", names)
		}
	}
	if code, text := denoise(at("new")); code != job.ExitFailed {
		t.Errorf("a new folder: exit code %d, %s", code, text)
	}
	if _, err := os.Lstat(at("new")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder was made")
	}
	if err := errors.Join(os.WriteFile(filepath.Join(out, "letter"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if code, text := denoise(out, "--overwrite"); code != job.ExitUsage {
		t.Errorf("a foreign file: exit code %d, %s", code, text)
	}
}
