package kernels

import (
	"fmt"
	"math"

	"quell/denoise"
	"quell/denoise/filter/odct"
	"quell/denoise/filter/prinlm"
)

func init() {
	Register(prinlm.Filter.Name, map[string]Pass{
		odct.PassName: odctPass(func(p denoise.Program) odct.Params { return p.Params.(prinlm.Params).Guide }),
		"mean":        {Rate: 5e11, Launches: prinlmMean},
		"average":     {Rate: 1.2e12, Launches: prinlmAverage},
		"wiener":      {Rate: 4e10, Launches: prinlmWiener},
	})
}

// prinlmParams mirrors struct PrinlmParams of prinlm.cu.
type prinlmParams struct {
	In, Guide, Mean, Voxels, Mask, Out Box
	Dims, Radius                       [3]int32
	Scale                              [2]float32
	Columns, One                       int32
	Inverse                            float64
}

func newPrinlmParams(radius [3]int, part Part) prinlmParams {
	return prinlmParams{
		In: NewBox(part.Inputs[0]), Voxels: NewBox(part.Voxels), Mask: NewBox(part.Mask), Out: part.OutBox(),
		Dims: indices(part.Dims), Radius: indices(radius),
	}
}

func prinlmMean(p denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
	const threads = 256
	return []Launch{{
		Module: "prinlm", Kernel: "prinlm_mean",
		Grid: Grid([3]int{part.Region.Voxels(), 1, 1}, [3]int{threads, 1, 1}), Block: [3]int{threads, 1, 1},
		Args: Pack(newPrinlmParams(p.Params.(prinlm.Params).Mean, part)),
	}}, nil
}

// prinlmAverage: a block of four warps filters 32 x 16 voxels of a slice, each thread
// four voxels of a column. Its tile is wide enough for up to 33 steps along x.
func prinlmAverage(program denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
	p := program.Params.(prinlm.Params)
	args := newPrinlmParams(p.Radius, part)
	args.Guide, args.Mean = NewBox(part.Inputs[1]), NewBox(part.Inputs[2])
	scale := min(math.Sqrt(math.Log2E/4)/p.H, math.MaxFloat32/2)
	args.Scale = [2]float32{float32(scale), float32(scale * math.Sqrt(prinlm.MeanShare))}
	args.Inverse = 1 / p.H
	args.Columns = min(32+2*args.Radius[0], 64)
	if p.One {
		args.One = 1
	}
	const rows = 16
	return []Launch{{
		Module: "prinlm", Kernel: "prinlm_average",
		Grid: Grid(part.Region.Dims(), [3]int{32, rows, 1}), Block: [3]int{32, 4, 1},
		Shared: 3 * 4 * int(args.Columns*(rows+2*args.Radius[1])),
		Args:   Pack(args),
	}}, nil
}

// prinlmWiener: a block of 32 x 16 threads has as many positions of blocks along x and y,
// and 16 along z; the voxels that lie in none but these are fewer by a block less one.
func prinlmWiener(program denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
	p := program.Params.(prinlm.Params)
	args := newDCTParams(p.Wiener, part)
	args.Pilot = NewBox(part.Inputs[1])
	args.setPilot(p.Rule, p.Wiener)
	voxels := [3]int{32, 16, 16}
	for c, n := range p.Wiener {
		voxels[c] -= n - 1
	}
	return []Launch{{
		Module: "wiener", Kernel: fmt.Sprintf("wiener_%d", p.Wiener[2]),
		Grid: Grid(part.Region.Dims(), voxels), Block: [3]int{32, 16, 1}, Args: Pack(args),
	}}, nil
}
