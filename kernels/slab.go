package kernels

import (
	"math"

	"quell/denoise"
	"quell/denoise/filter/gaussian"
	"quell/denoise/filter/slab"
)

func init() {
	smooth := gaussianPass(func(p denoise.Program) gaussian.Params { return p.Params.(slab.Params).Guide })
	average := Pass{Rate: 3.3e11, Launches: slabAverage} // 2.2 ms for 512 x 512 x 548 voxels, reach 2, on an H100
	Register(slab.Filter.Name, map[string]Pass{
		"blur": smooth, "average": average, "blur average": smooth, slab.LeakPass: average, "blur leak": smooth, "less leak": average,
	})
}

// slabParams mirrors struct SlabParams of slab_params.cuh.
type slabParams struct {
	In, Guide, More, Voxels, Mask, Out Box
	Dims                               [3]int32
	Axis, Reach                        int32
	Inverse                            [slab.MostReach]float32
	Factor                             float32
}

// slabAverage: a block computes 32 x 8 voxels of a slice.
func slabAverage(program denoise.Program, pass denoise.Pass, part Part) ([]Launch, error) {
	p := program.Params.(slab.Params)
	args := slabParams{
		In: NewBox(part.Inputs[0]), Guide: NewBox(part.Inputs[1]), Voxels: NewBox(part.Voxels), Mask: NewBox(part.Mask), Out: part.OutBox(),
		Dims: indices(part.Dims), Axis: int32(p.Axis), Reach: int32(pass.Reach[p.Axis]), Factor: 1,
	}
	if len(part.Inputs) == 3 {
		args.More = NewBox(part.Inputs[2])
	}
	if pass.Name == slab.LeakPass {
		args.Factor = -1
	}
	for k, inverse := range p.Inverse {
		args.Inverse[k] = float32(min(inverse, math.MaxFloat32/2))
	}
	const rows = 8
	return []Launch{{
		Module: "slab", Kernel: "slab_average",
		Grid: Grid(part.Region.Dims(), [3]int{32, rows, 1}), Block: [3]int{32, rows, 1}, Args: Pack(args),
	}}, nil
}
