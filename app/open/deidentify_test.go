package open

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/files"
)

// TestPseudonymKey: a key is made once and kept; if that cannot be, each export has
// one of its own and says why.
func TestPseudonymKey(t *testing.T) {
	config := t.TempDir()
	apptest.OwnConfig(t, config)
	first, err := PseudonymKey()
	if err != nil || len(first) != 32 || bytes.Equal(first, make([]byte, 32)) {
		t.Fatalf("key of %d bytes, %v", len(first), err)
	}
	if again, err := PseudonymKey(); err != nil || !bytes.Equal(again, first) {
		t.Errorf("another key the second time, %v", err)
	}
	path, err := pseudonymKeyPath()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %v, %v; want the key for this user alone", info.Mode(), err)
	}
	for what, spoil := range map[string]func() error{
		"damaged":           func() error { return os.WriteFile(path, first[:31], 0o600) },
		"a folder":          func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"a link to nothing": func() error { return errors.Join(os.Remove(path), os.Symlink(filepath.Join(config, "gone"), path)) },
		"below a file": func() error {
			return errors.Join(os.RemoveAll(filepath.Dir(path)), os.WriteFile(filepath.Dir(path), nil, 0o600))
		},
	} {
		if err := errors.Join(os.RemoveAll(filepath.Dir(path)), os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, first, 0o600), spoil()); err != nil {
			t.Fatal(err)
		}
		one, err := PseudonymKey()
		two, err2 := PseudonymKey()
		if err == nil || err2 == nil || len(one) != 32 || len(two) != 32 || bytes.Equal(one, two) || bytes.Equal(one, first) {
			t.Errorf("%s: keys of %d and %d bytes, the same: %v, %v", what, len(one), len(two), bytes.Equal(one, two), err)
		}
	}
	apptest.OwnConfig(t, "")
	if key, err := PseudonymKey(); err == nil || len(key) != 32 {
		t.Errorf("without a configuration folder: a key of %d bytes, %v", len(key), err)
	}
	if _, err := files.SettingsPath(); err == nil || !strings.Contains(err.Error(), "settings cannot be kept") {
		t.Errorf("without a configuration folder: %v", err)
	}
}
