package kernels

import (
	"cmp"

	"quell/denoise"
	"quell/denoise/filter/median"
)

func init() {
	const rate = 1e11 // comparisons of a sort per second
	pass := onField(rate, func(p denoise.Program, f field, shape int) ([]Launch, error) {
		return []Launch{medianLaunch(p.Params.(median.Params), f, shape)}, nil
	})
	pass.Speedup = func(p denoise.Program) float64 {
		if medianNetworks[p.Params.(median.Params).Radius] != "" {
			return 30
		}
		return 1
	}
	Register(median.Filter.Name, map[string]Pass{"median": pass})
}

// medianNetworks are the kernels for one neighbourhood each.
var medianNetworks = map[[3]int]string{{1, 1, 0}: "median_3x3", {2, 2, 0}: "median_5x5", {1, 1, 1}: "median_3x3x3"}

// medianParams mirrors struct MedianParams of median_params.cuh.
type medianParams struct {
	Field  field
	Radius [3]int32
	_      int32
}

// medianShapes are the rows of threads of a block of a network.
var medianShapes = shapes{"rows of threads", []int{8, 4, 2}}

// medianLaunch: a thread filters one voxel.
func medianLaunch(p median.Params, f field, shape int) Launch {
	rows := medianShapes.of(shape)
	args := medianParams{Field: f}
	for c := range 3 {
		args.Radius[c] = int32(p.Radius[c])
	}
	return Launch{
		Module: "median",
		Kernel: cmp.Or(medianNetworks[p.Radius], "median"),
		Grid:   f.grid([3]int{32, rows, 1}),
		Block:  [3]int{32, rows, 1},
		Args:   Pack(args),
	}
}
