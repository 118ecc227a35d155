package apptest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/format"
	"quell/io/nifti/niftitest"
	"quell/series"
	"quell/volume"
)

// SlicesOf returns the files of a small DICOM series.
func SlicesOf(t *testing.T, n int) [][]byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "series")
	PutDICOM(t, dir, 6, 5, n)
	var out [][]byte
	for i := range n {
		b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("IM%05d.dcm", i+1)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

// OpenFiles counts the open files of this process below dir.
func OpenFiles(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("the open files are not listed here: ", err)
	}
	n := 0
	for _, e := range entries {
		if path, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(path, dir) {
			n++
		}
	}
	return n
}

// OwnConfig gives the test a configuration folder of its own.
func OwnConfig(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, dir)
	}
}

// WriteDiffusion writes the files of a series into a new folder.
func WriteDiffusion(t *testing.T, d dicomtest.Diffusion) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dwi")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, f := range d.Files() {
		if err := os.WriteFile(filepath.Join(dir, name), f.File(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Put4D writes a NIfTI file of n volumes, each of other values, and returns them.
func Put4D(t *testing.T, path string, n int, step float64) (volumes []*volume.Volume) {
	t.Helper()
	first := Wavy(7, 6, 5)
	first.Volume.Affine.SetColumn(3, volume.Vec{-3, 4, 5})
	for k := range n {
		v := volume.New(first.Volume.Geometry)
		for i, x := range first.Volume.Data {
			v.Data[i] = x*float32(k+1) + float32((i*7919+k*31)%13)
		}
		volumes = append(volumes, v)
	}
	Write4D(t, path, step, volumes...)
	return volumes
}

// Write4D writes volumes to a NIfTI file.
func Write4D(t *testing.T, path string, step float64, volumes ...*volume.Volume) {
	t.Helper()
	if err := niftitest.Write4D(t.Context(), path, step, volumes...); err != nil {
		t.Fatal(err)
	}
}

// Gzipped returns content compressed by gzip.
func Gzipped(t *testing.T, content []byte) []byte {
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

// WriteTestFile writes a file that must not fail.
func WriteTestFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// PutNii writes a small volume and returns it.
func PutNii(t *testing.T, path string, nx, ny, nz int) *series.Series {
	t.Helper()
	s := Wavy(nx, ny, nz)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := niftitest.Write(t.Context(), path, s.Volume, ""); err != nil {
		t.Fatal(err)
	}
	return s
}

// PutDICOM writes a small volume as a folder of DICOM and returns it.
func PutDICOM(t *testing.T, dir string, nx, ny, nz int) *series.Series {
	t.Helper()
	s := Wavy(nx, ny, nz)
	SaveDICOM(t, dir, s)
	return s
}

// SaveDICOM writes a series as a folder of DICOM, derived from its files if it has any.
func SaveDICOM(t *testing.T, dir string, s *series.Series) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	w := dicom.NewWriter(dir, format.Options{Version: "of a test"})
	defer w.Discard()
	err := w.Begin(t.Context(), s, format.Derived{})
	if err == nil {
		err = w.Add(t.Context(), s.Volume, nil)
	}
	if err == nil {
		_, err = w.Close(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ZipOf packs the files below a folder.
func ZipOf(t *testing.T, dir, path string) {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	if err := z.AddFS(os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Symlink makes a symbolic link and skips the test if that is not possible.
func Symlink(t *testing.T, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("symbolic links are not supported: %v", err)
	}
}

// PutForeignDICOM writes a series whose files have names that Quell does not give.
func PutForeignDICOM(t *testing.T, dir string) {
	t.Helper()
	PutDICOM(t, dir, 4, 4, 2)
	for _, z := range []string{"1", "2"} {
		if err := os.Rename(filepath.Join(dir, "IM0000"+z+".dcm"), filepath.Join(dir, "scan"+z+".dcm")); err != nil {
			t.Fatal(err)
		}
	}
}

// FilesBelow returns the paths and contents of all files below dir.
func FilesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			files = append(files, path)
			return err
		}
		data, err := os.ReadFile(path)
		files = append(files, path+"="+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
