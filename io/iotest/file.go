package iotest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/io/format"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// File is a format of single files with geometry and a description, under test.
type File struct {
	Format format.Format
	Make   raster.Maker
}

// RunFile runs the whole suite on such a format: [Run] for floating-point types, files written some slices at a time,
// 4-D files, and what other programs read of the files in testdata, if there are any.
func RunFile(t *testing.T, f File) {
	for _, dtype := range []string{"", "float64"} {
		t.Run("conformance "+dtype, func(t *testing.T) {
			Run(t, Format{
				Write: func(ctx context.Context, dir, name string, v *volume.Volume) error {
					_, err := f.Make.Write(ctx, filepath.Join(dir, name), v, nil, &series.Series{Volume: v}, format.Derived{}, format.Options{Datatype: dtype})
					return err
				},
				Read: func(ctx context.Context, fsys fs.FS, name string) (*series.Series, error) {
					return f.read(ctx, fsys, name)
				},
				Ext: f.Format.Endings[0], Grids: []Grid{Axial, Analyze, Sagittal, Oblique, LeftHanded, Sheared}, Position: 1e-9,
			})
		})
	}
	t.Run("slices", f.slices)
	t.Run("frames", f.frames)
	if _, err := os.Stat(filepath.Join("testdata", "facts.json")); err == nil {
		t.Run("facts", f.facts)
	}
}

// slices writes a volume whole and some slices at a time, and reads both in the same ways.
func (f File) slices(t *testing.T) {
	v := whole.fill(Oblique.geometry([3]int{7, 6, 5}))
	masked := v.Clone()
	masked.Mask = make([]bool, len(v.Data))
	for i := range masked.Mask {
		masked.Mask[i] = i%5 > 0
	}
	holes := &series.Series{Volume: &volume.Volume{Geometry: v.Geometry}, Sources: []series.Source{{Name: "holes"}}} // NaN in a file
	for _, c := range []struct {
		v    *volume.Volume
		from *series.Series
	}{{v, &series.Series{Volume: v}}, {fraction.fill(v.Geometry), &series.Series{Volume: v}}, {masked, holes}} {
		for _, dtype := range raster.Datatypes() {
			dir := t.TempDir()
			files := map[int][]byte{}
			for _, n := range []int{5, 2, 1} {
				name := "f" + strings.Repeat("x", n) + f.Format.Endings[0]
				w := f.Format.NewWriter(filepath.Join(dir, name), format.Options{Datatype: dtype})
				err := w.Begin(t.Context(), c.from, format.Derived{Description: "made by Quell 0"})
				for z := 0; z < 5; z += n {
					err = errors.Join(err, w.Add(t.Context(), c.v.Crop(volume.Slices(c.v.Geometry, z, min(z+n, 5))), nil))
				}
				if r, e := w.Close(t.Context()); err != nil || e != nil || r.Files != 1 {
					t.Fatal(r, err, e)
				}
				files[n], _ = os.ReadFile(filepath.Join(dir, name))
				if len(files[n]) == 0 || !bytes.Equal(files[n], files[5]) {
					t.Errorf("%s: other bytes by %d slices", dtype, n)
				}
				f.readSlices(t, os.DirFS(dir), name, n)
				if ours, err := f.Format.Ours(filepath.Join(dir, name), nil); err != nil || !ours {
					t.Errorf("%s: by Quell: %v, %v", name, ours, err)
				}
				if !f.Format.Sniff(files[n][:min(len(files[n]), 512)], name) {
					t.Errorf("%s is not recognised", name)
				}
			}
			if left, _ := os.ReadDir(dir); len(left) != 3 {
				t.Errorf("%s: files %v", dtype, left)
			}
		}
	}
}

// readSlices reads a file whole and n slices at a time.
func (f File) readSlices(t *testing.T, fsys fs.FS, name string, n int) {
	t.Helper()
	want, err := f.read(t.Context(), fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	found, err := f.Format.Scan(t.Context(), fsys, []string{name})
	if err != nil {
		t.Fatal(err)
	}
	r, err := found.Entries[0].Volume.OpenSlices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	slice := r.Geometry().SliceVoxels()
	for z := 0; z < r.Geometry().Dims[2]; z += n {
		end := min(z+n, r.Geometry().Dims[2])
		data, mask := make([]float32, (end-z)*slice), make([]bool, (end-z)*slice)
		if _, err := r.Read(t.Context(), data, mask); err != nil {
			t.Fatal(err)
		}
		for i, x := range data {
			if mask[i] != want.Volume.Valid(z*slice+i) || mask[i] && x != want.Volume.Data[z*slice+i] {
				t.Fatalf("voxel %d is %v, %v", z*slice+i, x, mask[i])
			}
		}
	}
}

// frames writes and reads volumes in time, whole and in slices.
func (f File) frames(t *testing.T) {
	g := &series.Group{Step: 1.5, Places: make([]series.Place, 3), Gradients: new(series.Gradients)}
	dir := t.TempDir()
	var volumes []*volume.Volume
	for k := range 3 {
		v := whole.fill(Oblique.geometry([3]int{4, 3, 2}))
		v.Data[0] = float32(1000 + k)
		volumes = append(volumes, v)
	}
	for name, n := range map[string]int{"whole": 2, "slices": 1} {
		w := f.Format.NewWriter(filepath.Join(dir, name+f.Format.Endings[0]), format.Options{Group: g})
		for _, v := range volumes {
			err := w.Begin(t.Context(), &series.Series{Volume: v}, format.Derived{})
			for z := 0; z < 2; z += n {
				err = errors.Join(err, w.Add(t.Context(), v.Crop(volume.Slices(v.Geometry, z, z+n)), nil))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if r, err := w.Close(t.Context()); err != nil || r.Files != 1 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].String(), "do not keep the diffusion gradients") {
			t.Fatal(r, err)
		}
		found, err := f.Format.Scan(t.Context(), os.DirFS(dir), []string{name + f.Format.Endings[0]})
		if err != nil || len(found.Entries) != 3 || found.Entries[0].Group.Len() != 3 {
			t.Fatal(found, err)
		}
		var r format.Reading
		defer r.Close()
		for k, v := range volumes {
			if s, err := found.Entries[k].Volume.Load(t.Context(), &r); err != nil || !slices.Equal(s.Volume.Data, v.Data) || !s.Volume.SameGrid(v.Geometry, 1e-9) {
				t.Errorf("%s: volume %d: %v", name, k, err)
			}
		}
	}
}

// facts compares files that another program wrote with what it reads of them.
func (f File) facts(t *testing.T) {
	dir := os.DirFS("testdata")
	CheckFacts(t, func(name string) (*series.Series, int, error) {
		found, err := f.Format.Scan(t.Context(), dir, []string{name})
		if err != nil {
			return nil, 0, err
		}
		s, err := f.read(t.Context(), dir, name)
		return s, len(found.Entries), err
	})
}

// read scans a file and reads its first volume.
func (f File) read(ctx context.Context, fsys fs.FS, name string) (*series.Series, error) {
	found, err := f.Format.Scan(ctx, fsys, []string{name})
	if err != nil {
		return nil, err
	}
	var r format.Reading
	defer r.Close()
	return found.Entries[0].Volume.Load(ctx, &r)
}
