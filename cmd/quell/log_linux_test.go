package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAFullDiskUnderTheLogIsAnError: the command says that lines are missing, and its output stands.
func TestAFullDiskUnderTheLogIsAnError(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip("there is no device that is full")
	}
	out := filepath.Join(t.TempDir(), "out.nii")
	var stdout, stderr bytes.Buffer
	code := execute(t.Context(), []string{"phantom", out, "--kind", "steps", "--log", full}, &stdout, &stderr)
	if text := stderr.String(); code != 1 || !strings.Contains(text, full+": lines of the log are missing") || !strings.Contains(text, "disk is full") || !strings.Contains(text, "the output itself is complete") {
		t.Errorf("code %d: %s", code, text)
	}
	if _, err := os.Stat(out); err != nil {
		t.Errorf("the output: %v", err)
	}
	if code := execute(t.Context(), []string{"phantom", out, "--kind", "steps", "--log", filepath.Join(t.TempDir(), "log")}, &stdout, &stderr); code != 0 {
		t.Errorf("a log with room: code %d, %s", code, &stderr)
	}
}
