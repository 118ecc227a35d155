package open_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/open/opentest"
)

func TestLogHoldsNoNames(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	closer, err := files.LogTo(log)
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "DOE_JANE")
	if _, err := open.Scan(context.Background(), secret); job.ExitCode(err) != job.ExitInput {
		t.Errorf("a missing path: %v", err)
	}
	if err := os.WriteFile(secret, []byte("DOE^JANE"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := opentest.OpenPath(context.Background(), secret); job.ExitCode(err) != job.ExitInput {
		t.Errorf("a text file: %v", err)
	}
	if err := closer.Close(); err != nil {
		t.Fatal(err)
	}
	open.Scan(context.Background(), secret) // no longer logged
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines != 3 {
		t.Errorf("%d lines, want the first and 2:\n%s", lines, text)
	}
	if strings.Contains(string(text), "DOE") || strings.Contains(string(text), dir) {
		t.Errorf("the log names a patient or a path:\n%s", text)
	}
	if _, err := files.LogTo(dir); err == nil {
		t.Error("a folder was opened as a log")
	}
}
