package tile

import (
	"quell/denoise"
	"quell/volume"
)

// Lanes is how many floats the row kernels of package pairwise process at once.
// They process whole groups of lanes, so every row may be read, and scratch rows
// written, up to Lanes-1 values past its end.
const Lanes = 8

// RoundUp rounds n up to a multiple of Lanes.
func RoundUp(n int) int { return (n + Lanes - 1) &^ (Lanes - 1) }

// Block is a worker's copy of a box of voxels, mirrored if the box reaches outside
// the volume. Its memory is reused from one tile to the next.
type Block struct {
	Box    volume.Region // may reach outside the volume
	Dims   [3]int        // of Box
	Values []float32     // x fastest, then y, then z; and Lanes finite values more
	Mask   []float32     // 1 for voxels that are used, 0 for excluded ones; nil if none is excluded
}

// Load fills the block from in.
func (b *Block) Load(in *denoise.Field, box volume.Region) {
	b.Box, b.Dims = box, box.Dims()
	n := box.Voxels() + Lanes
	b.Values = Resize(b.Values, n)
	if in.Mask != nil {
		b.Mask = Resize(b.Mask, n)
	}
	i := 0
	for z := box.Min[2]; z < box.Max[2]; z++ {
		for y := box.Min[1]; y < box.Max[1]; y++ {
			my, mz := volume.Mirror(y, in.Dims[1]), volume.Mirror(z, in.Dims[2])
			for x := box.Min[0]; x < box.Max[0]; {
				inside := 1
				if x >= 0 && x < in.Dims[0] {
					inside = min(box.Max[0], in.Dims[0]) - x
				}
				b.copy(in, i, in.Index(volume.Mirror(x, in.Dims[0]), my, mz), inside)
				x, i = x+inside, i+inside
			}
		}
	}
}

// copy copies n voxels from position from of in to position to of the block.
func (b *Block) copy(in *denoise.Field, to, from, n int) {
	copy(b.Values[to:to+n], in.Data[from:from+n])
	if in.Mask == nil {
		return
	}
	for k, valid := range in.Mask[from : from+n] {
		b.Mask[to+k] = 0
		if valid {
			b.Mask[to+k] = 1
		}
	}
}

// At returns the position in Values of voxel (x, y, z) of the volume.
func (b *Block) At(x, y, z int) int {
	return ((z-b.Box.Min[2])*b.Dims[1]+y-b.Box.Min[1])*b.Dims[0] + x - b.Box.Min[0]
}

// Resize returns s with length n, reusing its memory if that is large enough.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// Fill sets every value of s.
func Fill(s []float32, v float32) {
	for i := range s {
		s[i] = v
	}
}

// Grow returns r with m more voxels on both sides of each axis, not clipped to
// the volume.
func Grow(r volume.Region, m [3]int) volume.Region {
	for c := range 3 {
		r.Min[c] -= m[c]
		r.Max[c] += m[c]
	}
	return r
}

// Bytes estimates a worker's scratch memory: perVoxel bytes for each voxel of a
// tile of the given size and its halo, in a volume of the given dims.
func Bytes(dims, size, reach [3]int, perVoxel int64) int64 {
	for c := range 3 {
		perVoxel *= int64(min(size[c], dims[c]) + 2*reach[c] + Lanes)
	}
	return perVoxel
}

// Neighbours calls f with every voxel j != i of the neighbourhood of
// i = (x, y, z) that is inside the volume and not excluded: its indices and its
// position in in.Data. The neighbourhood is the box of half widths radius.
func Neighbours(in *denoise.Field, radius [3]int, x, y, z int, f func(jx, jy, jz, j int)) {
	for jz := max(z-radius[2], 0); jz <= min(z+radius[2], in.Dims[2]-1); jz++ {
		for jy := max(y-radius[1], 0); jy <= min(y+radius[1], in.Dims[1]-1); jy++ {
			for jx := max(x-radius[0], 0); jx <= min(x+radius[0], in.Dims[0]-1); jx++ {
				j := in.Index(jx, jy, jz)
				if in.Valid(j) && (jx != x || jy != y || jz != z) {
					f(jx, jy, jz, j)
				}
			}
		}
	}
}

// Count returns the number of voxels in a neighbourhood, i included.
func Count(radius [3]int) float64 {
	return float64(2*radius[0]+1) * float64(2*radius[1]+1) * float64(2*radius[2]+1)
}

// EachVoxel returns a worker that sets every valid voxel of a tile of out to
// f(x, y, z), row by row. load, if not nil, is called before each tile.
func EachVoxel(out *denoise.Field, load func(tile volume.Region), f func(x, y, z int) float32) denoise.Worker {
	return func(tile volume.Region, stop func() bool) {
		if load != nil {
			load(tile)
		}
		for z := tile.Min[2]; z < tile.Max[2]; z++ {
			for y := tile.Min[1]; y < tile.Max[1]; y++ {
				if stop() {
					return
				}
				row := out.Index(0, y, z)
				for x := tile.Min[0]; x < tile.Max[0]; x++ {
					if out.Valid(row + x) {
						out.Data[row+x] = f(x, y, z)
					}
				}
			}
		}
	}
}
