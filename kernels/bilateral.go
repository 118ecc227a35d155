package kernels

import (
	"math"

	"quell/denoise"
	"quell/denoise/filter/bilateral"
)

func init() {
	const rate = 3e12 // weights per second
	Register(bilateral.Filter.Name, map[string]Pass{"average": onField(rate, func(p denoise.Program, f field, _ int) ([]Launch, error) {
		return []Launch{bilateralLaunch(p.Params.(bilateral.Params), f)}, nil
	})})
}

// bilateralParams mirrors struct BilateralParams of bilateral_params.cuh.
type bilateralParams struct {
	Field   field
	Radius  [3]int32
	Decay   [3]float32 // as in gaussianParams
	Scale   float32    // factor of the values: c = 2^-(dv^2)
	Inverse float32    // 1 / Scale
}

// bilateralColumns is the width of the bilateral kernel's tile: 32 lanes and the 33
// steps along x that it is wide enough for, minus one.
const bilateralColumns = 64

// bilateralLaunch: a block of four warps filters 32x16 voxels of a slice, each thread four
// voxels of a column.
func bilateralLaunch(p bilateral.Params, f field) Launch {
	const warps, each = 4, 4
	args := bilateralParams{Field: f, Scale: float32(math.Sqrt(halfLog2E) / p.SigmaRange)}
	args.Radius, args.Decay = decay(p.Weights)
	args.Inverse = 1 / args.Scale
	return Launch{
		Module: "bilateral",
		Kernel: "bilateral",
		Grid:   f.grid([3]int{32, each * warps, 1}),
		Block:  [3]int{32, warps, 1},
		Shared: bilateralColumns * (each*warps + 2*p.Radius[1]) * 4,
		Args:   Pack(args),
	}
}
