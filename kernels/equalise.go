package kernels

import (
	"quell/denoise"
	"quell/denoise/equalise"
)

// equaliseParams mirrors struct EqualiseParams of equalise.cu.
type equaliseParams struct {
	In, Original, Voxels, Mask, Out Box
	Dims                            [3]int32
	Levels, Slices                  int32
	Weights                         [equalise.Levels * equalise.Slices]float32 // level by level; of a distance above 0 half, as there are two slices
	_                               int32
}

// equaliseLaunches: a block computes 32 x 32 voxels of 16 slices.
func equaliseLaunches(p denoise.Program, pass denoise.Pass, part Part) ([]Launch, error) {
	reach := pass.Reach
	args := equaliseParams{
		In: NewBox(part.Inputs[0]), Original: NewBox(part.Inputs[1]), Voxels: NewBox(part.Voxels), Mask: NewBox(part.Mask),
		Out: part.OutBox(), Dims: indices(part.Dims), Slices: int32(reach[2] + 1), Levels: 1,
	}
	for r := reach[0]; r > 0; r /= 2 {
		args.Levels++
	}
	for i, w := range p.Weights {
		if k, j := i/int(args.Slices), i%int(args.Slices); j == 0 {
			args.Weights[k*equalise.Slices] = float32(w)
		} else {
			args.Weights[k*equalise.Slices+j] = float32(w / 2)
		}
	}
	return []Launch{{
		Module: "equalise", Kernel: "equalise",
		Grid: Grid(part.Region.Dims(), [3]int{32, 32, 16}), Block: [3]int{32, 8, 1}, Args: Pack(args),
	}}, nil
}
