package app

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quell/io/nifti/niftitest"
	"quell/series"
)

// putNii writes a small volume and returns it.
func putNii(t *testing.T, path string, nx, ny, nz int) *series.Series {
	t.Helper()
	s := wavy(nx, ny, nz)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := niftitest.Write(t.Context(), path, s.Volume, ""); err != nil {
		t.Fatal(err)
	}
	return s
}

// putDICOM writes a small volume as a folder of DICOM and returns it.
func putDICOM(t *testing.T, dir string, nx, ny, nz int) *series.Series {
	t.Helper()
	s := wavy(nx, ny, nz)
	if _, err := convert(t.Context(), s, dir, ExportOptions{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// zipOf packs the files below a folder.
func zipOf(t *testing.T, dir, path string) {
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

// openPath opens the largest series of a path.
func openPath(ctx context.Context, path string) (*series.Series, *Catalog, error) {
	in, err := Open(ctx, Input{Path: path}, Events{})
	if err != nil {
		return nil, nil, err
	}
	return in.Series, in.Catalog, nil
}

// refused asserts that a path is refused as input, in one sentence that names
// it.
func refused(t *testing.T, path string) *InputError {
	t.Helper()
	_, c, err := openPath(t.Context(), path)
	if c != nil {
		c.Close()
	}
	var input *InputError
	if !errors.As(err, &input) {
		t.Errorf("%s: %v, want an InputError", filepath.Base(path), err)
		return &InputError{}
	}
	if !strings.HasPrefix(err.Error(), path) || strings.Contains(err.Error(), "\n") || strings.Count(err.Error(), path) != 1 {
		t.Errorf("the sentence does not name the path once: %q", err)
	}
	return input
}

func TestOpenGoesByContent(t *testing.T) {
	dir := t.TempDir()
	want := putNii(t, filepath.Join(dir, "a.nii.gz"), 5, 4, 3)
	disguised := filepath.Join(dir, "scan.dcm") // compressed NIfTI under another name
	if err := os.Rename(filepath.Join(dir, "a.nii.gz"), disguised); err != nil {
		t.Fatal(err)
	}
	s, c, err := openPath(t.Context(), disguised)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if !slices.Equal(s.Volume.Data, want.Volume.Data) {
		t.Error("the values are not the file's")
	}
}

func TestOpenEveryContainer(t *testing.T) {
	dir := t.TempDir()
	series := filepath.Join(dir, "series")
	want := putDICOM(t, series, 6, 5, 4)
	zipped := filepath.Join(dir, "series.zip")
	zipOf(t, dir, zipped)
	index := filepath.Join(series, "DICOMDIR")
	first, err := os.ReadFile(filepath.Join(series, "IM00001.dcm"))
	if err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"folder": series, "parent": dir, "zip": zipped, "index": index} {
		if name == "index" { // any DICOM under this name stands for its folder
			if err := os.WriteFile(index, first, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(series, "IM00001.dcm")); err != nil {
				t.Fatal(err)
			}
		}
		s, c, err := openPath(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Volume.Dims != want.Volume.Dims {
			t.Errorf("%s: dims %v", name, s.Volume.Dims)
		}
		c.Close()
	}
	s, c, err := openPath(t.Context(), filepath.Join(series, "IM00002.dcm"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if s.Volume.Dims != [3]int{6, 5, 1} {
		t.Errorf("one file gives %v, want its one slice", s.Volume.Dims)
	}
}

func TestOpenFolderOfNIfTI(t *testing.T) {
	dir := t.TempDir()
	putNii(t, filepath.Join(dir, "small.nii"), 3, 3, 3)
	big := putNii(t, filepath.Join(dir, "deep", "big.nii.gz"), 7, 6, 5)
	putNii(t, filepath.Join(dir, "pair.hdr"), 4, 4, 4)
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "torn.nii"), []byte("\x5c\x01"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Entries) != 3 || c.Entries[c.Default].Geometry.Dims != big.Volume.Dims {
		t.Errorf("%d entries, default %v; want 3 and the largest", len(c.Entries), c.Entries[c.Default].Geometry.Dims)
	}
	if len(c.Findings) != 1 || c.Findings[0].Severity != series.Refused {
		t.Errorf("findings %v, want one about the torn file", c.Findings)
	}
	if _, err := c.Load(t.Context(), 3, nil); ExitCode(err) != ExitUsage {
		t.Errorf("series 3 of 3: %v", err)
	}
}

func TestOpenFourDimensions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nii")
	s := putNii(t, path, 4, 3, 6)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// dim is eight int16 at byte 40: turn 4 x 3 x 6 into 4 x 3 x 2 x 3.
	for i, n := range []uint16{4, 4, 3, 2, 3} {
		binary.LittleEndian.PutUint16(raw[40+2*i:], n)
	}
	if err := os.WriteFile(path, raw, 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := Scan(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Entries) != 3 {
		t.Fatalf("%d entries, want one for each volume", len(c.Entries))
	}
	for i := range c.Entries {
		part, err := c.Load(t.Context(), i, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := s.Volume.Data[i*24 : (i+1)*24]; !slices.Equal(part.Volume.Data, want) {
			t.Errorf("%s: %v, want %v", c.Entries[i].Part, part.Volume.Data, want)
		}
		for _, w := range part.Windows {
			if !w.Exact {
				t.Error("a NIfTI window uses DICOM's function for whole numbers")
			}
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	putNii(t, filepath.Join(dir, "whole.nii"), 9, 9, 9)
	whole, err := os.ReadFile(filepath.Join(dir, "whole.nii"))
	if err != nil {
		t.Fatal(err)
	}
	refused(t, filepath.Join(dir, "missing"))
	refused(t, empty)
	refused(t, put("text.dcm", []byte("this is no image\n")))
	refused(t, put("nothing.nii", nil))
	refused(t, put("half.nii", whole[:len(whole)/2]))
	refused(t, put("header.nii.gz", []byte("\x1f\x8b\x08\x00")))
	refused(t, put("damaged.zip", []byte("PK\x03\x04 and no more")))

	texts := filepath.Join(dir, "texts")
	if err := os.Mkdir(texts, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(texts, "a.txt"), []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, texts)
	zipOf(t, texts, filepath.Join(dir, "texts.zip"))
	refused(t, filepath.Join(dir, "texts.zip"))

	series := filepath.Join(dir, "series")
	putDICOM(t, series, 8, 8, 3)
	slice := filepath.Join(series, "IM00002.dcm")
	data, err := os.ReadFile(slice)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, put("cut.dcm", data[:len(data)-20]))
}

func TestOpenCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nii")
	putNii(t, path, 3, 3, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, p := range []string{path, filepath.Dir(path)} {
		if _, _, err := openPath(ctx, p); ExitCode(err) != ExitCancelled {
			t.Errorf("a cancelled open: %v", err)
		}
	}
}

// TestArchiveLimits checks the archive's directory alone: nothing of the size
// it claims is ever there.
func TestArchiveLimits(t *testing.T) {
	many := make([]*zip.File, maxArchiveFiles+1)
	for i := range many {
		many[i] = &zip.File{FileHeader: zip.FileHeader{Name: fmt.Sprint(i)}}
	}
	file := func(packed, unpacked uint64) *zip.File {
		return &zip.File{FileHeader: zip.FileHeader{CompressedSize64: packed, UncompressedSize64: unpacked}}
	}
	for name, files := range map[string][]*zip.File{
		"too many":    many,
		"too large":   {file(1<<40, maxUnpacked+1)},
		"overflowing": {file(1, 1<<63), file(1, 1<<63)},
		"a bomb":      {file(10<<20, 10<<30)},
	} {
		if err := checkArchive(&zip.Reader{File: files}, "x.zip"); ExitCode(err) != ExitInput {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := checkArchive(&zip.Reader{File: many[1:]}, "x.zip"); err != nil {
		t.Errorf("as many files as may be: %v", err)
	}
	if err := checkArchive(&zip.Reader{File: []*zip.File{file(1<<36, maxUnpacked)}}, "x.zip"); err != nil {
		t.Errorf("as much as may be: %v", err)
	}
	if err := checkArchive(&zip.Reader{File: []*zip.File{file(1<<36, maxUnpacked), file(1, 1)}}, "x.zip"); err == nil {
		t.Error("two files that together are too large were accepted")
	}
	if err := checkArchive(&zip.Reader{File: []*zip.File{file(300<<20, 900<<20), file(1<<10, 1<<20)}}, "x.zip"); err != nil {
		t.Errorf("an ordinary archive: %v", err)
	}
}

// TestPathsThatAreNoSeries: what is neither file nor folder, cannot be read or is not named
// is refused with the reason.
func TestPathsThatAreNoSeries(t *testing.T) {
	if _, err := Open(t.Context(), Input{}, Events{}); ExitCode(err) != ExitUsage {
		t.Errorf("no path: %v", err)
	}
	if runtime.GOOS == "linux" {
		if err := refused(t, "/dev/null"); err.Problem.String() != "is neither a file nor a folder" {
			t.Errorf("%v", err)
		}
		if err := refused(t, "/proc/self/mem"); !strings.HasPrefix(err.Problem.String(), "cannot be read: ") {
			t.Errorf("%v", err)
		}
	}
	dir := t.TempDir()
	putNii(t, filepath.Join(dir, "a.nii"), 3, 3, 3)
	t.Chdir(dir)
	s, c, err := openPath(t.Context(), "a.nii")
	if err != nil || s.Volume.Dims != [3]int{3, 3, 3} {
		t.Fatalf("a name without a folder: %v", err)
	}
	c.Close()
}

// TestFoldersOfNIfTI: links to files are followed and others are not; a file that cannot
// be read does not hide those behind it, and stages of exports are left out.
func TestFoldersOfNIfTI(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	putNii(t, filepath.Join(other, "real.nii"), 4, 4, 4)
	putNii(t, filepath.Join(dir, "z", "last.nii"), 3, 3, 3)
	putNii(t, filepath.Join(dir, ".quell-export-1", "staged.nii"), 9, 9, 9)
	writeTestFile(t, filepath.Join(dir, "b.nii"), []byte("torn"))
	for link, target := range map[string]string{"a.nii": filepath.Join(other, "real.nii"), "c.nii": filepath.Join(other, "gone"), "d.nii": other} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	c, err := Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if len(c.Entries) != 2 || c.Entries[0].Geometry.Dims != [3]int{4, 4, 4} || c.Entries[1].Geometry.Dims != [3]int{3, 3, 3} || c.Default != 0 {
		t.Errorf("%d entries, the default is %d", len(c.Entries), c.Default)
	}
	var names []string
	for _, f := range c.Findings {
		names = append(names, f.Files...)
		if f.Severity != series.Refused || f.Kind != series.Unreadable {
			t.Errorf("finding %+v", f)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"b.nii", "c.nii"}) {
		t.Errorf("findings about %q; want the torn file and the broken link", names)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if files, err := listImageFiles(ctx, os.DirFS(dir)); !errors.Is(err, context.Canceled) || len(files.names) != 0 {
		t.Errorf("cancelled: %v, %v", files, err)
	}
	if _, err := listImageFiles(t.Context(), os.DirFS(filepath.Join(dir, "gone"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

// A choice of the largest series is reported only where there is one.
func TestChoicesAreTold(t *testing.T) {
	for _, c := range []struct {
		path, component string
		told            bool
	}{
		{"int16-le.nii", "", false},
		{"complex64-le.nii", "real", true}, // two volumes have that part
		{"rgb24.nii", "red", false},        // one of four components
	} {
		told := false
		in, err := Open(t.Context(), Input{Path: filepath.Join(niftiSamples, c.path), Component: c.component}, Events{Message: func(_ series.Severity, text string) {
			told = told || strings.Contains(text, "--series takes another")
		}})
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
		if told != c.told || in.Took <= 0 {
			t.Errorf("%s %s: reported a choice: %v", c.path, c.component, told)
		}
	}
}
