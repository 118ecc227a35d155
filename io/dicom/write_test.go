package dicom_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/internal/message"
	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// TestWriteRoundTrip checks values after export: within half a step, clipped
// ones counted, padding as it was.
func TestWriteRoundTrip(t *testing.T) {
	for _, enc := range []part10.Encoding{part10.ImplicitLE, part10.ExplicitLE, part10.ExplicitBE} {
		fakes := dicomtest.Stack(4)
		for _, f := range fakes {
			f.Enc = enc
			f.With(part10.TagPixelPaddingValue, enc.Order.(binary.AppendByteOrder).AppendUint16(nil, 0xFC18)) // -1000 stored, -3000 HU
			copy(f.Pixels, []byte{0x18, 0xFC})
		}
		_, s := dicomtest.OnDisk(t, fakes)
		if s.Volume.Mask == nil || s.Volume.Valid(0) || !s.Volume.Valid(1) {
			t.Fatalf("mask %v", s.Volume.Mask)
		}
		result := s.Volume.Clone()
		for i := range result.Data {
			result.Data[i] += float32(i%7)*0.37 - 1
		}
		result.Data[5], result.Data[6] = 1e6, -1e6
		out := filepath.Join(t.TempDir(), "out")
		r := dicomtest.Write(t, out, s, result)
		if r.Clipped != 2 || r.Files != 4 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].String(), "2 voxels are outside") {
			t.Errorf("report %+v", r)
		}
		back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
		if back.UID != r.SeriesUID || !back.Volume.SameGrid(s.Volume.Geometry, 1e-9) {
			t.Errorf("back: %+v", back.Volume.Geometry)
		}
		for i, v := range back.Volume.Data {
			switch {
			case !s.Volume.Valid(i):
				if back.Volume.Valid(i) || v != -3000 {
					t.Errorf("padding voxel %d is %g", i, v)
				}
			case i == 5:
				if v != 2*32767-1000 {
					t.Errorf("clipped above: %g", v)
				}
			case i == 6:
				if v != -2*32768-1000 {
					t.Errorf("clipped below: %g", v)
				}
			case max(v-result.Data[i], result.Data[i]-v) > 1:
				t.Errorf("voxel %d is %g, want %g", i, v, result.Data[i])
			}
		}
	}
}

// TestUIDsDependOnTheResult exports twice: the same result gives the same UIDs, another result others.
func TestUIDsDependOnTheResult(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(3))
	dir := t.TempDir()
	a := dicomtest.Write(t, filepath.Join(dir, "a"), s, s.Volume)
	b := dicomtest.Write(t, filepath.Join(dir, "b"), s, s.Volume)
	if a.SeriesUID != b.SeriesUID {
		t.Error("the same result has two series UIDs")
	}
	other := s.Volume.Clone()
	other.Data[7]++
	if c := dicomtest.Write(t, filepath.Join(dir, "c"), s, other); c.SeriesUID == a.SeriesUID {
		t.Error("another result has the same series UID")
	}
	d := dicomtest.TestDerived
	d.Recipe = []byte(`{"version":1,"filter":"median","dims":2}`)
	if r, err := dicomtest.WriteAs(context.Background(), filepath.Join(dir, "d"), s, s.Volume, d, nil); err != nil || r.SeriesUID == a.SeriesUID {
		t.Errorf("another recipe: %v, %v", r, err)
	}
	fileA, _ := os.ReadFile(filepath.Join(dir, "a", dicomtest.SliceName(1)))
	fileB, _ := os.ReadFile(filepath.Join(dir, "b", dicomtest.SliceName(1)))
	if !bytes.Equal(fileA, fileB) {
		t.Error("the same export gives different files")
	}
}

// TestWritePartOfASeries exports a run of slices.
func TestWritePartOfASeries(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(5))
	part := *s
	part.Volume = s.Volume.Crop(volume.Slices(s.Volume.Geometry, 1, 3))
	part.Sources = s.Sources[1:3]
	out := filepath.Join(t.TempDir(), "out")
	dicomtest.Write(t, out, &part, part.Volume)
	back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
	if !back.Volume.SameGrid(part.Volume.Geometry, 1e-9) || !slices.Equal(back.Volume.Data, part.Volume.Data) {
		t.Error("the run of slices came back differently")
	}
}

func TestWriteRefusesWhatDoesNotFit(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(3))
	out := filepath.Join(t.TempDir(), "out")
	small := s.Volume.Crop(volume.Slices(s.Volume.Geometry, 0, 2))
	if _, err := dicomtest.WriteAs(context.Background(), out, s, small, dicomtest.TestDerived, nil); err == nil {
		t.Error("a result of two slices for a source of three")
	}
	nan := s.Volume.Clone()
	nan.Data[3] /= 0
	nan.Data[3] -= nan.Data[3]
	if _, err := dicomtest.WriteAs(context.Background(), out, s, nan, dicomtest.TestDerived, nil); err == nil {
		t.Error("a result with NaN")
	}
}

