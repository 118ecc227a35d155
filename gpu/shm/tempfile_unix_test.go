//go:build unix

package shm

import (
	"os"
	"testing"
)

// TestUnlinkedFileHasNoName checks the file that is used if there is no memfd.
func TestUnlinkedFileHasNoName(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	f, path, err := unlinkedFile()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 || path != "" {
		t.Errorf("%d files, path %q, %v; want no name", len(entries), path, err)
	}
	if _, err := f.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	t.Setenv("TMPDIR", dir+"/nothing")
	if _, _, err := unlinkedFile(); err == nil {
		t.Error("no error without a folder for temporary files")
	}
}

// TestSegmentsAreInherited checks what the child gets.
func TestSegmentsAreInherited(t *testing.T) {
	s := segment(t, 1<<16)
	if s.Arg() != "inherited" || len(s.Files()) != 1 || s.Files()[0] != s.file {
		t.Errorf("argument %q, files %v; want the file by its descriptor", s.Arg(), s.Files())
	}
}
