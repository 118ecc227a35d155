package app

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
		if _, err := Export(t.Context(), filtered(t, s, volume.Region{}), out, ExportOptions{}, nil); err != nil {
			t.Error(err)
		}
		opens(t, "export", out, 3)
		c.Close()
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
		if err := refused(t, path); !strings.Contains(err.Problem, c.problem) || !strings.Contains(err.Advice, "copy") {
			t.Errorf("%s: %v; want %q and the advice to copy the file", name, err, c.problem)
		}
	}
	path := filepath.Join(t.TempDir(), "slice.dcm")
	writeTestFile(t, path, whole)
	if err := refused(t, path); !strings.Contains(err.Advice, "add .gz") {
		t.Errorf("a compressed file under another name: %v", err)
	}
}
