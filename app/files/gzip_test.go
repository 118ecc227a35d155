package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"quell/app/apptest"
)

// stream is a file that can be read in order alone, as a member of a zip.
type stream struct{ fs.File }

// TestSizeOfCompressedFiles: the size is taken from the trailer, however the file is
// read, and there is none of a file that is too short to be compressed.
func TestSizeOfCompressedFiles(t *testing.T) {
	packed := apptest.Gzipped(t, make([]byte, 70000))
	files := fstest.MapFS{
		"a":      {Data: packed},
		"short":  {Data: packed[len(packed)-17:]},
		"18":     {Data: packed[len(packed)-18:]},
		"folder": {Mode: fs.ModeDir},
	}
	for _, c := range []struct {
		name string
		size int64
		ok   bool
	}{{"a", 70000, true}, {"18", 70000, true}, {"short", 0, false}, {"folder", 0, false}, {"missing", 0, false}} {
		for _, inOrder := range []bool{false, true} {
			size, err := unpackedSize(func() (fs.File, error) {
				f, err := files.Open(c.name)
				if inOrder && err == nil {
					f = stream{f}
				}
				return f, err
			})
			if size != c.size || (err == nil) != c.ok {
				t.Errorf("%s, in order %v: %d bytes, %v; want %d", c.name, inOrder, size, err, c.size)
			}
		}
	}
}

// TestCompressedFilesEndAsTheirTrailerSays reads compressed slices to their end.
func TestCompressedFilesEndAsTheirTrailerSays(t *testing.T) {
	slice := apptest.SlicesOf(t, 1)[0]
	whole := apptest.Gzipped(t, slice)
	size := len(whole) - 4
	for what, c := range map[string]struct {
		change func(b []byte)
		want   string // of the error; "" for none
	}{
		"whole":    {func([]byte) {}, ""},
		"longer":   {func(b []byte) { b[size]-- }, "contains more than the"},
		"checksum": {func(b []byte) { b[size-1] ^= 1 }, "checksum"},
	} {
		b := bytes.Clone(whole)
		c.change(b)
		files := fstest.MapFS{"a.gz": {Data: b}}
		f, err := OpenPlain("a.gz", func() (fs.File, error) { return files.Open("a.gz") })
		if err != nil {
			t.Fatal(err)
		}
		if info, err := f.Stat(); err != nil || info.Size() != int64(binary.LittleEndian.Uint32(b[size:])) || info.Name() != "a.gz" {
			t.Errorf("%s: %d bytes, %v", what, info.Size(), err)
		}
		// In one read of exactly the size, as a reader that knows it does.
		got := make([]byte, len(slice))
		n, err := io.ReadFull(f, got)
		switch {
		case c.want == "" && (err != nil || !bytes.Equal(got, slice)):
			t.Errorf("%s: %d bytes, %v", what, n, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %d bytes, %v; want an error with %q", what, n, err, c.want)
		}
		if c.want == "" {
			if n, err := f.Read(got); n != 0 || !errors.Is(err, io.EOF) {
				t.Errorf("behind the end: %d bytes, %v", n, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFilesThatAreNotCompressedDICOM are opened as they are.
func TestFilesThatAreNotCompressedDICOM(t *testing.T) {
	text := apptest.Gzipped(t, []byte(strings.Repeat("text", 300)))
	files := fstest.MapFS{
		"text.gz": {Data: text}, "plain.gz": {Data: []byte("no gzip file, though its name says so")},
		"a.nii.gz": {Data: text}, "short.gz": {Data: []byte("x")},
	}
	for name, file := range files {
		f, err := OpenPlain(name, func() (fs.File, error) { return files.Open(name) })
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, file.Data) {
			t.Errorf("%s: %d bytes, %v; want the file's %d", name, len(got), err, len(file.Data))
		}
		f.Close()
	}
	if f, err := OpenPlain("missing.gz", func() (fs.File, error) { return files.Open("missing.gz") }); !errors.Is(err, fs.ErrNotExist) || f != nil {
		t.Errorf("%v, %v", f, err)
	}
	dir := t.TempDir()
	apptest.WriteTestFile(t, filepath.Join(dir, "text.gz"), text)
	folder := OpenFolder(dir, true)
	if info, err := folder.Stat("text.gz"); err != nil || info.Size() != int64(len(text)) {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := folder.Stat("missing.gz"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	slice := apptest.SlicesOf(t, 1)[0]
	apptest.WriteTestFile(t, filepath.Join(dir, "slice.gz"), apptest.Gzipped(t, slice))
	if info, err := folder.Stat("slice.gz"); err != nil || info.Size() != int64(len(slice)) {
		t.Errorf("%v, %v; want the size of the content, %d", info.Size(), err, len(slice))
	}
	if n := apptest.OpenFiles(t, dir); n != 0 {
		t.Errorf("%d files are open", n)
	}
}
