//go:build unix

package regular

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOthers: a pipe without a writer, a socket, a device, and a link to one are refused before they are opened; a file, a
// folder and a link to one are opened.
func TestOthers(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(syscall.Mkfifo(at("pipe"), 0o600), os.Symlink(at("pipe"), at("link")), os.Symlink(os.DevNull, at("device")),
		os.Mkdir(at("folder"), 0o700), os.WriteFile(at("file"), []byte("text"), 0o600), os.Symlink(at("file"), at("good"))); err != nil {
		t.Fatal(err)
	}
	if l, err := net.Listen("unix", at("s")); err == nil { // a long path cannot be one
		defer l.Close()
	} else if err := os.Symlink(os.DevNull, at("s")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "link", "device", "s"} {
		_, first := Open(at(name))
		_, second := OpenIn(os.DirFS(dir), name)
		_, third := ReadFile(at(name))
		for _, err := range []error{first, second, third} {
			if !errors.Is(err, errOther) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, name := range []string{"file", "folder", "good"} {
		f, err := Open(at(name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f.Close()
		in, err := OpenIn(os.DirFS(dir), name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		in.Close()
	}
	if data, err := ReadFile(at("good")); string(data) != "text" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := Open(at("gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what is missing: %v", err)
	}
}
