package spool_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"quell/io/spool"
	"quell/volume"
)

// TestPartsComeBack adds slices with and without a mask, some at a time or all at once, and takes any of them.
func TestPartsComeBack(t *testing.T) {
	const depth = 6
	whole := volume.New(volume.NewGeometry([3]int{4, 3, depth}, [3]float64{1, 2, 3}))
	for i := range whole.Data {
		whole.Data[i] = float32(i) / 3
	}
	for _, masked := range []int{-1, 0, 3, depth - 1} { // the slice in which a voxel has no value
		for _, n := range []int{1, 4, depth} {
			dir := t.TempDir()
			s := spool.New(dir, whole.Geometry)
			want := whole.Clone()
			if masked >= 0 {
				want.Mask = slices.Repeat([]bool{true}, len(want.Data))
				want.Mask[12*masked+5] = false
			}
			for z := 0; z < depth; z += n {
				part := want.Crop(volume.Slices(want.Geometry, z, min(z+n, depth)))
				if !slices.Contains(part.Mask, false) {
					part.Mask = nil
				}
				if s.Complete() || s.Added() != z {
					t.Errorf("%d slices are there after %d", s.Added(), z)
				}
				if err := s.Add(part); err != nil {
					t.Fatal(err)
				}
			}
			for _, r := range [][2]int{{0, depth}, {0, 1}, {3, 4}, {2, 5}, {depth - 1, depth}} {
				got, err := s.Part(r[0], r[1])
				if err != nil || !slices.Equal(got.Data, want.Data[12*r[0]:12*r[1]]) || got.Geometry != want.Crop(volume.Slices(want.Geometry, r[0], r[1])).Geometry {
					t.Fatalf("%v by %d: %+v, %v", r, n, got, err)
				}
				if (got.Mask != nil) != (masked >= 0) || got.Mask != nil && !slices.Equal(got.Mask, want.Mask[12*r[0]:12*r[1]]) {
					t.Errorf("%v by %d, masked in %d: mask %v", r, n, masked, got.Mask)
				}
			}
			if left, _ := os.ReadDir(dir); (len(left) > 0) != (n < depth) {
				t.Errorf("by %d: %v on the disk", n, left)
			}
			one := whole.Crop(volume.Slices(whole.Geometry, 0, 1))
			if err := s.Add(one); !s.Complete() || s.Grid() != whole.Geometry || err == nil || !strings.Contains(err.Error(), "do not follow 6 of") {
				t.Errorf("a slice after the last: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(dir); len(left) != 0 {
				t.Errorf("%v is left", left)
			}
		}
	}
	one := whole.Crop(volume.Slices(whole.Geometry, 0, 1))
	for name, c := range map[string]struct {
		dir    string
		change func(v *volume.Volume)
	}{
		"another width": {"", func(v *volume.Volume) { v.Dims[0]++; v.Data = make([]float32, 15) }},
		"other voxels":  {"", func(v *volume.Volume) { v.Data = v.Data[1:] }},
		"no folder":     {"/none", func(*volume.Volume) {}},
	} {
		part := one.Clone()
		c.change(part)
		if err := spool.New(t.TempDir()+c.dir, whole.Geometry).Add(part); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
