package nifti

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// readSlices reads a volume n slices at a time, and returns the voxels and how many are not
// finite.
func readSlices(t *testing.T, fsys fs.FS, name string, volume, n int, c Component) (*series.Series, []float32, int, error) {
	t.Helper()
	r, err := Open.OpenSlices(t.Context(), fsys, name, volume, c)
	if err != nil {
		return nil, nil, 0, err
	}
	defer r.Close()
	g := r.Geometry()
	data, mask, lost := make([]float32, g.Voxels()), make([]bool, g.Voxels()), 0
	for z := 0; z < g.Dims[2]; z += n {
		from, to := z*g.SliceVoxels(), min(z+n, g.Dims[2])*g.SliceVoxels()
		part := mask[from:to]
		if n == 2 {
			part = nil // not wanted
		}
		k, err := r.Read(t.Context(), data[from:to], part)
		if err != nil {
			return nil, nil, 0, err
		}
		for i, valid := range part {
			if finite := data[from+i]-data[from+i] == 0; valid != finite {
				t.Fatalf("%s: the mask of voxel %d is %v", name, from+i, valid)
			}
		}
		lost += k
	}
	s, err := r.Series()
	return s, data, lost, err
}

// Slices hold the same voxels as the volume read whole, with the same findings, for every
// file in testdata, whether it can be read anywhere, only in order, or is compressed.
func TestSlicesAreThoseOfTheVolume(t *testing.T) {
	for name := range loadFacts(t, "facts.json") {
		file, component, _ := strings.Cut(name, " ")
		c := Component(component)
		plain := &countingFS{FS: os.DirFS("testdata")}
		systems := map[string]fs.FS{"plain": plain, "in order": sequentialFS{FS: os.DirFS("testdata")}}
		if strings.HasSuffix(file, ".nii") && !bytes.HasPrefix(sample(t, file), []byte("\x1f\x8b")) {
			systems["compressed"] = fstest.MapFS{file: {Data: compressed(t, sample(t, file))}}
		}
		for kind, fsys := range systems {
			info, err := Open.ReadHeader(fsys, file)
			if err != nil {
				t.Fatal(name, err)
			}
			for volume := range info.Volumes {
				want, err := ReadComponent(t.Context(), fsys, file, volume, c)
				if err != nil {
					t.Fatal(name, err)
				}
				for _, n := range []int{1, 2, info.Geometry.Dims[2]} {
					s, data, lost, err := readSlices(t, fsys, file, volume, n, c)
					if err != nil {
						t.Errorf("%s, %s: %v", name, kind, err)
						continue
					}
					for i := range data {
						if finite := data[i]-data[i] == 0; finite != want.Volume.Valid(i) || finite && data[i] != want.Volume.Data[i] {
							t.Fatalf("%s, %s, volume %d by %d slices: voxel %d is %v", name, kind, volume, n, i, data[i])
						}
						if data[i]-data[i] != 0 {
							lost--
						}
					}
					if lost != 0 || s.Volume.Data != nil || s.Volume.Geometry != want.Volume.Geometry || s.Volume.Unit != want.Volume.Unit ||
						!reflect.DeepEqual(s.Meta, want.Meta) || !reflect.DeepEqual(s.Findings, want.Findings) || !reflect.DeepEqual(s.Sources, want.Sources) {
						t.Errorf("%s, %s, volume %d: %+v, want %+v", name, kind, volume, s, want)
					}
				}
			}
		}
		if plain.open != 0 {
			t.Errorf("%s: %d files stay open", name, plain.open)
		}
	}
}

// The error of a file is the sentence that reading it whole gives.
func TestSlicesThatCannotBeRead(t *testing.T) {
	whole := sample(t, "float32-le.nii")
	packed := compressed(t, whole)
	damaged := bytes.Clone(packed)
	damaged[len(damaged)-8] ^= 1 // of the checksum
	nan := withVoxels(t, "float32-le.nii", true, float32(math.NaN()))
	for name, b := range map[string][]byte{
		"short.nii": whole[:len(whole)-1], "short.nii.gz": compressed(t, whole[:len(whole)-1]), "damaged.nii.gz": damaged, "empty.nii": nan, "none.nii": whole[:100],
	} {
		fsys := &countingFS{FS: fstest.MapFS{name: {Data: b}}}
		_, err := Read(t.Context(), fsys, name)
		_, _, _, got := readSlices(t, fsys, name, 0, 1, "")
		if err == nil || got == nil || got.Error() != err.Error() || fsys.open != 0 {
			t.Errorf("%s: %v; want %v", name, got, err)
		}
	}
	fsys := os.DirFS("testdata")
	for _, c := range []struct {
		name      string
		volume    int
		component Component
	}{{"four-d.nii", 4, ""}, {"four-d.nii", -1, ""}, {"rgb24.nii", 0, ""}, {"four-d.nii", 0, "red"}, {"absent.nii", 0, ""}} {
		_, err := ReadComponent(t.Context(), fsys, c.name, c.volume, c.component)
		_, _, _, got := readSlices(t, fsys, c.name, c.volume, 1, c.component)
		if err == nil || got == nil || got.Error() != err.Error() {
			t.Errorf("%+v: %v; want %v", c, got, err)
		}
	}
}

