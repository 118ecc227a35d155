package app

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"

	"quell/volume"
)

func gzipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(content)
	if e := z.Close(); err == nil {
		err = e
	}
	if err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func writeTestFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCompressedDICOM opens slices compressed by gzip: one by itself, in a folder
// beside plain ones, and in a zip; and exports them as DICOM.
func TestCompressedDICOM(t *testing.T) {
	dir := t.TempDir()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for i, slice := range slicesOf(t, 3) {
		name := fmt.Sprintf("%d.dcm", i)
		if i > 0 {
			name, slice = name+".GZ", gzipped(t, slice)
		}
		writeTestFile(t, filepath.Join(dir, name), slice)
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(slice)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	zipped := filepath.Join(t.TempDir(), "series.zip")
	writeTestFile(t, zipped, packed.Bytes())
	opens(t, "one file", filepath.Join(dir, "1.dcm.GZ"), 1)
	for _, path := range []string{dir, zipped} {
		opens(t, "series", path, 3)
		s, c, err := openPath(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if want := wavy(6, 5, 3); !slices.Equal(s.Volume.Data, want.Volume.Data) {
			t.Errorf("%s: the voxels are not those that were written", path)
		}
		out := filepath.Join(t.TempDir(), "out")
		if _, err := exportRun(t.Context(), filtered(t, s, volume.Region{}), out, ExportOptions{}, nil); err != nil {
			t.Error(err)
		}
		opens(t, "export", out, 3)
		c.Close()
	}
}

// stream is a file that can be read in order alone, as a member of a zip.
type stream struct{ fs.File }

// TestSizeOfCompressedFiles: the size is that of the trailer, however the file is read,
// and there is none of what is too short to be compressed.
func TestSizeOfCompressedFiles(t *testing.T) {
	packed := gzipped(t, make([]byte, 70000))
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
	slice := slicesOf(t, 1)[0]
	whole := gzipped(t, slice)
	size := len(whole) - 4
	for what, c := range map[string]struct {
		change func(b []byte)
		want   string // of the error; "" for none
	}{
		"whole":    {func([]byte) {}, ""},
		"longer":   {func(b []byte) { b[size]-- }, "holds more than the"},
		"checksum": {func(b []byte) { b[size-1] ^= 1 }, "checksum"},
	} {
		b := bytes.Clone(whole)
		c.change(b)
		files := fstest.MapFS{"a.gz": {Data: b}}
		f, err := openPlain("a.gz", func() (fs.File, error) { return files.Open("a.gz") })
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
	text := gzipped(t, []byte(strings.Repeat("text", 300)))
	files := fstest.MapFS{
		"text.gz": {Data: text}, "plain.gz": {Data: []byte("no gzip file, though its name says so")},
		"a.nii.gz": {Data: text}, "short.gz": {Data: []byte("x")},
	}
	for name, file := range files {
		f, err := openPlain(name, func() (fs.File, error) { return files.Open(name) })
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, file.Data) {
			t.Errorf("%s: %d bytes, %v; want the file's %d", name, len(got), err, len(file.Data))
		}
		f.Close()
	}
	if f, err := openPlain("missing.gz", func() (fs.File, error) { return files.Open("missing.gz") }); !errors.Is(err, fs.ErrNotExist) || f != nil {
		t.Errorf("%v, %v", f, err)
	}
	dir := t.TempDir()
	writeTestFile(t, filepath.Join(dir, "text.gz"), text)
	folder := openFolder(dir, true)
	if info, err := folder.Stat("text.gz"); err != nil || info.Size() != int64(len(text)) {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := folder.Stat("missing.gz"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	slice := slicesOf(t, 1)[0]
	writeTestFile(t, filepath.Join(dir, "slice.gz"), gzipped(t, slice))
	if info, err := folder.Stat("slice.gz"); err != nil || info.Size() != int64(len(slice)) {
		t.Errorf("%v, %v; want the size of the content, %d", info.Size(), err, len(slice))
	}
	if n := openFiles(t, dir); n != 0 {
		t.Errorf("%d files are open", n)
	}
}

// TestDamagedCompressedDICOM refuses compressed slices that are damaged, and one
// whose trailer promises what no image has before anything is decompressed.
func TestDamagedCompressedDICOM(t *testing.T) {
	slice := slicesOf(t, 1)[0]
	whole := gzipped(t, slice)
	change := func(f func(b []byte) []byte) []byte { return f(bytes.Clone(whole)) }
	size := len(whole) - 4
	for name, c := range map[string]struct {
		content []byte
		problem string
	}{
		"bomb":      {change(func(b []byte) []byte { b[size+3] = 0xf0; return b }), "no image does"},
		"truncated": {change(func(b []byte) []byte { return append(b[:len(b)/2], b[size:]...) }), ""},
		"checksum":  {change(func(b []byte) []byte { b[size-1] ^= 1; return b }), "checksum"},
		"larger":    {change(func(b []byte) []byte { b[size]--; return b }), ""},
		"smaller":   {change(func(b []byte) []byte { b[size]++; return b }), ""},
	} {
		path := filepath.Join(t.TempDir(), name+".dcm.gz")
		writeTestFile(t, path, c.content)
		if err := refused(t, path); !strings.Contains(err.Problem.String(), c.problem) || !strings.Contains(err.Advice.String(), "copy") {
			t.Errorf("%s: %v; want %q and the advice to copy the file", name, err, c.problem)
		}
	}
	path := filepath.Join(t.TempDir(), "slice.dcm")
	writeTestFile(t, path, whole)
	if err := refused(t, path); !strings.Contains(err.Advice.String(), "add .gz") {
		t.Errorf("a compressed file under another name: %v", err)
	}
}
