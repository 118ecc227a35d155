package raster

import (
	"testing"

	"quell/io/spool"
	"quell/volume"
)

// TestEveryOrder writes a volume in each of the 48 orders of its voxels, from memory and from the disk, in parts of
// some slices: each voxel is at the place that the order gives, with its mask.
func TestEveryOrder(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{3, 4, 5}, [3]float64{1, 1, 1}))
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Data {
		v.Data[i], v.Mask[i] = float32(i), i%7 > 0
	}
	for _, axis := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		for flips := range 8 {
			o := &Order{Axis: axis, Flip: [3]bool{flips&1 > 0, flips&2 > 0, flips&4 > 0}}
			for _, n := range []int{1, 5} { // slices at a time
				s := spool.New(t.TempDir(), v.Geometry)
				for z := 0; z < 5; z += n {
					if err := s.Add(v.Crop(volume.Slices(v.Geometry, z, z+n))); err != nil {
						t.Fatal(err)
					}
				}
				depth := v.Dims[axis[2]]
				for from := 0; from < depth; from += 2 {
					part, err := o.part(s, from, min(from+2, depth))
					if err != nil {
						t.Fatal(err)
					}
					for i, x := range part.Data {
						at := [3]int{i % part.Dims[0], i / part.Dims[0] % part.Dims[1], from + i/part.SliceVoxels()}
						var of [3]int
						for c, a := range axis {
							if of[a] = at[c]; o.Flip[c] {
								of[a] = v.Dims[a] - 1 - at[c]
							}
						}
						if k := v.Index(of[0], of[1], of[2]); x != v.Data[k] || part.Mask[i] != v.Mask[k] {
							t.Fatalf("%+v: voxel %v of the file is %g; want %g", o, at, x, v.Data[k])
						}
					}
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// TestPartsOfOrders: every voxel is passed on once and in order, of all orders and of none.
func TestPartsOfOrders(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{3, 4, 5}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i)
	}
	s := spool.New(t.TempDir(), v.Geometry)
	if err := s.Add(v); err != nil {
		t.Fatal(err)
	}
	for _, o := range []*Order{nil, {Axis: [3]int{0, 1, 2}}, {Axis: [3]int{2, 1, 0}}} {
		seen := map[float32]bool{}
		if err := o.parts(s, func(part *volume.Volume) error {
			for _, x := range part.Data {
				seen[x] = true
			}
			return nil
		}); err != nil || len(seen) != len(v.Data) {
			t.Errorf("%+v: %d voxels, %v", o, len(seen), err)
		}
	}
}
