package open_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/app/open/opentest"
	"quell/series"
)

func TestOpenGoesByContent(t *testing.T) {
	dir := t.TempDir()
	want := apptest.PutNii(t, filepath.Join(dir, "a.nii.gz"), 5, 4, 3)
	disguised := filepath.Join(dir, "scan.dcm") // compressed NIfTI under another name
	if err := os.Rename(filepath.Join(dir, "a.nii.gz"), disguised); err != nil {
		t.Fatal(err)
	}
	s, c, err := opentest.OpenPath(t.Context(), disguised)
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
	want := apptest.PutDICOM(t, series, 6, 5, 4)
	zipped := filepath.Join(dir, "series.zip")
	apptest.ZipOf(t, dir, zipped)
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
		s, c, err := opentest.OpenPath(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Volume.Dims != want.Volume.Dims {
			t.Errorf("%s: dims %v", name, s.Volume.Dims)
		}
		c.Close()
	}
	s, c, err := opentest.OpenPath(t.Context(), filepath.Join(series, "IM00002.dcm"))
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
	apptest.PutNii(t, filepath.Join(dir, "small.nii"), 3, 3, 3)
	big := apptest.PutNii(t, filepath.Join(dir, "deep", "big.nii.gz"), 7, 6, 5)
	apptest.PutNii(t, filepath.Join(dir, "pair.hdr"), 4, 4, 4)
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "torn.nii"), []byte("\x5c\x01"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := open.Scan(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Entries) != 3 || c.Entries[c.Default].Geometry.Dims != big.Volume.Dims {
		t.Errorf("%d entries, default %v; want 3 and the largest", len(c.Entries), c.Entries[c.Default].Geometry.Dims)
	}
	if len(c.Findings) != 1 || c.Findings[0].Severity != series.Refused {
		t.Errorf("findings %v, want one about the torn file", c.Findings)
	}
	if _, err := c.Load(t.Context(), 3, nil); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("series 3 of 3: %v", err)
	}
}

func TestOpenFourDimensions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nii")
	s := apptest.PutNii(t, path, 4, 3, 6)
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
	c, err := open.Scan(t.Context(), path)
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

// TestPathsThatAreNoSeries: a path that is neither file nor folder, cannot be read or is not named
// is refused with the reason.
func TestPathsThatAreNoSeries(t *testing.T) {
	if _, err := open.Open(t.Context(), job.Input{}, job.Events{}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("no path: %v", err)
	}
	if runtime.GOOS == "linux" {
		if err := opentest.Refused(t, "/dev/null"); err.Problem.String() != "is neither a file nor a folder" {
			t.Errorf("%v", err)
		}
		if err := opentest.Refused(t, "/proc/self/mem"); !strings.HasPrefix(err.Problem.String(), "cannot be read: ") {
			t.Errorf("%v", err)
		}
	}
	dir := t.TempDir()
	apptest.PutNii(t, filepath.Join(dir, "a.nii"), 3, 3, 3)
	t.Chdir(dir)
	s, c, err := opentest.OpenPath(t.Context(), "a.nii")
	if err != nil || s.Volume.Dims != [3]int{3, 3, 3} {
		t.Fatalf("a name without a folder: %v", err)
	}
	c.Close()
}

// A choice of the largest series is reported only if there is one.
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
		in, err := open.Open(t.Context(), job.Input{Path: filepath.Join(niftiSamples, c.path), Component: c.component}, job.Events{Message: func(_ series.Severity, text string) {
			told = told || strings.Contains(text, "choose another with --series")
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