// TestWriteReportsEveryStep: each file counts when it is written and when it is read back.
func TestWriteReportsEveryStep(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(3))
	for what, write := range map[string]func(dir string, progress func(done, total int)) error{
		"derived": func(dir string, progress func(done, total int)) error {
			_, err := dicomtest.WriteAs(t.Context(), dir, s, s.Volume, dicomtest.TestDerived, progress)
			return err
		},
		"new": func(dir string, progress func(done, total int)) error {
			_, err := dicomtest.WriteNew(t.Context(), dir, s, dicomtest.TestDerived, progress)
			return err
		},
	} {
		var calls []int
		err := write(filepath.Join(t.TempDir(), "out"), func(done, total int) {
			if total != 6 {
				t.Errorf("%s: total %d", what, total)
			}
			calls = append(calls, done)
		})
		if err != nil || !slices.Equal(calls, []int{1, 2, 3, 4, 5, 6}) {
			t.Errorf("%s: progress %v, %v", what, calls, err)
		}
	}
}

// TestWriteNewRounding says by how much values are rounded, and only if they are.
func TestWriteNewRounding(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{4, 3, 1}, [3]float64{1, 1, 1}))
	for what, c := range map[string]struct {
		last float32
		want string
	}{"whole": {11, ""}, "a fraction": {65535.5, "Values are scaled into 16 bits; each is within 0.5 of what it was."}} {
		v.Data[11] = c.last
		r, err := dicomtest.WriteNew(t.Context(), filepath.Join(t.TempDir(), "out"), &series.Series{Volume: v}, dicomtest.TestDerived, nil)
		if err != nil || message.Join(" ", r.Warnings...).String() != c.want || r.Files != 1 || r.SeriesUID == "" {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
	}
	for i := range v.Data { // whole, but next to a fraction
		v.Data[i] = 0.5
	}
	r, err := dicomtest.WriteNew(t.Context(), filepath.Join(t.TempDir(), "out"), &series.Series{Volume: v}, dicomtest.TestDerived, nil)
	if err != nil || len(r.Warnings) != 1 {
		t.Errorf("a constant of 0.5: %+v, %v", r, err)
	}
	out := t.TempDir()
	if _, err := dicomtest.WriteNew(t.Context(), out, &series.Series{Volume: v}, dicomtest.TestDerived, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that exists: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dicomtest.WriteAs(cancelled, filepath.Join(out, "x"), &series.Series{Volume: v, Sources: []series.Source{{FS: os.DirFS(out)}}}, v, dicomtest.TestDerived, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestReadBackPositionTolerance expects slices just within and just beyond 1 um of the position that is read
// back.
func TestReadBackPositionTolerance(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(3))
	for mm, refused := range map[float64]bool{0.0009: false, 0.0011: true} {
		moved := *s
		moved.Sources = slices.Clone(s.Sources)
		moved.Sources[1].Position[0] += mm
		out := filepath.Join(t.TempDir(), "out")
		_, err := dicomtest.WriteAs(t.Context(), out, &moved, s.Volume, dicomtest.TestDerived, nil)
		if (err != nil) != refused {
			t.Errorf("%g mm off: %v", mm, err)
		}
		if _, statErr := os.Stat(out); refused != (statErr != nil) {
			t.Errorf("%g mm off: the folder: %v", mm, statErr)
		}
	}
}

// TestVolumesOfSameVoxels exports the two volumes of a series, and of a multi-frame image, that have the same
// voxels: their UIDs differ.
func TestVolumesOfSameVoxels(t *testing.T) {
	classic := dicomtest.Stack(3)
	for name, f := range dicomtest.Stack(3) {
		f.With(part10.TagSOPInstanceUID, f.Values[part10.TagSOPInstanceUID].(string)+".7").With(part10.TagAcquisitionNumber, "2")
		classic["again"+name] = f
	}
	frames := []dicomtest.FakeFrame{{Z: 0, Time: 1, BValue: -1}, {Z: 0, Time: 2, BValue: -1}, {Z: 5, Time: 1, BValue: -1}, {Z: 5, Time: 2, BValue: -1}}
	for what, fakes := range map[string]map[string]*dicomtest.Fake{"files": classic, "frames": {"m.dcm": dicomtest.NewEnhanced(part10.ExplicitLE, false, frames...)}} {
		dir, _ := dicomtest.OnDisk(t, fakes)
		c := dicomtest.Scan(t, os.DirFS(dir))
		if len(c.Entries) != 2 {
			t.Fatalf("%s: %d volumes", what, len(c.Entries))
		}
		seen := map[string]bool{}
		for i := range 2 {
			s := dicomtest.Load(t, c, i)
			clear(s.Volume.Data)
			out, r := dicomtest.Export(t, s, dicomtest.TestDerived)
			uids := []string{r.SeriesUID}
			for _, name := range dicomtest.Names(t, out) {
				uids = append(uids, string(dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, name))[part10.TagSOPInstanceUID][8:]))
			}
			for _, uid := range uids {
				if seen[uid] {
					t.Errorf("%s: UID %s stands for two", what, uid)
				}
				seen[uid] = true
			}
		}
	}
}

// The names under which callers choose an encoding are the names of package pixel.
func TestCompressionsByName(t *testing.T) {
	for c, want := range map[dicom.Compression]string{dicom.Uncompressed: "none", dicom.JPEGLossless: "jpeg-lossless", dicom.RLE: "rle"} {
		if string(c) != want || !slices.Contains(dicom.Compressions(), c) {
			t.Errorf("%s is called %q", want, c)
		}
	}
}
