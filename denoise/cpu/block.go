package cpu

import "quell/volume"

// lanes is how many floats a row kernel works on at once. Rows are worked on in
// whole groups, so every row may be read, and scratch rows written, up to
// lanes-1 values past its end.
const lanes = 8

// whole rounds n up to a multiple of lanes.
func whole(n int) int { return (n + lanes - 1) &^ (lanes - 1) }

// block is a worker's copy of a box of voxels, mirrored where the box reaches
// outside the volume. Its memory is kept from one tile to the next.
type block struct {
	box  volume.Region // may reach outside the volume
	dims [3]int
	v    []float32 // x fastest, then y, then z; and lanes finite values more
	mask []float32 // 1 where the voxel is used, 0 on padding; nil where all are
}

// load fills the block from in.
func (b *block) load(in *volume.Volume, box volume.Region) {
	b.box, b.dims = box, box.Dims()
	n := box.Voxels() + lanes
	b.v = resize(b.v, n)
	if in.Mask != nil {
		b.mask = resize(b.mask, n)
	}
	i := 0
	for z := box.Min[2]; z < box.Max[2]; z++ {
		for y := box.Min[1]; y < box.Max[1]; y++ {
			row := in.Index(0, mirror(y, in.Dims[1]), mirror(z, in.Dims[2]))
			for x := box.Min[0]; x < box.Max[0]; {
				if x < 0 || x >= in.Dims[0] {
					b.copy(in, i, row+mirror(x, in.Dims[0]), 1)
					x, i = x+1, i+1
					continue
				}
				inside := min(box.Max[0], in.Dims[0]) - x
				b.copy(in, i, row+x, inside)
				x, i = x+inside, i+inside
			}
		}
	}
}

// copy takes n voxels from in.Data[from:] to b.v[to:].
func (b *block) copy(in *volume.Volume, to, from, n int) {
	copy(b.v[to:to+n], in.Data[from:from+n])
	if in.Mask == nil {
		return
	}
	for k, valid := range in.Mask[from : from+n] {
		b.mask[to+k] = 0
		if valid {
			b.mask[to+k] = 1
		}
	}
}

// at returns the place in v of the voxel that is (x, y, z) in the volume.
func (b *block) at(x, y, z int) int {
	return ((z-b.box.Min[2])*b.dims[1]+y-b.box.Min[1])*b.dims[0] + x - b.box.Min[0]
}

// resize returns s with length n, its memory reused where it is large enough.
func resize(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	return s[:n]
}

// fill sets every value of s.
func fill(s []float32, v float32) {
	for i := range s {
		s[i] = v
	}
}

// grow returns r with m voxels more on both sides of each axis, unclipped.
func grow(r volume.Region, m [3]int) volume.Region {
	for c := range 3 {
		r.Min[c] -= m[c]
		r.Max[c] += m[c]
	}
	return r
}
