package kernels

import (
	"math"

	"quell/denoise/filter/bilateral"
	"quell/denoise/filter/gaussian"
	"quell/denoise/filter/median"
	"quell/denoise/filter/spatial"
)

// Half the base-2 logarithm of e turns exp(-x^2/2) into a power of two.
const halfLog2E = math.Log2E / 2

// gaussianParams mirrors struct GaussianParams of params.cuh.
type gaussianParams struct {
	Field  field
	Radius [3]int32
	Decay  [3]float32 // g = 2^-(sum_a Decay_a d_a^2)
}

// bilateralParams mirrors struct BilateralParams of params.cuh.
type bilateralParams struct {
	Field   field
	Radius  [3]int32
	Decay   [3]float32 // as in gaussianParams
	Scale   float32    // values times Scale: c = 2^-(dv^2)
	Inverse float32    // 1 / Scale
}

// medianParams mirrors struct MedianParams of params.cuh.
type medianParams struct {
	Field  field
	Radius [3]int32
	_      int32
}

// widenParams mirrors struct WidenParams of params.cuh.
type widenParams struct {
	From, To uint64
	Count    int64
	Bias     float32
	_        int32
}

// decay returns the radius and the coefficients of the spatial weight.
func decay(p spatial.Weights) (radius [3]int32, decay [3]float32) {
	for c := range 3 {
		radius[c] = int32(p.Radius[c])
		decay[c] = float32(halfLog2E * p.Scale[c] * p.Scale[c])
	}
	return radius, decay
}

// gaussianLaunch: a block filters 32x32 voxels of a slice.
func gaussianLaunch(p gaussian.Params, f field) Launch {
	args := gaussianParams{Field: f}
	args.Radius, args.Decay = decay(p.Weights)
	return Launch{
		Module: "gaussian",
		Kernel: "gaussian",
		Grid:   f.grid([3]int{32, 32, 1}),
		Block:  [3]int{32, 8, 1},
		Shared: 2 * 32 * (32 + 2*p.Radius[1]) * 4,
		Args:   pack(args),
	}
}

// bilateralColumns is the width of the bilateral kernel's tile: 32 lanes and as
// many steps of the window along x as are on the chip at once, less one.
const bilateralColumns = 64

// bilateralLaunch: a block of four warps filters 32x32 voxels of a slice, every
// thread eight of a column.
func bilateralLaunch(p bilateral.Params, f field) Launch {
	args := bilateralParams{Field: f, Scale: float32(math.Sqrt(halfLog2E) / p.SigmaRange)}
	args.Radius, args.Decay = decay(p.Weights)
	args.Inverse = 1 / args.Scale
	return Launch{
		Module: "bilateral",
		Kernel: "bilateral",
		Grid:   f.grid([3]int{32, 32, 1}),
		Block:  [3]int{32, 4, 1},
		Shared: bilateralColumns * (32 + 2*p.Radius[1]) * 4,
		Args:   pack(args),
	}
}

// medianLaunch: a thread filters one voxel.
func medianLaunch(p median.Params, f field) Launch {
	args := medianParams{Field: f}
	for c := range 3 {
		args.Radius[c] = int32(p.Radius[c])
	}
	return Launch{
		Module: "median",
		Kernel: "median",
		Grid:   f.grid([3]int{32, 8, 1}),
		Block:  [3]int{32, 8, 1},
		Args:   pack(args),
	}
}
