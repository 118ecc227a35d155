//go:build unix

package atomic

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestALockIsHeldByOne tries a lock that is held, and one that was given back.
func TestALockIsHeldByOne(t *testing.T) {
	dir := t.TempDir()
	release, err := lockFolder(dir, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lockFolder(dir, 2); !errors.Is(err, errHeld) || !strings.Contains(WriteError("out", err).Error(), "out: another export is writing there; wait") {
		t.Errorf("a lock that is held: %v", err)
	}
	release()
	if release, err = lockFolder(dir, 1); err != nil {
		t.Fatalf("a lock that was given back: %v", err)
	}
	release()
	if _, err := lockFolder(filepath.Join(dir, "gone"), 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is gone: %v", err)
	}
}
