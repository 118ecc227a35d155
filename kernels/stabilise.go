package kernels

import (
	"quell/denoise"
	"quell/denoise/rice"
)

// stabiliseParams mirrors struct StabiliseParams of noisemap.cu.
type stabiliseParams struct {
	In, Voxels, Mask, Out Box
	Dims                  [3]int32
	Sigma                 float32
	Shift, Floor          float32
	Slopes, Values        [rice.Knots]float32
	Squares, Rises        [rice.Pieces]float32
}

func stabiliseLaunches(kernel string) func(denoise.Program, denoise.Pass, Part) ([]Launch, error) {
	return func(p denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
		const threads = 256
		args := stabiliseParams{
			In: NewBox(part.Inputs[0]), Voxels: NewBox(part.Voxels), Mask: NewBox(part.Mask), Out: part.OutBox(), Dims: indices(part.Dims),
			Sigma: float32(p.Stabilised), Shift: float32(rice.Shift), Floor: float32(rice.Floor),
		}
		for k := range args.Slopes {
			args.Slopes[k], args.Values[k] = float32(rice.Slopes[k]), float32(rice.Values[k])
		}
		for k := range args.Squares {
			args.Squares[k], args.Rises[k] = float32(rice.Squares[k]), float32(rice.Rises[k])
		}
		return []Launch{{
			Module: "noisemap", Kernel: kernel,
			Grid: Grid([3]int{part.Region.Voxels(), 1, 1}, [3]int{threads, 1, 1}), Block: [3]int{threads, 1, 1},
			Args: Pack(args),
		}}, nil
	}
}
