package dicom_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// TestReadBackFindsEveryDifference changes an export between writing and reading back.
func TestReadBackFindsEveryDifference(t *testing.T) {
	fakes := dicomtest.Stack(3)
	_, s := dicomtest.OnDisk(t, fakes)
	var positions []volume.Vec
	var sums []uint64
	for z, name := range []string{"c.dcm", "b.dcm", "a.dcm"} {
		positions = append(positions, s.Sources[z].Position)
		sums = append(sums, dicom.PixelSum(fakes[name].Pixels))
	}
	rename := func(dir, from, to string) error { return os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)) }
	edit := func(dir, name string, old, with []byte) error {
		b := dicomtest.ReadSourceFile(t, dir, name)
		if !bytes.Contains(b, old) {
			t.Fatalf("%s does not contain %q", name, old)
		}
		return os.WriteFile(filepath.Join(dir, name), bytes.Replace(b, old, with, 1), 0o666)
	}
	for _, c := range []struct {
		name, want string
		change     func(dir string) error
	}{
		{"nothing", "", func(string) error { return nil }},
		{"all gone", "the folder is empty", func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o777))
		}},
		{"a second series", "(2 volumes)", func(dir string) error {
			other := dicomtest.NewFake("9", 0, 0).With(part10.TagSeriesInstanceUID, "1.2.3.77").File()
			return os.WriteFile(filepath.Join(dir, "other.dcm"), other, 0o666)
		}},
		{"one cut", "(1 volumes)", func(dir string) error {
			b := dicomtest.ReadSourceFile(t, dir, "IM00002.dcm")
			return os.WriteFile(filepath.Join(dir, "IM00002.dcm"), b[:len(b)-3], 0o666)
		}},
		{"the last gone", "(2 of 3 slices)", func(dir string) error { return os.Remove(filepath.Join(dir, "IM00003.dcm")) }},
		{"names exchanged", "(frame 0 of IM00002.dcm in place 0)", func(dir string) error {
			return errors.Join(rename(dir, "IM00001.dcm", "x"), rename(dir, "IM00002.dcm", "IM00001.dcm"), rename(dir, "x", "IM00002.dcm"))
		}},
		{"a slice moved", "(position of frame 0 of IM00002.dcm)", func(dir string) error {
			return edit(dir, "IM00002.dcm", []byte(`-10\-20\52.5`), []byte(`-10\-21\52.5`))
		}},
		{"a pixel changed", "(pixels of IM00003.dcm differ)", func(dir string) error {
			return edit(dir, "IM00003.dcm", fakes["a.dcm"].Pixels, append([]byte{1}, fakes["a.dcm"].Pixels[1:]...))
		}},
	} {
		dir := filepath.Join(t.TempDir(), "out")
		r := dicomtest.Write(t, dir, s, s.Volume)
		if err := c.change(dir); err != nil {
			t.Fatal(err)
		}
		err := dicom.ReadBack(dicom.WrittenTo(dir, r.SeriesUID, [][]int{{0}, {1}, {2}}, positions, sums), t.Context())
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		dicomtest.WantError(t, err, "were read back and differ", c.want, "check the disk")
	}

	dir := filepath.Join(t.TempDir(), "out")
	r := dicomtest.Write(t, dir, s, s.Volume)
	err := dicom.ReadBack(dicom.WrittenTo(dir, r.SeriesUID+".1", [][]int{{0}, {1}, {2}}, positions, sums), t.Context())
	dicomtest.WantError(t, err, "(3 of 3 slices)")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := dicom.ReadBack(dicom.WrittenTo(dir, r.SeriesUID, [][]int{{0}, {1}, {2}}, positions, sums), cancelled); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// TestReadBackChecksFrames expects the frames of a multi-frame file in another order, or in another file.
func TestReadBackChecksFrames(t *testing.T) {
	_, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": dicomtest.NewEnhanced(part10.ExplicitLE, false, dicomtest.ThreeFrames...)})
	dir, r := dicomtest.Export(t, s, dicomtest.TestDerived)
	var positions []volume.Vec
	for _, from := range s.Sources {
		positions = append(positions, from.Position)
	}
	for want, files := range map[string][][]int{
		"(frame 2 of IM00001.dcm in place 0)": {{0, 1, 2}}, // the frames lie against the order of their positions
		"(frame 1 of IM00001.dcm in place 1)": {{2, 0}, {1}},
	} {
		w := dicom.WrittenTo(dir, r.SeriesUID, files, positions, make([]uint64, 3))
		dicomtest.WantError(t, dicom.ReadBack(w, t.Context()), want[:6], "IM00001.dcm in place")
	}
}

