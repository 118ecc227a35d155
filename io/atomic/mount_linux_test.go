package atomic

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// mount puts a small empty file system at dir until the test ends.
func mount(t *testing.T, dir string, kB int) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dk", kB)); err != nil {
		t.Skipf("a file system can be mounted by root alone: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
}

func TestFullDiskKeepsTheEarlierOutput(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "small")
	mount(t, dir, 256)
	out := filepath.Join(dir, "out")
	put(t, out, "old")
	if err := CheckSpace(out, 100<<10); err != nil {
		t.Error(err)
	}
	if err := CheckSpace(out, 300<<10); err == nil || !strings.Contains(err.Error(), "it needs 307.2 kB") {
		t.Errorf("error %v", err)
	}
	free, ok := freeSpace(dir)
	if !ok || CheckSpace(out, free) != nil || CheckSpace(out, free+1) == nil {
		t.Errorf("the %d bytes that are free, %v: error %v; one more: %v", free, ok, CheckSpace(out, free), CheckSpace(out, free+1))
	}
	err := WriteFile(out, make([]byte, 300<<10), 0o644)
	if !errors.Is(err, syscall.ENOSPC) || err.Error() != out+": it cannot be written because the disk is full; free space, or choose another place" {
		t.Errorf("error %v", err)
	}
	if got := tree(t, dir); !slices.Equal(got, []string{"out=old"}) {
		t.Errorf("files %q", got)
	}
}

func TestReadOnlyDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "frozen")
	mount(t, dir, 64)
	out := filepath.Join(dir, "out")
	put(t, out, "old")
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"check": Check(out, false), "write": WriteFile(out, nil, 0o644)} {
		if !errors.Is(err, syscall.EROFS) || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	if got := tree(t, dir); !slices.Equal(got, []string{"out=old"}) {
		t.Errorf("files %q", got)
	}
}

func TestMountPointsAreNotReplaced(t *testing.T) {
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	mount(t, out, 64)
	if err := Check(out, true); err == nil || !strings.Contains(err.Error(), "mount point") {
		t.Errorf("an empty folder: error %v", err)
	}
	put(t, filepath.Join(out, "x"), "old")
	s := beginOn(t, out, disk{})
	put(t, filepath.Join(s.Path("out"), "x"), "new")
	for what, err := range map[string]error{"check": Check(out, true), "commit": s.Commit(t.Context())} {
		if err == nil || !strings.Contains(err.Error(), "mount point") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	s.Close()
	if got := tree(t, parent); !slices.Equal(got, []string{"out/x=old"}) {
		t.Errorf("files %q", got)
	}

	// The same for a single file that is mounted from elsewhere.
	file := filepath.Join(parent, "file")
	put(t, file, "old")
	if err := syscall.Mount(filepath.Join(out, "x"), file, "", syscall.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Unmount(file, 0) })
	for what, err := range map[string]error{"check": Check(file, false), "write": WriteFile(file, nil, 0o644)} {
		if err == nil || !strings.Contains(err.Error(), "mount point") {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

func TestPipesAreNotReplaced(t *testing.T) {
	out := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(out, 0o644); err != nil {
		t.Skip("no pipes here:", err)
	}
	for what, err := range map[string]error{"check": Check(out, false), "write": WriteFile(out, nil, 0o644)} {
		if err == nil || !strings.Contains(err.Error(), "device or a pipe") {
			t.Errorf("%s: error %v", what, err)
		}
	}
	if info, err := os.Lstat(out); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is now %v, %v", info, err)
	}
}
