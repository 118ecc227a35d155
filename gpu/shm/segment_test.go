package shm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestSegmentIsSharedByTwoProcesses(t *testing.T) {
	if arg := os.Getenv("QUELL_SHM_CHILD"); arg != "" {
		s, err := Open(arg)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		s.Bytes[len(s.Bytes)-1] = s.Bytes[0] + 1
		os.Exit(0)
	}
	const size = 3 << 20
	s, err := Create(size)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Bytes) != size || s.Bytes[0] != 0 || s.Bytes[size-1] != 0 {
		t.Fatalf("%d bytes, the first %d; want %d zeros", len(s.Bytes), s.Bytes[0], size)
	}
	s.Bytes[0] = 41
	child := exec.Command(os.Args[0], "-test.run", "TestSegmentIsSharedByTwoProcesses")
	child.Env = append(os.Environ(), "QUELL_SHM_CHILD="+s.Arg())
	child.ExtraFiles = s.Files()
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := s.Bytes[size-1]; got != 42 {
		t.Errorf("the child wrote %d; want 42", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

// TestCloseReportsWhatFailed closes a segment that was never mapped.
func TestCloseReportsWhatFailed(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "segment"))
	if err != nil {
		t.Fatal(err)
	}
	s := &Segment{Bytes: make([]byte, 1<<12), file: f}
	if err := s.Close(); err == nil || s.Bytes != nil {
		t.Errorf("%v, %d bytes; want an error and no bytes", err, len(s.Bytes))
	}
	if err := f.Close(); err == nil {
		t.Error("the file was still open after Close")
	}
}

func TestOpenRefusesAMissingFile(t *testing.T) {
	if _, err := Open(t.TempDir() + "/nothing"); err == nil {
		t.Error("no error")
	}
}

// segment returns a new segment that ends with the test.
func segment(t *testing.T, size int) *Segment {
	t.Helper()
	s, err := Create(size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestCloseReleasesTheSegment checks that the memory and the file end with Close.
func TestCloseReleasesTheSegment(t *testing.T) {
	s := segment(t, 1<<16)
	if err := s.Close(); err != nil || s.Bytes != nil {
		t.Errorf("%v, %d bytes after Close", err, len(s.Bytes))
	}
	if err := s.file.Close(); err == nil {
		t.Error("the file was still open after Close")
	}
}

// TestOpenByPath opens a segment as a child does if files are not inherited. The
// parent's Close removes the file, the child's does not.
func TestOpenByPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "segment")
	if err := os.WriteFile(path, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := mapFile(f, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	parent := &Segment{Bytes: b, file: f, path: path}
	if parent.Arg() != path || parent.Files() != nil {
		t.Errorf("argument %q, %d files; want the path alone", parent.Arg(), len(parent.Files()))
	}
	child, err := Open(parent.Arg())
	if err != nil {
		t.Fatal(err)
	}
	child.Bytes[1<<16-1] = 7
	if len(child.Bytes) != 1<<16 || parent.Bytes[1<<16-1] != 7 {
		t.Errorf("%d bytes, the last %d; want the parent's", len(child.Bytes), parent.Bytes[1<<16-1])
	}
	if err := child.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the child removed the parent's file: %v", err)
	}
	if err := parent.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%v; want the file removed", err)
	}
}

// TestSizesThatCannotBeMapped checks that the errors name the size and leave nothing
// behind.
func TestSizesThatCannotBeMapped(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for size, want := range map[int]string{-5 << 20: "shared memory of -5 MB", 0: "shared memory of 0 MB", 1 << 62: "shared memory of 4398046511104 MB"} {
		if _, err := Create(size); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v; want an error that says %q", size, err, want)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(empty); err == nil || !strings.Contains(err.Error(), "shared memory") {
		t.Errorf("an empty segment: %v; want an error", err)
	}
}
