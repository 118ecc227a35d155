//go:build unix

package pacs_test

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"quell/app/pacs"
)

// TestASecretIsNoPipe: opening one would wait for a writer, deaf to signals.
func TestASecretIsNoPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "secret")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	err := pacs.Echo(context.Background(), pacs.Place{To: "https://127.0.0.1:9/", SignIn: pacs.SignIn{Way: "bearer", Secret: "file:" + pipe}})
	if err == nil || !strings.Contains(err.Error(), "it is a pipe") {
		t.Error(err)
	}
}
