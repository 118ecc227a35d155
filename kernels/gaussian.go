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
	Register(gaussian.Filter.Name, map[string]Pass{
		gaussian.PassName: gaussianPass(func(p denoise.Program) gaussian.Params { return p.Params.(gaussian.Params) }),
	})
}

// gaussianPass returns the pass of the filter, with the parameters that params finds in a program.
func gaussianPass(params func(p denoise.Program) gaussian.Params) Pass {
	const rate = 2e12 // taps per second
	blur := onField(rate, func(p denoise.Program, f field, _ int) ([]Launch, error) {
		return []Launch{gaussianLaunch(params(p), f)}, nil
	})
	blur.DeepTiles = true // of 8 or 16 slices, each with a reference of its own
	return blur
}

// gaussianParams mirrors struct GaussianParams of gaussian_params.cuh.
type gaussianParams struct {
	Field   field
	Radius  [3]int32
	Decay   [3]float32 // g = 2^-(sum_a Decay_a d_a^2)
	Band    int32
	Buffers int32
}

// decay returns the radius and the coefficients of the spatial weight.
func decay(p spatial.Weights) (radius [3]int32, decay [3]float32) {
	for c := range 3 {
		radius[c] = int32(p.Radius[c])
		decay[c] = float32(halfLog2E * p.Scale[c] * p.Scale[c])
	}
	return radius, decay
}

// gaussianLaunch: a block filters 32x32 voxels in 16 slices, or in 8 with a mask. Its
// shared memory holds the taps along every axis, two bands of rows, and the sums along x
// of all rows of a slice, twice if there is room.
func gaussianLaunch(p gaussian.Params, f field) Launch {
	const (
		tile    = 32
		each    = 4 // voxels of a thread in a slice
		threads = tile * tile / each
		limit   = 48 << 10
	)
	kernel, depth, sums, loads := "gaussian", 16, 1, 7
	if f.Mask != 0 {
		kernel, depth, sums, loads = "gaussian_masked", 8, 2, 4
	}
	args := gaussianParams{Field: f, Buffers: 2}
	args.Radius, args.Decay = decay(p.Weights)
	fours := func(n int) int { return (n + 3) / 4 * 4 }
	alongX := fours(2*p.Radius[0] + 1)
	taps := alongX + fours(2*p.Radius[1]+each) + fours(2*(p.Radius[2]+depth)-1) + depth
	rows, pitch := fours(tile+2*p.Radius[1]), tile+alongX
	most := loads * threads / pitch / 4 * 4
	bands := (rows + most - 1) / most
	band := fours((rows + bands - 1) / bands)
	args.Band = int32(band)
	shared := 4 * (taps + sums*(2*loads*threads+2*rows*tile))
	if shared > limit {
		args.Buffers = 1
		shared -= 4 * sums * rows * tile
	}
	return Launch{
		Module: "gaussian",
		Kernel: kernel,
		Grid:   f.grid([3]int{tile, tile, depth}),
		Block:  [3]int{tile, tile / each, 1},
		Shared: shared,
		Args:   Pack(args),
	}
}
