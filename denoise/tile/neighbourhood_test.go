package tile

import (
	"slices"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// masked returns a volume in which every voxel is its own index; every third is
// excluded.
func masked(dims [3]int) *volume.Volume {
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Data {
		v.Data[i], v.Mask[i] = float32(i), i%3 != 0
	}
	return v
}

// The neighbours of a voxel are the others of its box that are inside the volume and
// valid, in the order of the data.
func TestNeighbours(t *testing.T) {
	v := masked([3]int{5, 4, 4})
	for _, mask := range [][]bool{v.Mask, nil} {
		in := denoise.FieldOf(v)
		in.Mask = mask
		for _, radius := range [][3]int{{}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 2, 1}, {9, 9, 9}} {
			for i := range v.Data {
				x, y, z := i%5, i/5%4, i/20
				var want, got []int
				for j := range v.Data {
					inside := true
					for c, d := range [3]int{j%5 - x, j/5%4 - y, j/20 - z} {
						inside = inside && d >= -radius[c] && d <= radius[c]
					}
					if inside && j != i && in.Valid(j) {
						want = append(want, j)
					}
				}
				Neighbours(&in, radius, x, y, z, func(jx, jy, jz, j int) {
					if j != v.Index(jx, jy, jz) {
						t.Fatalf("voxel (%d, %d, %d) is at %d", jx, jy, jz, j)
					}
					got = append(got, j)
				})
				if !slices.Equal(got, want) {
					t.Fatalf("radius %v of (%d, %d, %d): %v; want %v", radius, x, y, z, got, want)
				}
			}
		}
	}
	if got := Count([3]int{1, 2, 3}); got != 3*5*7 {
		t.Errorf("%g voxels in a neighbourhood of 3 x 5 x 7", got)
	}
}

// A worker sets the valid voxels of its tile and no others, and ends at the row at which
// it is stopped.
func TestEachVoxel(t *testing.T) {
	v := masked([3]int{5, 4, 3})
	tile := volume.Region{Min: [3]int{1, 1, 1}, Max: [3]int{4, 3, 3}}
	for _, box := range []volume.Region{v.Bounds(), tile} {
		for rows := range 5 {
			part := v.Crop(box)
			out := denoise.Field{Dims: v.Dims, Box: box, Data: part.Data, Mask: part.Mask}
			loads, polls := 0, 0
			load := func(got volume.Region) {
				if loads++; got != tile {
					t.Errorf("loaded %v", got)
				}
			}
			if rows == 4 {
				load = nil
			}
			work := EachVoxel(&out, load, func(x, y, z int) float32 { return float32(-1 - v.Index(x, y, z)) })
			work(tile, func() bool { polls++; return polls > rows })
			if want := min(rows+1, 4); polls != want || loads != 1 && rows < 4 {
				t.Errorf("%d rows: %d polls, %d loads; want %d polls", rows, polls, loads, want)
			}
			for z := box.Min[2]; z < box.Max[2]; z++ {
				for y := box.Min[1]; y < box.Max[1]; y++ {
					for x := box.Min[0]; x < box.Max[0]; x++ {
						i := v.Index(x, y, z)
						inside := x >= 1 && x < 4 && y >= 1 && y < 3 && z >= 1 && (z-1)*2+y-1 < rows
						want := float32(i)
						if inside && v.Mask[i] {
							want = float32(-1 - i)
						}
						if got := out.At(x, y, z); got != want {
							t.Errorf("box %v, %d rows: (%d, %d, %d) is %v; want %v", box, rows, x, y, z, got, want)
						}
					}
				}
			}
		}
	}
}

// A block without a mask has none, has room for a group of lanes more, and takes a box
// inside, across and outside the volume.
func TestBlockWithoutMask(t *testing.T) {
	v := masked([3]int{6, 2, 2})
	v.Mask = nil
	f := denoise.FieldOf(v)
	for _, xs := range [][2]int{{0, 6}, {1, 4}, {-2, 3}, {3, 9}, {-3, 8}, {6, 8}, {-4, -1}} {
		var b Block
		box := volume.Region{Min: [3]int{xs[0], 0, 0}, Max: [3]int{xs[1], 2, 2}}
		b.Load(&f, box)
		if b.Mask != nil || len(b.Values) != box.Voxels()+Lanes || b.Dims != box.Dims() || b.Box != box {
			t.Errorf("%v: %d values, mask %v", box, len(b.Values), b.Mask)
		}
		for z := range 2 {
			for y := range 2 {
				for x := xs[0]; x < xs[1]; x++ {
					if got, want := b.Values[b.At(x, y, z)], v.At(volume.Mirror(x, 6), y, z); got != want {
						t.Errorf("%v: (%d, %d, %d) is %v; want %v", box, x, y, z, got, want)
					}
				}
			}
		}
	}
}

// The mask of a reused block is the mask of the last load.
func TestBlockForgetsTheLastMask(t *testing.T) {
	v := masked([3]int{6, 2, 2})
	f := denoise.FieldOf(v)
	var b Block
	box := volume.Region{Max: [3]int{3, 2, 2}}
	for _, shift := range []int{0, 1, 2} {
		at := box
		at.Min[0], at.Max[0] = shift, 3+shift
		b.Load(&f, at)
		for x := shift; x < 3+shift; x++ {
			if i := b.At(x, 1, 1); (b.Mask[i] == 1) != v.Valid(v.Index(x, 1, 1)) {
				t.Errorf("shift %d: the mask of %d is %v", shift, x, b.Mask[i])
			}
		}
	}
}

func TestResizeFillGrow(t *testing.T) {
	s := make([]float32, 4, 8)
	for _, c := range []struct {
		n     int
		keeps bool
	}{{3, true}, {8, true}, {9, false}, {0, true}} {
		got := Resize(s, c.n)
		if len(got) != c.n || (cap(got) == 8) != c.keeps {
			t.Errorf("%d values with room for %d", len(got), cap(got))
		}
	}
	Fill(s, 3)
	if !slices.Equal(s, []float32{3, 3, 3, 3}) {
		t.Errorf("filled with 3: %v", s)
	}
	got := Grow(volume.Region{Min: [3]int{0, 5, 2}, Max: [3]int{4, 6, 3}}, [3]int{1, 2, 0})
	if want := (volume.Region{Min: [3]int{-1, 3, 2}, Max: [3]int{5, 8, 3}}); got != want {
		t.Errorf("grown %v; want %v", got, want)
	}
}
