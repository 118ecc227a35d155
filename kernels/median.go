package kernels

import (
	"quell/denoise"
	"quell/denoise/filter/median"
)

func init() {
	const rate = 1e11 // comparisons of a sort per second
	Register(median.Filter.Name, map[string]Pass{"median": onField(rate, func(p denoise.Program, f field) ([]Launch, error) {
		return []Launch{medianLaunch(p.Params.(median.Params), f)}, nil
	})})
}

// medianParams mirrors struct MedianParams of median_params.cuh.
type medianParams struct {
	Field  field
	Radius [3]int32
	_      int32
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
		Args:   Pack(args),
	}
}
