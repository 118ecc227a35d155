package atomic

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// umask returns the umask of the process.
func umask() fs.FileMode {
	mask := syscall.Umask(0)
	syscall.Umask(mask)
	return fs.FileMode(mask)
}

// TestDiskModes: files and folders are readable by whom the umask allows.
func TestDiskModes(t *testing.T) {
	dir, d := t.TempDir(), disk{}
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(d.MkdirAll(in("a/b")), d.Mkdir(in("c")), d.Create(in("d"), []byte("x"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"a": 0o777, "a/b": 0o777, "c": 0o777, "d": 0o666} {
		info, err := os.Lstat(in(name))
		if err != nil || info.Mode().Perm() != want&^umask() || info.Mode()&(fs.ModeSticky|fs.ModeSetgid|fs.ModeSetuid) != 0 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if err := d.Create(in("d"), nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("created again: %v", err)
	}
	if err := d.Rewrite(in("e"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("rewritten, and it was not there: %v", err)
	}
	if err := d.Rewrite(in("d"), nil); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(in("d")); len(b) != 0 || err != nil {
		t.Errorf("rewritten: %q, %v", b, err)
	}
}

// TestDiskErrors: a device that is full or cannot be synced is an error, a folder that cannot is none.
func TestDiskErrors(t *testing.T) {
	d := disk{}
	if err := d.Rewrite("/dev/full", []byte("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full device: %v", err)
	}
	if err := d.Sync("/dev/null"); err == nil {
		t.Error("a device was synced")
	}
	if err := d.Sync("/proc"); err != nil {
		t.Errorf("a folder: %v", err)
	}
	if err := d.Sync(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	if free, ok := FreeSpace(filepath.Join(t.TempDir(), "none")); free != 0 || ok {
		t.Errorf("free where nothing is: %d, %v", free, ok)
	}
	if free, ok := FreeSpace(t.TempDir()); free <= 0 || !ok {
		t.Errorf("free: %d, %v", free, ok)
	}
}

// TestFingerprints change with a name, a size or a time, in any folder of an output.
func TestFingerprints(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	at := time.Unix(1e9, 5)
	set := func(name, content string, at time.Time) {
		t.Helper()
		put(t, filepath.Join(dir, name), content)
		if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	set("a", "x", at)
	set("sub/b", "y", at)
	seen := map[string]string{}
	check := func(what string, differs bool) {
		t.Helper()
		sum, err := fingerprint(dir)
		if err != nil || len(sum) != 64 {
			t.Fatalf("%s: %q, %v", what, sum, err)
		}
		if other, ok := seen[sum]; ok == differs {
			t.Errorf("%s: as %q: %v", what, other, ok)
		}
		seen[sum] = what
	}
	check("first", true)
	check("again", false)
	set("a", "xx", at)
	check("longer", true)
	set("a", "x", at.Add(1))
	check("later", true)
	set("a", "x", at)
	check("as before", false)
	if err := os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "c")); err != nil {
		t.Fatal(err)
	}
	check("renamed", true)
	if err := os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "sup")); err != nil {
		t.Fatal(err)
	}
	check("folder renamed", true)
	if sum, err := fingerprint(filepath.Join(dir, "none")); sum != "" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %q, %v", sum, err)
	}
}

// TestStageNames are hidden, of one length, lower case and never the same.
func TestStageNames(t *testing.T) {
	a, b := newStageName("x"), newStageName("x")
	if a == b || filepath.Dir(a) != "x" || len(filepath.Base(a)) != len(prefix)+12 || strings.ToLower(a) != a || !IsStage(filepath.Base(a)) {
		t.Errorf("%s, %s", a, b)
	}
}
