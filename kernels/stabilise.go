package kernels

import (
	"quell/denoise"
	"quell/denoise/rice"
)

// stabiliseParams mirrors struct StabiliseParams of noisemap.cu.
type stabiliseParams struct {
	In, Voxels, Mask, Out Box
	Dims                  [3]int32
	_                     int32
	Sigma, Shift, Floor   float64
	Slopes, Values        [rice.Knots]float64
	Squares, Rises        [rice.Pieces]float64
}

func stabiliseLaunches(kernel string) func(denoise.Program, denoise.Pass, Part) ([]Launch, error) {
	return func(p denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
		return eachVoxel(kernel, part, stabiliseParams{
			In: NewBox(part.Inputs[0]), Voxels: NewBox(part.Voxels), Mask: NewBox(part.Mask), Out: part.OutBox(), Dims: indices(part.Dims),
			Sigma: p.Stabilised, Shift: rice.Shift, Floor: rice.Floor, Slopes: rice.Slopes, Values: rice.Values, Squares: rice.Squares, Rises: rice.Rises,
		}), nil
	}
}
