package atomic

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
	free, ok := FreeSpace(dir)
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

// TestMountPointsAreWrittenInto is the layout of containers: the output is a mounted folder.
func TestMountPointsAreWrittenInto(t *testing.T) {
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	mount(t, out, 64)
	if err := os.Mkdir(filepath.Join(out, keptName), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := CheckSpace(out, 100<<10); err == nil {
		t.Error("the space was looked for outside of the mount point")
	}
	for _, content := range []string{"first", "second"} {
		before, err := os.Stat(out)
		if err != nil || Check(out, true, "out.json") != nil {
			t.Fatal(err, Check(out, true, "out.json"))
		}
		s := beginOn(t, out, disk{})
		if !s.Inside() || filepath.Dir(s.dir) != out {
			t.Fatalf("inside %v: the stage is %s", s.Inside(), s.dir)
		}
		put(t, filepath.Join(s.Path("out"), content), content)
		put(t, s.Path("a.json"), content)
		if err := s.Commit(t.Context(), "a.json"); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if got := tree(t, parent); !slices.Equal(got, []string{"out/" + content + "=" + content, "out/a.json=" + content}) && !slices.Equal(got, []string{"out/a.json=" + content, "out/" + content + "=" + content}) {
			t.Errorf("files %q", got)
		}
		if after, err := os.Stat(out); err != nil || !os.SameFile(before, after) {
			t.Errorf("the folder was replaced, %v", err)
		}
	}
	if info, err := os.Stat(filepath.Join(out, keptName)); err != nil || !info.IsDir() {
		t.Errorf("what belongs to the file system is gone: %v", err)
	}
}

// TestFoldersInReadOnlyOnesAreWrittenInto: the folder above is on a disk that is read-only.
func TestFoldersInReadOnlyOnesAreWrittenInto(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "parent")
	mount(t, parent, 64)
	out := filepath.Join(parent, "out")
	mount(t, out, 64)
	if err := syscall.Mount("", parent, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if err := Check(out, true, "out.json"); err != nil {
		t.Fatal(err)
	}
	s := beginOn(t, out, disk{})
	put(t, filepath.Join(s.Path("out"), "x"), "new")
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got := tree(t, parent); !slices.Equal(got, []string{"out/x=new"}) {
		t.Errorf("files %q", got)
	}
	if err := Check(filepath.Join(parent, "other"), true); !errors.Is(err, syscall.EROFS) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestFoldersOfOthersAreWrittenInto: the folder above belongs to another user.
func TestFoldersOfOthersAreWrittenInto(t *testing.T) {
	parent := t.TempDir()
	out, closed := filepath.Join(parent, "out"), filepath.Join(parent, "closed")
	if err := errors.Join(os.Mkdir(out, 0o755), os.Mkdir(closed, 0o555)); err != nil {
		t.Fatal(err)
	}
	const other = 65534
	if os.Geteuid() == 0 {
		// A thread has the permissions of another user for files.
		if err := errors.Join(os.Chown(out, other, other), os.Chmod(filepath.Dir(parent), 0o755)); err != nil {
			t.Fatal(err)
		}
		runtime.LockOSThread() // not unlocked: the thread ends with the goroutine
		if err := syscall.Setfsuid(other); err != nil {
			t.Fatal(err)
		}
	} else if err := os.Chmod(parent, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Setfsuid(os.Geteuid()); os.Chmod(parent, 0o755) })
	if err := Check(out, true, "out.json"); err != nil {
		t.Fatal(err)
	}
	s := beginOn(t, out, disk{})
	if !s.Inside() {
		t.Fatal("the folder was to be replaced")
	}
	put(t, filepath.Join(s.Path("out"), "x"), "new")
	if err := s.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got := tree(t, out); !slices.Equal(got, []string{"x=new"}) {
		t.Errorf("files %q", got)
	}
	for what, target := range map[string]string{"a folder of another": closed, "a new folder": filepath.Join(parent, "new")} {
		if err := Check(target, true); !errors.Is(err, syscall.EACCES) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestMountedFilesAreNotReplaced(t *testing.T) {
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	mount(t, out, 64)
	put(t, filepath.Join(out, "x"), "old")

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
