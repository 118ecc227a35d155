package lockfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestALockIsTakenOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := Take(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Take(path); !errors.Is(err, ErrHeld) {
		t.Errorf("a lock that is held: %v", err)
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	second, err := Take(path)
	if err != nil {
		t.Fatalf("a lock that was given back: %v", err)
	}
	defer second.Release()
	if _, err := Take(filepath.Join(path, "below")); err == nil || errors.Is(err, ErrHeld) || errors.Is(err, os.ErrExist) {
		t.Errorf("a path that cannot be: %v", err)
	}
}