// TestWriterStopsAtTheFirstError fails to make a file, and to write it: the error is returned and the folder goes.
func TestWriterStopsAtTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	dir := filepath.Join(t.TempDir(), "out")
	for _, c := range []struct {
		name string
		make func() ([]byte, [][]byte, error)
		want error
	}{
		{"make", func() ([]byte, [][]byte, error) { return nil, [][]byte{nil}, broken }, broken},
		{"write", func() ([]byte, [][]byte, error) {
			return []byte{}, [][]byte{nil}, os.Mkdir(filepath.Join(dir, "IM00001.dcm"), 0o777)
		}, nil},
	} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		w := dicom.WrittenTo(dir, "", nil, nil, nil)
		err := w.WriteFiles(t.Context(), c.make)
		w.Discard()
		var path *fs.PathError
		if c.want != nil && !errors.Is(err, c.want) || c.want == nil && (!errors.As(err, &path) || path.Path != filepath.Join(dir, "IM00001.dcm")) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the folder stays: %v", c.name, err)
		}
	}
}

// TestWriterInSlices: a series without a UID, with a study that follows from its voxels, has the files
// of the whole as well; what does not follow is an error, and after it nothing is left.
func TestWriterInSlices(t *testing.T) {
	for name, fakes := range map[string]map[string]*dicomtest.Fake{"files": dicomtest.Stack(4), "padding": dicomtest.Stack(4), "mosaic": {"m": dicomtest.NewMosaic(1, `0\0\1`)}} {
		for _, f := range fakes {
			f.With(part10.TagSeriesInstanceUID, nil).With(part10.TagStudyInstanceUID, nil)
			if name == "padding" {
				f.With(part10.TagPixelPaddingValue, []byte{100, 0})
			}
		}
		_, s := dicomtest.OnDisk(t, fakes)
		if s.UID != "" || (s.Volume.Mask != nil) != (name == "padding") {
			t.Fatalf("%s: UID %q, mask %v", name, s.UID, s.Volume.Mask)
		}
		result := s.Volume.Clone()
		for i := range result.Data {
			result.Data[i] += float32(2 * (i % 3))
		}
		dicomtest.Write(t, filepath.Join(t.TempDir(), "out"), s, result)
	}

	_, s := dicomtest.OnDisk(t, dicomtest.Stack(4))
	part := func(z0, z1 int) *volume.Volume { return s.Volume.Crop(volume.Slices(s.Volume.Geometry, z0, z1)) }
	nan := part(0, 1)
	nan.Data[3] = float32(math.NaN())
	for want, parts := range map[string][]*volume.Volume{
		"0 of 1 volumes": {part(0, 3)}, "do not follow 3 of": {part(0, 3), part(0, 2)}, "do not follow 0 of": {volume.New(volume.NewGeometry([3]int{3, 3, 4}, [3]float64{1, 1, 1}))},
		"no volume was begun": {part(0, 4), part(0, 1)}, "cannot be written": {nan},
	} {
		for _, fresh := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "out")
			w := dicom.NewWriter(dir, format.Options{})
			src := *s
			if fresh {
				src.Sources = nil
			}
			err := w.Begin(t.Context(), &src, format.Derived{})
			for _, p := range parts {
				if err == nil {
					err = w.Add(t.Context(), p, nil)
				}
			}
			if err == nil {
				_, err = w.Close(t.Context())
			}
			w.Discard()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v; want %q", err, want)
			}
			if left, _ := filepath.Glob(dir + "*"); left != nil {
				t.Errorf("%s: %v is left", want, left)
			}
		}
	}
	w := dicomtest.NewWriter(filepath.Join(t.TempDir(), "out"), &series.Group{Places: make([]series.Place, 2)}, dicomtest.TestDerived)
	defer w.Discard()
	if err := errors.Join(w.Begin(t.Context(), s, format.Derived{}), w.Add(t.Context(), part(0, 2), nil)); err != nil {
		t.Fatal(err)
	}
	if err := w.Begin(t.Context(), s, format.Derived{}); err == nil || !strings.Contains(err.Error(), "slices of the volume before are missing") {
		t.Errorf("a volume within another: %v", err)
	}
}
