package dicom_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

func TestForeign(t *testing.T) {
	dir, s := dicomtest.OnDisk(t, dicomtest.Stack(3))
	parent := t.TempDir()
	in := func(name string) string { return filepath.Join(parent, name) }
	if err := os.MkdirAll(in("other"), 0o755); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(in("other"), "IM00001.dcm"), bytes.ReplaceAll(dicomtest.NewFake("1", 0, 0).File(),
		[]byte(part10.ImplementationClassUID), []byte(strings.Repeat("1", len(part10.ImplementationClassUID)))), 0o644)
	for _, name := range []string{"export", "shown", "letter"} {
		dicomtest.Write(t, in(name), s, s.Volume)
	}
	for _, name := range []string{".DS_Store", "Thumbs.db", "desktop.ini", "._IM00001.dcm"} {
		os.WriteFile(filepath.Join(in("shown"), name), []byte("x"), 0o644)
	}
	os.WriteFile(filepath.Join(in("letter"), "letter.txt"), []byte("x"), 0o644)
	os.Mkdir(in("empty"), 0o755)
	os.Mkdir(in("icons"), 0o755)
	os.WriteFile(filepath.Join(in("icons"), ".DS_Store"), []byte("x"), 0o644)
	for _, name := range []string{"stage", "volumes", "deep", "record"} {
		dicomtest.Write(t, in(name), s, s.Volume)
	}
	for _, name := range []string{"stage/.quell-export-abc/new", "stage/lost+found", "volumes/001-b-value-0", "deep/001", "deep/002"} {
		os.MkdirAll(in(filepath.FromSlash(name)), 0o755)
	}
	dicomtest.Write(t, filepath.Join(in("volumes"), "002"), s, s.Volume)
	os.WriteFile(filepath.Join(in("deep"), "002", "known"), []byte("x"), 0o644)
	os.WriteFile(filepath.Join(in("record"), "known"), []byte("x"), 0o644)
	for name, want := range map[string]string{
		in("export"): "", in("shown"): "", in("stage"): "", in("volumes"): "", in("record"): "",
		in("empty"): "", in("icons"): "", in("letter"): "letter.txt", in("other"): "IM00001.dcm", dir: "a.dcm", in("deep"): "002/known",
	} {
		if got, err := dicom.Foreign(name, func(name string) bool { return name == "known" }); got != want || err != nil {
			t.Errorf("Foreign(%s) = %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := dicom.Foreign(in("missing"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

func TestWriteKeepsWhatExists(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(2))
	out := t.TempDir()
	if _, err := dicomtest.WriteAs(context.Background(), out, s, s.Volume, dicomtest.TestDerived, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(out); err != nil {
		t.Error(err)
	}
}

// TestWriteLeavesNothingAfterAnError cancels an export, and removes a source file during it.
func TestWriteLeavesNothingAfterAnError(t *testing.T) {
	dir, s := dicomtest.OnDisk(t, dicomtest.Stack(4))
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	for _, at := range []int{2, 4, 6} { // while files are written, between, while they are read back
		ctx, cancel := context.WithCancel(context.Background())
		_, err := dicomtest.WriteAs(ctx, out, s, s.Volume, dicomtest.TestDerived, func(done, total int) {
			if total != 8 {
				t.Errorf("total %d, want 4 written and 4 read back", total)
			}
			if done == at {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d: %v", at, err)
		}
	}
	os.Rename(filepath.Join(dir, "c.dcm"), filepath.Join(dir, "gone"))
	_, err := dicomtest.WriteAs(context.Background(), out, s, s.Volume, dicomtest.TestDerived, nil)
	dicomtest.WantError(t, err, "c.dcm: the source file cannot be opened")
	os.Rename(filepath.Join(dir, "gone"), filepath.Join(dir, "c.dcm"))
	if info, err := os.Stat(filepath.Join(dir, "b.dcm")); err != nil || os.Truncate(filepath.Join(dir, "b.dcm"), info.Size()-3) != nil {
		t.Fatal(err)
	}
	_, err = dicomtest.WriteAs(context.Background(), out, s, s.Volume, dicomtest.TestDerived, nil)
	dicomtest.WantError(t, err, "b.dcm: ", "damaged")
	if got := dicomtest.Names(t, parent); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}
