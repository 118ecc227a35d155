package shm

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSegmentIsInMemory checks that the file is a memfd, and that a child gets it only
// if it is passed on.
func TestSegmentIsInMemory(t *testing.T) {
	s := segment(t, 1<<16)
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", s.file.Fd()))
	if err != nil || !strings.HasPrefix(name, "/memfd:quell") {
		t.Errorf("the file is %q, %v; want a memfd", name, err)
	}
	if flags, err := unix.FcntlInt(s.file.Fd(), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags %#x, %v; want the file closed in every other child", flags, err)
	}
	seals, err := unix.FcntlInt(s.file.Fd(), unix.F_GET_SEALS, 0)
	if err != nil || seals != unix.F_SEAL_SEAL {
		t.Errorf("seals %#x, %v; want none but the one against seals", seals, err)
	}
}

// TestFailuresLeaveNoFileOpen counts the open files before and after segments that cannot
// be made or opened.
func TestFailuresLeaveNoFileOpen(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(files)
	}
	before := open()
	for _, size := range []int{-1, 0, 1 << 62} {
		if s, err := Create(size); err == nil {
			t.Errorf("%d bytes were created: %d", size, len(s.Bytes))
		}
	}
	if _, err := Open(empty); err == nil {
		t.Error("an empty file was opened")
	}
	if after := open(); after != before {
		t.Errorf("%d files are open, before %d", after, before)
	}
}

// TestOpenByPathLeavesDescriptors: a segment that is opened by its path has nothing to do with the descriptor that a
// child inherits, which may be another file here.
func TestOpenByPathLeavesDescriptors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "segment")
	if err := os.WriteFile(path, make([]byte, 8), 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() string {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return fmt.Sprint(files)
	}
	before := open()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	for range 3 { // a finalizer runs after a collection
		runtime.GC()
	}
	for range 100 {
		runtime.Gosched()
	}
	if after := open(); after != before {
		t.Errorf("files %s, before %s", after, before)
	}
}
