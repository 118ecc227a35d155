package dicom

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/series"
	"quell/volume"
)

// onDisk writes generated files into a new folder and loads them.
func onDisk(t *testing.T, fakes map[string]*fake) (dir string, s *series.Series) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "källa") // a name that is not ASCII
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, f := range fakes {
		if err := os.WriteFile(filepath.Join(dir, name), f.file(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, load(t, scan(t, os.DirFS(dir)), 0)
}

// export writes a series, its values as they are, into a new folder.
func export(t *testing.T, s *series.Series, d Derived) (dir string, r Report) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "out")
	r, err := Write(context.Background(), dir, s, s.Volume, d, nil)
	if err != nil {
		t.Fatalf("%s: %v", d.Compress, err)
	}
	return dir, r
}

// write writes a result into dir.
func write(t *testing.T, dir string, s *series.Series, result *volume.Volume) Report {
	t.Helper()
	r, err := Write(context.Background(), dir, s, result, testDerived, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// names lists a folder, hidden files too.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// elementBytes returns every top-level element of a file by tag.
func elementBytes(t *testing.T, file []byte) map[tagID][]byte {
	t.Helper()
	p, err := tokens(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[tagID][]byte{}
	for _, e := range p.elements {
		out[e.tag] = file[e.start:e.end]
	}
	return out
}

// TestWriteRoundTrip checks values after export: within half a step, clipped
// ones counted, padding as it was.
func TestWriteRoundTrip(t *testing.T) {
	for _, enc := range []encoding{implicitLE, explicitLE, explicitBE} {
		fakes := stack(4)
		for _, f := range fakes {
			f.enc = enc
			f.with(tagPixelPaddingValue, enc.order.(binary.AppendByteOrder).AppendUint16(nil, 0xFC18)) // -1000 stored, -3000 HU
			copy(f.pixels, []byte{0x18, 0xFC})
		}
		_, s := onDisk(t, fakes)
		if s.Volume.Mask == nil || s.Volume.Valid(0) || !s.Volume.Valid(1) {
			t.Fatalf("mask %v", s.Volume.Mask)
		}
		result := s.Volume.Clone()
		for i := range result.Data {
			result.Data[i] += float32(i%7)*0.37 - 1
		}
		result.Data[5], result.Data[6] = 1e6, -1e6
		out := filepath.Join(t.TempDir(), "out")
		r := write(t, out, s, result)
		if r.Clipped != 2 || r.Files != 4 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "2 voxels are outside") {
			t.Errorf("report %+v", r)
		}
		back := load(t, scan(t, os.DirFS(out)), 0)
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

// TestUIDsAreOfTheResult exports twice: the same result gives the same UIDs,
// another result or recipe others.
func TestUIDsAreOfTheResult(t *testing.T) {
	_, s := onDisk(t, stack(3))
	dir := t.TempDir()
	a := write(t, filepath.Join(dir, "a"), s, s.Volume)
	b := write(t, filepath.Join(dir, "b"), s, s.Volume)
	if a.SeriesUID != b.SeriesUID {
		t.Error("the same result has two series UIDs")
	}
	other := s.Volume.Clone()
	other.Data[7]++
	if c := write(t, filepath.Join(dir, "c"), s, other); c.SeriesUID == a.SeriesUID {
		t.Error("another result has the same series UID")
	}
	d := testDerived
	d.Recipe = []byte(`{"version":1,"filter":"median","dims":2}`)
	if r, err := Write(context.Background(), filepath.Join(dir, "d"), s, s.Volume, d, nil); err != nil || r.SeriesUID == a.SeriesUID {
		t.Errorf("another recipe: %v, %v", r, err)
	}
	fileA, _ := os.ReadFile(filepath.Join(dir, "a", sliceName(1)))
	fileB, _ := os.ReadFile(filepath.Join(dir, "b", sliceName(1)))
	if !bytes.Equal(fileA, fileB) {
		t.Error("the same export gives different files")
	}
}

// TestWritePartOfASeries exports a run of slices.
func TestWritePartOfASeries(t *testing.T) {
	_, s := onDisk(t, stack(5))
	part := *s
	part.Volume = s.Volume.Crop(volume.Slices(s.Volume.Geometry, 1, 3))
	part.Sources = s.Sources[1:3]
	out := filepath.Join(t.TempDir(), "out")
	write(t, out, &part, part.Volume)
	back := load(t, scan(t, os.DirFS(out)), 0)
	if !back.Volume.SameGrid(part.Volume.Geometry, 1e-9) || !slices.Equal(back.Volume.Data, part.Volume.Data) {
		t.Error("the run of slices came back differently")
	}
}

func TestWriteRefusesWhatDoesNotFit(t *testing.T) {
	_, s := onDisk(t, stack(3))
	out := filepath.Join(t.TempDir(), "out")
	small := s.Volume.Crop(volume.Slices(s.Volume.Geometry, 0, 2))
	if _, err := Write(context.Background(), out, s, small, testDerived, nil); err == nil {
		t.Error("a result of two slices for a source of three")
	}
	nan := s.Volume.Clone()
	nan.Data[3] /= 0
	nan.Data[3] -= nan.Data[3]
	if _, err := Write(context.Background(), out, s, nan, testDerived, nil); err == nil {
		t.Error("a result with NaN")
	}
}

// TestVolumesOfSameVoxels exports the two volumes of a series, and of a multi-frame
// image, that hold the same values: nothing of one may take the other's place.
func TestVolumesOfSameVoxels(t *testing.T) {
	classic := stack(3)
	for name, f := range stack(3) {
		f.with(tagSOPInstanceUID, f.values[tagSOPInstanceUID].(string)+".7").with(tagAcquisitionNumber, "2")
		classic["again"+name] = f
	}
	frames := []fakeFrame{{z: 0, time: 1, bValue: -1}, {z: 0, time: 2, bValue: -1}, {z: 5, time: 1, bValue: -1}, {z: 5, time: 2, bValue: -1}}
	for what, fakes := range map[string]map[string]*fake{"files": classic, "frames": {"m.dcm": newEnhanced(explicitLE, false, frames...)}} {
		dir, _ := onDisk(t, fakes)
		c := scan(t, os.DirFS(dir))
		if len(c.Entries) != 2 {
			t.Fatalf("%s: %d volumes", what, len(c.Entries))
		}
		seen := map[string]bool{}
		for i := range 2 {
			s := load(t, c, i)
			clear(s.Volume.Data)
			out, r := export(t, s, testDerived)
			uids := []string{r.SeriesUID}
			for _, name := range names(t, out) {
				uids = append(uids, string(elementBytes(t, readSourceFile(t, out, name))[tagSOPInstanceUID][8:]))
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