// A file written slice by slice has the bytes of the file written whole.
func TestWriteSlices(t *testing.T) {
	v := phantom([3]int{9, 7, 8})
	fractions := v.Clone()
	for i := range fractions.Data {
		fractions.Data[i] /= 3
	}
	holes := readSample(t, "holes.nii")
	for name, c := range map[string]struct {
		v     *volume.Volume
		from  *series.Series
		dtype string
	}{
		"whole numbers": {v, nil, "int16"}, "scaled": {fractions, nil, "uint8"}, "float": {fractions, nil, ""}, "double": {fractions, nil, "float64"},
		"holes": {holes.Volume, holes, ""}, "holes as integers": {holes.Volume, holes, "int32"},
	} {
		for _, ext := range []string{".nii", ".nii.gz"} {
			dir := t.TempDir()
			whole, parts := filepath.Join(dir, "whole"+ext), filepath.Join(dir, "parts"+ext)
			if err := Write(t.Context(), whole, c.v, nil, c.from, c.dtype, "text"); err != nil {
				t.Fatal(err)
			}
			w := Make.NewWriter(parts, format.Options{Datatype: c.dtype})
			if err := w.Begin(t.Context(), On(c.v.Geometry, c.from), format.Derived{Description: "text"}); err != nil {
				t.Fatal(err)
			}
			for z := 0; z < c.v.Dims[2]; z += 3 {
				if err := w.Add(t.Context(), c.v.Crop(volume.Slices(c.v.Geometry, z, min(z+3, c.v.Dims[2]))), nil); err != nil {
					t.Fatal(err)
				}
			}
			if r, err := w.Close(t.Context()); err != nil || r.Files != 1 && ext != ".hdr" {
				t.Fatal(r, err)
			}
			w.Discard() // does nothing now
			a, _ := os.ReadFile(whole)
			b, err := os.ReadFile(parts)
			if err != nil || !bytes.Equal(inflated(a), inflated(b)) {
				t.Errorf("%s%s: other bytes, %v", name, ext, err)
			}
			if files, _ := os.ReadDir(dir); len(files) != 2 {
				t.Errorf("%s%s: %v", name, ext, files)
			}
		}
	}
}

func TestSlicesThatAreNotWritten(t *testing.T) {
	dir := t.TempDir()
	v := phantom([3]int{4, 3, 4})
	part := func(z0, z1 int) *volume.Volume { return v.Crop(volume.Slices(v.Geometry, z0, z1)) }
	for name, add := range map[string][]*volume.Volume{
		"too few": {part(0, 3)}, "too many": {part(0, 3), part(0, 2)}, "too wide": {phantom([3]int{5, 3, 4})}, "too high": {phantom([3]int{4, 4, 4})},
		"no number": {{Geometry: part(0, 3).Geometry, Data: slices.Repeat([]float32{float32(math.Inf(1))}, 36)}, part(3, 4)},
	} {
		for _, dtype := range []string{"", "int16"} {
			w := Make.NewWriter(filepath.Join(dir, "out.nii"), format.Options{Datatype: dtype})
			err := w.Begin(t.Context(), On(v.Geometry, nil), format.Derived{})
			for _, p := range add {
				err = errors.Join(err, w.Add(t.Context(), p, nil))
			}
			if _, e := w.Close(t.Context()); errors.Join(err, e) == nil {
				t.Errorf("%s: no error", name)
			}
			w.Discard()
			if files, _ := os.ReadDir(dir); len(files) != 0 {
				t.Errorf("%s: %v is left", name, files)
			}
		}
	}
	for name, dtype := range map[string]string{"out.hdr.gz": "", "out.img": "", "out.nii": "int12"} {
		w := Make.NewWriter(filepath.Join(dir, name), format.Options{Datatype: dtype})
		if err := w.Begin(t.Context(), On(v.Geometry, nil), format.Derived{}); err == nil {
			t.Errorf("%s of %q is no error", name, dtype)
		}
		w.Discard()
	}
	for dtype, want := range map[string]int{"int16": 4, "uint8": 4, "": 0, "float64": 0, "none": 0} {
		if got := Format.Waiting(dtype); got != want {
			t.Errorf("%d bytes of a voxel of %q wait, want %d", got, dtype, want)
		}
	}
}
