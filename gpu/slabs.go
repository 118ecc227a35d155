package gpu

import (
	"quell/gpu/wire"
	"quell/internal/message"
	"quell/volume"
)

// A region is divided twice. A slab is the part that is on the device together: its
// input with the halo, and its output. A block is what one run filters; blocks
// are short, so that a cancel takes effect soon and copies overlap with kernels.

// slab is a part of a region along z.
type slab struct {
	region  volume.Region
	z0, z1  int             // the input slices it reads: z0 <= z < z1
	blocks  []volume.Region // in the order of the result's memory, which they fill without gaps
	results int64           // voxels of its result
}

// layout is how a region is divided.
type layout struct {
	slabs   []slab
	reach   [3]int // voxels that a block reads beyond its own, along each axis
	whole   bool   // the whole inputs stay on the device for later runs
	scratch int64  // bytes for the intermediate results of one block
	memory  int64  // bytes of device memory
}

// demand is the demand that a layout meets.
type demand struct {
	dims          [3]int        // of the volume
	region        volume.Region // to be filtered
	reach         [3]int        // voxels that the filter reads beyond the region
	inputs        int           // volumes that the filter reads
	masked        bool
	shared        bool                    // the region is a part of a run that several devices share
	deepTiles     bool                    // of the kernels, see kernels.Pass
	intermediates [][3]int                // voxels beyond a block for which each intermediate result is computed
	beside        func(dims [3]int) int64 // bytes that the kernels use besides, for a block of these dims; nil: none
	block         int                     // voxels that one run may filter
	budget        int64                   // bytes of device memory
}

// input returns the bytes of n slices of all inputs.
func (d demand) input(n int) int64 {
	perVoxel := int64(4 * d.inputs)
	if d.masked {
		perVoxel++
	}
	return int64(n) * int64(d.dims[0]) * int64(d.dims[1]) * perVoxel
}

// scratch returns the bytes of the intermediate results of the largest block in slabs of
// t slices, and of what the kernels use besides.
func (d demand) scratch(t int) int64 {
	block := blockDims(d.region, d.block)
	block[2] = min(block[2], t)
	var voxels []int64
	for _, reach := range d.intermediates {
		n := int64(1)
		for c := range 3 {
			n *= int64(min(block[c]+2*reach[c], d.dims[c]))
		}
		voxels = append(voxels, n)
	}
	bytes := wire.ScratchBytes(voxels...)
	if d.beside != nil {
		bytes += d.beside(block)
	}
	return bytes
}

// memory returns the bytes needed for slabs of t slices, of which two are on the
// device at a time unless there is only one.
func (d demand) memory(t int, whole bool) int64 {
	rd := d.region.Dims()
	n := int64(2)
	if t >= rd[2] {
		n = 1
	}
	out := n*int64(rd[0])*int64(rd[1])*int64(t)*4 + d.scratch(t)
	if whole {
		return d.input(d.dims[2]) + out
	}
	return n*d.input(min(t+2*d.reach[2], d.dims[2])) + out
}

// grain returns the number of slices between the places at which the region may be
// divided into slabs or among devices. The last bits of a result depend on the first
// slice of the kernels' tiles; divided there, a region gives the same bits in any number
// of slabs and on any number of devices. The tiles of an intermediate result begin with
// its block, and deep tiles as well, so those blocks must always be the same.
func (d demand) grain() int {
	slices := blockSlices(d.region, d.block)
	if len(d.intermediates) == 0 && !d.deepTiles {
		slices = min(slices, tileSlices)
	}
	return slices
}

// planSlabs divides a region into the fewest slabs within the budget, with the
// whole input on the device if it fits and the run is not shared.
func planSlabs(d demand) (layout, error) {
	rd := d.region.Dims()
	for _, whole := range []bool{true, false} {
		if whole && d.shared {
			continue
		}
		for slabs := 1; slabs <= rd[2]; slabs++ {
			t := (rd[2] + slabs - 1) / slabs
			if slabs > 1 {
				t = roundDown(t, d.grain())
			}
			if memory := d.memory(t, whole); memory <= d.budget {
				return d.layout(t, whole, memory), nil
			}
		}
	}
	return layout{}, &memoryError{need: d.memory(1, false), have: d.budget}
}

// layout makes slabs of t slices.
func (d demand) layout(t int, whole bool, memory int64) layout {
	l := layout{reach: d.reach, whole: whole, scratch: d.scratch(t), memory: memory}
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

// blocks divides a region into blocks of about n voxels.
func blocks(r volume.Region, n int) []volume.Region {
	dims := blockDims(r, n)
	var out []volume.Region
	for z := r.Min[2]; z < r.Max[2]; z += dims[2] {
		for y := r.Min[1]; y < r.Max[1]; y += dims[1] {
			b := r
			b.Min[1], b.Max[1] = y, min(y+dims[1], r.Max[1])
			b.Min[2], b.Max[2] = z, min(z+dims[2], r.Max[2])
			out = append(out, b)
		}
	}
	return out
}

// blockDims returns the dims of blocks of about n voxels: whole slices if a slice is
// small enough, else rows of one slice.
func blockDims(r volume.Region, n int) [3]int {
	d := r.Dims()
	rows := d[1]
	if n < d[0]*d[1] {
		rows = roundDown(max(n/d[0], 1), tileRows)
	}
	return [3]int{d[0], rows, blockSlices(r, n)}
}

// tileSlices and tileRows are multiples of the tiles into which kernels divide a
// region, counted from its first voxel: 1 to 4 slices, unless they are deep, and up to 32
// rows.
const (
	tileSlices = 12
	tileRows   = 32
)

// blockSlices returns the number of slices in blocks of about n voxels.
func blockSlices(r volume.Region, n int) int {
	d := r.Dims()
	return roundDown(max(n/(d[0]*d[1]), 1), tileSlices)
}

// roundDown rounds n down to a multiple of step; an n below step stays.
func roundDown(n, step int) int {
	if n > step {
		n -= n % step
	}
	return n
}

// memoryError says that not even the smallest slab fits.
type memoryError struct{ need, have int64 }

// AsMessage says how much memory there is.
func (e *memoryError) AsMessage() message.Message {
	return message.New(message.EngineMemory, "one slice with its surroundings needs %d MB of GPU memory and %d MB are free", e.need>>20+1, e.have>>20)
}

func (e *memoryError) Error() string { return e.AsMessage().String() }
