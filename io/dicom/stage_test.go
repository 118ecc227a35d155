package dicom

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/volume"
)

// TestTargets checks where an export may go.
func TestTargets(t *testing.T) {
	dir, s := onDisk(t, stack(3))
	ctx := context.Background()
	parent := t.TempDir()
	try := func(out string) error {
		_, err := Write(ctx, out, s, s.Volume, testDerived, nil)
		return err
	}
	wantError(t, try(dir), "never written to", "choose")
	os.WriteFile(filepath.Join(parent, "file"), []byte("x"), 0o644)
	wantError(t, try(filepath.Join(parent, "file")), "it is a file")
	full := filepath.Join(parent, "full")
	os.Mkdir(full, 0o755)
	os.WriteFile(filepath.Join(full, "letter.txt"), []byte("x"), 0o644)
	wantError(t, try(full), "not empty")
	foreign := filepath.Join(parent, "foreign")
	os.Mkdir(foreign, 0o755)
	os.WriteFile(filepath.Join(foreign, "IM00001.dcm"), bytes.ReplaceAll(newFake("1", 0, 0).file(),
		[]byte(implementationClassUID), []byte(strings.Repeat("1", len(implementationClassUID)))), 0o644)
	wantError(t, try(foreign), "not empty")

	empty := filepath.Join(parent, "empty")
	os.Mkdir(empty, 0o755)
	if err := try(empty); err != nil {
		t.Error(err)
	}
	if !IsExport(empty) || IsExport(full) || IsExport(foreign) || IsExport(dir) {
		t.Error("IsExport")
	}
	// An earlier export, of more slices, is replaced as a whole.
	short := *s
	short.Volume = s.Volume.Crop(volume.Slices(s.Volume.Geometry, 0, 2))
	short.Sources = s.Sources[:2]
	if _, err := Write(ctx, empty, &short, short.Volume, testDerived, nil); err != nil {
		t.Error(err)
	}
	if got := names(t, empty); len(got) != 2 {
		t.Errorf("after replacing: %v", got)
	}
	if got := names(t, parent); !slices.Equal(got, []string{"empty", "file", "foreign", "full"}) {
		t.Errorf("left beside the target: %v", got)
	}
}

// TestNothingHalfWritten cancels an export, loses a source during it, and finds
// what a killed one left.
func TestNothingHalfWritten(t *testing.T) {
	dir, s := onDisk(t, stack(4))
	parent := t.TempDir()
	out := filepath.Join(parent, "out")
	for _, at := range []int{2, 4, 6} { // while files are written, between, while they are read back
		ctx, cancel := context.WithCancel(context.Background())
		_, err := Write(ctx, out, s, s.Volume, testDerived, func(done, total int) {
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
	_, err := Write(context.Background(), out, s, s.Volume, testDerived, nil)
	wantError(t, err, "c.dcm: the source file cannot be opened")
	os.Rename(filepath.Join(dir, "gone"), filepath.Join(dir, "c.dcm"))
	if info, err := os.Stat(filepath.Join(dir, "b.dcm")); err != nil || os.Truncate(filepath.Join(dir, "b.dcm"), info.Size()-3) != nil {
		t.Fatal(err)
	}
	_, err = Write(context.Background(), out, s, s.Volume, testDerived, nil)
	wantError(t, err, "b.dcm: ", "damaged")
	if got := names(t, parent); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}

	_, s = onDisk(t, stack(2))
	// No process has id 0x7FFFFFFF; one with our id that is not ours is of before.
	stale := []string{fmt.Sprintf("%s%s-%d-1", stagePrefix, machine(), 0x7FFFFFFF), fmt.Sprintf("%s%s-%d-2", stagePrefix, machine(), os.Getpid())}
	live := fmt.Sprintf("%s%s-%d-3", stagePrefix, "ffffffff", 0x7FFFFFFF) // another machine's
	for _, name := range append(stale, live) {
		os.Mkdir(filepath.Join(parent, name), 0o755)
	}
	write(t, out, s, s.Volume)
	if got := names(t, parent); !slices.Equal(got, []string{live, "out"}) {
		t.Errorf("after the next export: %v", got)
	}
}
