package nifti

import (
	"encoding/binary"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/io/raster"
	"quell/volume"
)

// writeWithout writes a float32 image, compressed if name ends in .gz, with voxels that
// are NaN or infinite, which Write refuses.
func writeWithout(t *testing.T, dir, name string, v *volume.Volume, values map[int]float64) {
	t.Helper()
	b := fileOf(t, v, "float32", ".nii")
	for i, x := range values {
		binary.LittleEndian.PutUint32(b[len(b)-4*len(v.Data)+4*i:], math.Float32bits(float32(x)))
	}
	if strings.HasSuffix(name, ".gz") {
		b = compressed(t, b)
	}
	if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A slice that is read alone equals the one of the whole volume, on its place in
// space.
func TestReadSlice(t *testing.T) {
	v := phantom([3]int{31, 20, 7})
	dir := t.TempDir()
	for _, name := range []string{"a.nii", "a.nii.gz"} {
		writeWithout(t, dir, name, v, map[int]float64{3 * 31 * 20: math.NaN()})
		info, err := Open.ReadHeader(os.DirFS(dir), name)
		if err != nil || info.Direct != (name == "a.nii") {
			t.Errorf("%s: direct %t, %v", name, info.Direct, err)
		}
	}
	whole, err := Read(t.Context(), os.DirFS(dir), "a.nii")
	if err != nil {
		t.Fatal(err)
	}
	for z := range 7 {
		s, err := Open.ReadSlice(t.Context(), os.DirFS(dir), "a.nii", 0, "", z)
		if err != nil {
			t.Fatal(err)
		}
		if s.Dims != [3]int{31, 20, 1} || s.Affine.Apply(0, 0, 0) != whole.Volume.Affine.Apply(0, 0, float64(z)) || !slices.Equal(s.Data[1:], whole.Volume.Plane(z)[1:]) {
			t.Errorf("slice %d differs", z)
		}
		if masked := s.Mask != nil; masked != (z == 3) || masked && (s.Mask[0] || !s.Mask[1] || s.Data[0] != slices.Min(s.Data[1:])) {
			t.Errorf("slice %d: mask %v", z, s.Mask)
		}
	}
	for what, c := range map[string]struct {
		fsys    fs.FS
		name    string
		t, z    int
		problem string
	}{
		"a slice before the first": {os.DirFS(dir), "a.nii", 0, -1, "no slice 0"},
		"a slice beyond the last":  {os.DirFS(dir), "a.nii", 0, 7, "no slice 8"},
		"a volume beyond the last": {os.DirFS(dir), "a.nii", 1, 0, "no volume 2"},
		"a volume before":          {os.DirFS(dir), "a.nii", -1, 0, "no volume 0"},
		"a compressed file":        {os.DirFS(dir), "a.nii.gz", 0, 0, "without those before it"},
		"a file of a zip":          {sequentialFS{FS: os.DirFS(dir)}, "a.nii", 0, 0, "without those before it"},
		"no file":                  {os.DirFS(dir), "b.nii", 0, 0, "b.nii: there is no such file"},
	} {
		if _, err := Open.ReadSlice(t.Context(), c.fsys, c.name, c.t, "", c.z); err == nil || !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Open.ReadSlice(t.Context(), os.DirFS(dir), "a.nii", 0, raster.Red, 0); err == nil {
		t.Error("a component of single numbers was read")
	}
	if err := os.Truncate(filepath.Join(dir, "a.nii"), 400); err != nil {
		t.Fatal(err)
	}
	if _, err := Open.ReadSlice(t.Context(), os.DirFS(dir), "a.nii", 0, "", 0); err == nil || !strings.Contains(err.Error(), "complete copy") {
		t.Errorf("a file cut short: %v", err)
	}
}

// Whole slices are passed on while a compressed volume is read, about sixteen of many; one
// without a finite value is left out.
func TestSlicesArrive(t *testing.T) {
	for _, dims := range [][3]int{{31, 20, 7}, {31, 20, 16}, {31, 20, 17}, {400, 300, 33}} {
		v := phantom(dims)
		values := map[int]float64{v.Index(1, 2, 2): math.NaN()}
		for i := range v.Plane(5) {
			values[v.Index(0, 0, 5)+i] = math.Inf(1)
		}
		dir := t.TempDir()
		writeWithout(t, dir, "a.nii.gz", v, values)
		got := map[int]*volume.Volume{}
		var order []int
		r := Open.NewSequence(os.DirFS(dir), "a.nii.gz", "")
		r.Arrived = func(z int, slice *volume.Volume) {
			order = append(order, z)
			got[z] = slice
		}
		s, err := r.Read(t.Context(), 0)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		every := map[int]int{7: 1, 16: 1, 17: 2, 33: 3}[dims[2]]
		var want []int
		for z := every - 1; z < dims[2]; z += every {
			if z != 5 {
				want = append(want, z)
			}
		}
		if !slices.Equal(order, want) {
			t.Errorf("%v: slices %v arrived, want %v", dims, order, want)
		}
		for z, slice := range got {
			if slice.Dims != [3]int{dims[0], dims[1], 1} || slice.Affine.Apply(0, 0, 0) != s.Volume.Affine.Apply(0, 0, float64(z)) || (slice.Mask != nil) != (z == 2) {
				t.Errorf("%v: slice %d is %v, masked %t", dims, z, slice.Dims, slice.Mask != nil)
			}
			for i, x := range slice.Data {
				if slice.Valid(i) && x != s.Volume.Plane(z)[i] {
					t.Fatalf("%v: slice %d differs at %d", dims, z, i)
				}
			}
		}
	}
}

// The slices that were read are counted to the last, of a file that can be read from any place.
func TestProgress(t *testing.T) {
	for name, counted := range map[string]bool{"a.nii": true, "a.nii.gz": false} {
		dir := t.TempDir()
		writeWithout(t, dir, name, phantom([3]int{400, 300, 33}), nil)
		r := Open.NewSequence(os.DirFS(dir), name, "")
		var all []int
		r.Progress = func(done, total int) {
			if total != 33 {
				t.Errorf("%d of %d slices", done, total)
			}
			all = append(all, done)
		}
		_, err := r.Read(t.Context(), 0)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		if (len(all) > 0) != counted || counted && (len(all) < 10 || !slices.IsSorted(all) || all[len(all)-1] != 33) {
			t.Errorf("%s: %v slices were read", name, all)
		}
	}
}
