// Package kernels holds the GPU code of the filters and knows how to start it.
//
// The code is CUDA C++ (*.cu, one file for each filter, the mathematics at its
// top), compiled to one compressed fatbin for each file by build.sh and
// embedded here as a module. This package works out the launches for a recipe:
// which kernel, how many blocks, which arguments. It touches no device and
// needs no cgo, so that it is tested everywhere; package gpu and its worker load
// the modules and start the launches.
//
// It may import denoise, the filters and volume.
package kernels

import (
	"fmt"

	"quell/denoise"
	_ "quell/denoise/filter" // recipes name filters of the table
	"quell/denoise/filter/bilateral"
	"quell/denoise/filter/gaussian"
	"quell/denoise/filter/lpa"
	"quell/denoise/filter/median"
	"quell/denoise/filter/nlm"
	"quell/volume"
)

// Box says which part of a volume lies on the device and which part of it is
// to be filtered.
type Box struct {
	Dims   [3]int        // of the whole volume
	First  int           // the first slice of the volume in Buffers.In and Mask
	Slices int           // slices in Buffers.In and Mask
	Region volume.Region // what to filter, in the whole volume's indices
}

// Buffers are addresses in device memory.
type Buffers struct {
	In     uint64 // float32, Dims[0] x Dims[1] x Slices
	Mask   uint64 // bytes of the same dims, 1 for a voxel that holds data; 0: all of them
	Out    uint64 // float32, the region's dims
	Scales uint64 // lpa only: 8 bytes a voxel of the region, see LPA; 0: not wanted
}

// Launch is one kernel start.
type Launch struct {
	Module string // which image holds the kernel
	Kernel string // its name there
	Grid   [3]int
	Block  [3]int
	Shared int    // bytes of dynamic shared memory; above 48 KB the function must be allowed them
	Args   []byte // the parameter buffer, laid out as the kernel's one struct
}

// Launches returns what must be started, in this order on one stream, to
// filter box.Region. r is resolved; g is the whole volume's geometry. The slices
// in the buffers must reach the reach of the recipe beyond the region, or to the volume's
// end. The results are the same whatever part of the volume is on the device.
func Launches(r denoise.Recipe, g volume.Geometry, box Box, b Buffers) ([]Launch, error) {
	program, err := r.Bind(g)
	if err != nil {
		return nil, fmt.Errorf("kernels: %w", err)
	}
	f, err := newField(program, box, b)
	if err != nil {
		return nil, err
	}
	var ls []Launch
	switch p := program.Params.(type) {
	case nlm.Params:
		ls = nlmLaunches(p, f, r.Dims)
	case bilateral.Params:
		ls = []Launch{bilateralLaunch(p, f)}
	case lpa.Params:
		var l Launch
		l, err = lpaLaunch(p, f, b.Scales)
		ls = []Launch{l}
	case gaussian.Params:
		ls = []Launch{gaussianLaunch(p, f)}
	case median.Params:
		ls = []Launch{medianLaunch(p, f)}
	default:
		return nil, fmt.Errorf("kernels: there is no %s kernel", r.Filter)
	}
	if err != nil {
		return nil, err
	}
	for _, l := range ls {
		if l.Grid[0] < 1 {
			return nil, fmt.Errorf("kernels: region %v-%v has too many voxels for one launch", box.Region.Min, box.Region.Max)
		}
	}
	return ls, nil
}

// Widen returns the launch that turns count int16 voxels at from into float32
// voxels at to, value = stored + bias.
func Widen(from, to uint64, count int64, bias float32) Launch {
	const threads, perThread = 256, 8
	return Launch{
		Module: "convert",
		Kernel: "widen",
		Grid:   [3]int{int((count + threads*perThread - 1) / (threads * perThread)), 1, 1},
		Block:  [3]int{threads, 1, 1},
		Args:   pack(widenParams{From: from, To: to, Count: count, Bias: bias}),
	}
}
