package kernels

import (
	"encoding/binary"
	"fmt"
	"math"

	"quell/denoise"
)

// field mirrors struct Field of field.cuh: the voxels and the region to filter. The
// parameters of every kernel with a single input begin with it.
type field struct {
	In, Mask, Out uint64
	Dims          [3]int32 // of the whole volume
	First, Slices int32    // the first slice in In and Mask, and their number of slices
	Min, Max      [3]int32 // the region, which Out holds without gaps
	Swapped       int32    // x and y have changed places in Dims, Min and Max
}

// newField returns the field of a pass with an only input that consists of whole
// slices.
func newField(part Part) (field, error) {
	in := part.Inputs[0]
	first, slices := in.Box.Min[2], in.Box.Dims()[2]
	f := field{In: in.Address, Out: part.Out, First: int32(first), Slices: int32(slices)}
	if part.Mask.Address != 0 {
		// The mask may hold more slices than the input, and kernels know one range of
		// it.
		more := in.Box.Min[2] - part.Mask.Box.Min[2]
		if more < 0 || part.Mask.Box.Max[2] < in.Box.Max[2] {
			return field{}, fmt.Errorf("the mask holds %v and the voxels %v", part.Mask.Box, in.Box)
		}
		f.Mask = part.Mask.Address + uint64(more)*uint64(part.Dims[0])*uint64(part.Dims[1])
	}
	for c := range 3 {
		if part.Dims[c] > math.MaxInt32/2 {
			return field{}, fmt.Errorf("%d voxels along an axis are too many", part.Dims[c])
		}
		if c < 2 && in.Box.Dims()[c] != part.Dims[c] {
			return field{}, fmt.Errorf("%v is no range of whole slices", in.Box)
		}
		f.Dims[c] = int32(part.Dims[c])
		f.Min[c], f.Max[c] = int32(part.Region.Min[c]), int32(part.Region.Max[c])
	}
	return f, nil
}

// onField returns a pass of that rate with kernels that take a field. shape is one of
// the kernel's shapes, or 0 for the first of them.
func onField(rate float64, launches func(p denoise.Program, f field, shape int) ([]Launch, error)) Pass {
	return Pass{Rate: rate, WholeSlices: true, Launches: func(p denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
		f, err := newField(part)
		if err != nil {
			return nil, err
		}
		return launches(p, f, part.shape)
	}}
}

// grid returns the grid of blocks that covers the region with tiles of the given dims.
func (f field) grid(tile [3]int) [3]int {
	var dims [3]int
	for c := range 3 {
		dims[c] = int(f.Max[c] - f.Min[c])
	}
	return Grid(dims, tile)
}

// Grid returns the grid of blocks that covers a region of the given dims with tiles. All
// blocks are along x, because the other axes are limited to 65535; the grid is 0 if that
// is not enough.
func Grid(dims, tile [3]int) [3]int {
	blocks := 1
	for c := range 3 {
		blocks *= (dims[c] + tile[c] - 1) / tile[c]
		if blocks > math.MaxInt32 {
			return [3]int{}
		}
	}
	return [3]int{blocks, 1, 1}
}

// swapped returns the same field with x and y exchanged: a region that is thin along
// x becomes thin along y.
func (f field) swapped() field {
	f.Swapped = 1
	f.Dims[0], f.Dims[1] = f.Dims[1], f.Dims[0]
	f.Min[0], f.Min[1] = f.Min[1], f.Min[0]
	f.Max[0], f.Max[1] = f.Max[1], f.Max[0]
	return f
}

// chunks returns the number of blocks that cover the region's voxels with n voxels
// each, 0 if there are too many.
func (f field) chunks(n int) int {
	voxels := 1
	for c := range 3 {
		voxels *= int(f.Max[c] - f.Min[c])
	}
	blocks := (voxels + n - 1) / n
	if blocks > math.MaxInt32 {
		return 0
	}
	return blocks
}

// Box mirrors struct Box of box.cuh: a box of the volume in device memory, for kernels
// with several inputs or with inputs computed by an earlier pass.
type Box struct {
	Address  uint64
	Min, Max [3]int32
}

// NewBox returns a buffer as an argument of a kernel.
func NewBox(b Buffer) Box {
	return Box{Address: b.Address, Min: indices(b.Box.Min), Max: indices(b.Box.Max)}
}

// OutBox returns the box of the results of a part.
func (p Part) OutBox() Box { return NewBox(Buffer{Address: p.Out, Box: p.Region}) }

func indices(v [3]int) [3]int32 { return [3]int32{int32(v[0]), int32(v[1]), int32(v[2])} }

// Pack returns a parameter struct in the memory layout of the device. The structs have
// explicit padding, so that the layout is also the layout in C.
func Pack(params any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, params)
	if err != nil {
		panic(err) // a field without a fixed size: a bug in the caller
	}
	return b
}
