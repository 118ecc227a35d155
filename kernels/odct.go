package kernels

import (
	"quell/denoise"
	"quell/denoise/filter/odct"
)

func init() {
	Register(odct.Filter.Name, map[string]Pass{odct.PassName: odctPass(func(p denoise.Program) odct.Params { return p.Params.(odct.Params) })})
}

// odctPass returns the kernels of odct's pass in a filter with programs that hold
// its parameters.
func odctPass(params func(p denoise.Program) odct.Params) Pass {
	const rate = 1.5e11 // coefficients per second
	return Pass{Rate: rate, Launches: func(p denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
		return []Launch{odctLaunch(params(p), part)}, nil
	}}
}

// odctLaunch: odct_3d computes 29 x 9 x 13 voxels in a block of 32 x 12 threads, odct_2d
// 25 x 32 in a warp, odct_any a voxel in a thread.
func odctLaunch(p odct.Params, part Part) Launch {
	args := newDCTParams(p.Size, part)
	copy(args.Limits[:], p.Rule().Limits(p.Size))
	l := Launch{Module: "odct", Args: Pack(args)}
	dims := part.Region.Dims()
	switch p.Size {
	case [3]int{4, 4, 4}:
		l.Kernel, l.Grid, l.Block = "odct_3d", Grid(dims, [3]int{29, 9, 13}), [3]int{32, 12, 1}
	case [3]int{8, 8, 1}:
		l.Kernel, l.Grid, l.Block = "odct_2d", Grid(dims, [3]int{25, 4 * 32, 1}), [3]int{32, 4, 1}
	default:
		l.Kernel, l.Grid, l.Block = "odct_any", Grid([3]int{part.Region.Voxels(), 1, 1}, [3]int{128, 1, 1}), [3]int{128, 1, 1}
	}
	return l
}
