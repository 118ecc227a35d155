package kernels

import (
	"encoding/binary"
	"fmt"
	"math"

	"quell/denoise"
	"quell/volume"
)

// field mirrors struct Field of field.cuh: where the voxels are and which of
// them to filter. Every kernel's parameters begin with it.
type field struct {
	In, Mask, Out uint64
	Dims          [3]int32 // of the whole volume
	First, Slices int32    // slices of the volume that In and Mask hold
	Min, Max      [3]int32 // the region; Out holds it densely
	Turned        int32    // x and y have changed places in Dims, Min and Max
}

func newField(p denoise.Program, box Box, b Buffers) (field, error) {
	whole := volume.Geometry{Dims: box.Dims}
	if err := box.Region.Validate(whole); err != nil {
		return field{}, err
	}
	need := box.Region.Grow(p.Reach(), whole)
	if box.First < 0 || box.First+box.Slices > box.Dims[2] || need.Min[2] < box.First || need.Max[2] > box.First+box.Slices {
		return field{}, fmt.Errorf("kernels: slices %d to %d are needed and %d to %d are there",
			need.Min[2], need.Max[2], box.First, box.First+box.Slices)
	}
	f := field{In: b.In, Mask: b.Mask, Out: b.Out, First: int32(box.First), Slices: int32(box.Slices)}
	for c := range 3 {
		if box.Dims[c] > math.MaxInt32/2 {
			return field{}, fmt.Errorf("kernels: %d voxels along an axis are too many", box.Dims[c])
		}
		f.Dims[c] = int32(box.Dims[c])
		f.Min[c], f.Max[c] = int32(box.Region.Min[c]), int32(box.Region.Max[c])
	}
	return f, nil
}

// grid returns the blocks that cover the region with tiles of the given dims,
// all along x as only that axis takes more than 65535; 0 where even that is
// too few.
func (f field) grid(tile [3]int) [3]int {
	blocks := 1
	for c := range 3 {
		blocks *= (int(f.Max[c]-f.Min[c]) + tile[c] - 1) / tile[c]
		if blocks > math.MaxInt32 {
			return [3]int{}
		}
	}
	return [3]int{blocks, 1, 1}
}

// turned returns the same field with x and y in each other's place: a region
// that is thin along x becomes one that is thin along y.
func (f field) turned() field {
	f.Turned = 1
	f.Dims[0], f.Dims[1] = f.Dims[1], f.Dims[0]
	f.Min[0], f.Min[1] = f.Min[1], f.Min[0]
	f.Max[0], f.Max[1] = f.Max[1], f.Max[0]
	return f
}

// chunks returns the blocks that cover the region's voxels with n each, 0 where
// that is too many.
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

// pack lays a parameter struct out as the device reads it. The structs have
// explicit padding, so that this is C's layout too.
func pack(params any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, params)
	if err != nil {
		panic(err) // a struct with a field of no fixed size: a mistake in this package
	}
	return b
}
