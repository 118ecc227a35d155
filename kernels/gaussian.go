package kernels

import (
	"math"

	"quell/denoise"
	"quell/denoise/filter/gaussian"
	"quell/denoise/filter/spatial"
)

// halfLog2E turns exp(-x^2/2) into the power of two 2^-(halfLog2E x^2).
const halfLog2E = math.Log2E / 2

func init() {
	const rate = 1e12 // voxels of the neighbourhood per second
	Register(gaussian.Filter.Name, map[string]Pass{"blur": onField(rate, func(p denoise.Program, f field) ([]Launch, error) {
		return []Launch{gaussianLaunch(p.Params.(gaussian.Params), f)}, nil
	})})
}

// gaussianParams mirrors struct GaussianParams of gaussian_params.cuh.
type gaussianParams struct {
	Field  field
	Radius [3]int32
	Decay  [3]float32 // g = 2^-(sum_a Decay_a d_a^2)
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
		Args:   Pack(args),
	}
}
