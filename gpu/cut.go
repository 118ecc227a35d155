package gpu

import (
	"fmt"

	"quell/volume"
)

// A region is cut twice. A slab is what lies on the device together: its input
// with the halo and its output. A block is what one run filters; blocks are
// short, so that a cancel is obeyed soon and copies overlap with kernels.

// slab is a part of a region along z.
type slab struct {
	region  volume.Region
	z0, z1  int             // the input slices it reads
	blocks  []volume.Region // in the order of the result's memory, which each fills without a gap
	results int64           // voxels of its result
}

// layout is how a region is run.
type layout struct {
	slabs  []slab
	reach  [3]int // voxels that a block reads beyond its own, along each axis
	whole  bool   // the whole input stays on the device, for the runs to come
	memory int64  // bytes of device memory
}

// demand is what a layout is made from.
type demand struct {
	dims   [3]int        // of the volume
	region volume.Region // what is wanted
	reach  [3]int        // voxels that the filter reads beyond the region
	masked bool
	block  int   // voxels that one run may filter
	budget int64 // bytes of device memory
}

// bytesPerVoxel is the device memory of one input voxel.
func (d demand) bytesPerVoxel() int64 {
	if d.masked {
		return 5
	}
	return 4
}

// input returns the bytes of n input slices.
func (d demand) input(n int) int64 {
	return int64(n) * int64(d.dims[0]) * int64(d.dims[1]) * d.bytesPerVoxel()
}

// need returns the bytes that slabs of t slices take: two of them are on the
// device at a time, unless one is all.
func (d demand) need(t int, whole bool) int64 {
	rd := d.region.Dims()
	n := int64(2)
	if t >= rd[2] {
		n = 1
	}
	out := n * int64(rd[0]) * int64(rd[1]) * int64(t) * 4
	if whole {
		return d.input(d.dims[2]) + out
	}
	return n*d.input(min(t+2*d.reach[2], d.dims[2])) + out
}

// cut lays a region out within the budget: the whole input on the device if it
// fits, in the fewest slabs.
func cut(d demand) (layout, error) {
	rd := d.region.Dims()
	for _, whole := range []bool{true, false} {
		for slabs := 1; slabs <= rd[2]; slabs++ {
			t := (rd[2] + slabs - 1) / slabs
			if slabs > 1 {
				t = downTo(t, grain(d.region, d.block))
			}
			if memory := d.need(t, whole); memory <= d.budget {
				return d.layout(t, whole, memory), nil
			}
		}
	}
	return layout{}, &memoryError{need: d.need(1, false), have: d.budget}
}

// layout cuts slabs of t slices.
func (d demand) layout(t int, whole bool, memory int64) layout {
	l := layout{reach: d.reach, whole: whole, memory: memory}
	for z := d.region.Min[2]; z < d.region.Max[2]; z += t {
		s := slab{region: d.region}
		s.region.Min[2], s.region.Max[2] = z, min(z+t, d.region.Max[2])
		s.z0 = max(s.region.Min[2]-d.reach[2], 0)
		s.z1 = min(s.region.Max[2]+d.reach[2], d.dims[2])
		s.blocks = blocks(s.region, d.block)
		s.results = int64(s.region.Voxels())
		l.slabs = append(l.slabs, s)
	}
	return l
}

// blocks cuts a region into pieces of about n voxels: whole slices where they
// are small enough, else rows of one slice.
func blocks(r volume.Region, n int) []volume.Region {
	d := r.Dims()
	slices := blockSlices(r, n)
	rows := d[1]
	if n < d[0]*d[1] {
		rows = downTo(max(n/d[0], 1), tileRows)
	}
	var out []volume.Region
	for z := r.Min[2]; z < r.Max[2]; z += slices {
		for y := r.Min[1]; y < r.Max[1]; y += rows {
			b := r
			b.Min[1], b.Max[1] = y, min(y+rows, r.Max[1])
			b.Min[2], b.Max[2] = z, min(z+slices, r.Max[2])
			out = append(out, b)
		}
	}
	return out
}

// tileSlices and tileRows are multiples of the tiles that kernels cut a region
// into, from its first voxel on: of 1, 3 or 4 slices and up to 32 rows.
const (
	tileSlices = 12
	tileRows   = 32
)

// blockSlices is the number of slices in blocks of about n voxels.
func blockSlices(r volume.Region, n int) int {
	d := r.Dims()
	return downTo(max(n/(d[0]*d[1]), 1), tileSlices)
}

// grain is the number of slices between places where a region may be cut. The
// last bits of a result depend on where tiles begin; cut there, a region gives
// the same bits in any number of slabs and on any number of devices.
func grain(r volume.Region, n int) int { return min(blockSlices(r, n), tileSlices) }

// downTo makes n a multiple of step, unless it is less than one.
func downTo(n, step int) int {
	if n > step {
		n -= n % step
	}
	return n
}

// memoryError says that not even the smallest slab fits.
type memoryError struct{ need, have int64 }

func (e *memoryError) Error() string {
	return fmt.Sprintf("one slice with its surroundings needs %d MB of GPU memory and %d MB are free", e.need>>20+1, e.have>>20)
}
