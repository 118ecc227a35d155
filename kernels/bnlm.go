package kernels

import (
	"math"

	"quell/denoise"
	"quell/denoise/filter/bnlm"
	"quell/denoise/filter/preselect"
	"quell/denoise/tile"
)

func init() {
	average := Pass{Rate: 1e12, Launches: bnlmLaunches, DeepTiles: true} // samples of blocks per second; tiles of 6 slices
	Register(bnlm.Filter.Name, withPreselect(
		func(p denoise.Program) *preselect.Rule { return p.Params.(bnlm.Params).Select },
		map[string]Pass{bnlm.Average: average, bnlm.Selected: average},
	))
}

// bnlmParams mirrors struct BnlmParams of bnlm_params.cuh.
type bnlmParams struct {
	In, Voxels, Mask, Out      Box
	Select                     selection
	Dims, Search, Radius, Step [3]int32
	Spread                     int32
	Scale, Inverse             float32
	_                          int32
	Factor                     float64
}

// bnlmThreads is the number of threads of a block of the fast kernels, and of the blocks
// of voxels that they compute. It mirrors kThreads of bnlm.cu.
const bnlmThreads = 384

// bnlmTiles holds the voxels of a tile of the fast kernels by dimensionality: all whose
// blocks are in the thread block, which has one more block than the tile along each axis.
var bnlmTiles = map[int][3]int{2: {46, 30, 1}, 3: {22, 14, 6}}

// largestScale keeps scaled values in float32 where the strength is far below them.
const largestScale = 1e25

func bnlmLaunches(program denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
	p := program.Params.(bnlm.Params)
	factor := math.Log2E / (p.H * p.H * tile.Count(p.Radius))
	scale := float32(min(math.Sqrt(factor), largestScale))
	args := bnlmParams{
		In: NewBox(part.Inputs[0]), Voxels: NewBox(part.Voxels), Mask: NewBox(part.Mask), Out: part.OutBox(),
		Select: newSelection(p.Select, part), Dims: indices(part.Dims), Search: indices(p.Search), Radius: indices(p.Radius), Step: indices(p.Step), Spread: int32(p.Spread),
		Scale: scale, Inverse: 1 / scale, Factor: factor,
	}
	dims := program.Recipe.Dims
	if p.Radius[0] != 1 || p.Step[0] != 2 {
		const threads = 128
		return []Launch{{
			Module: "bnlm", Kernel: "bnlm_any", Args: Pack(args),
			Grid: Grid([3]int{part.Region.Voxels(), 1, 1}, [3]int{threads, 1, 1}), Block: [3]int{threads, 1, 1},
		}}, nil
	}
	size := part.Region.Dims()
	for c := range 3 { // tiles begin on blocks
		size[c] += part.Region.Min[c] % p.Step[c]
	}
	return []Launch{{
		Module: "bnlm", Kernel: map[int]string{2: "bnlm_2d", 3: "bnlm_3d"}[dims], Args: Pack(args),
		Grid: Grid(size, bnlmTiles[dims]), Block: [3]int{bnlmThreads, 1, 1},
		Shared: 4 * bnlmThreads * int(tile.Count(p.Radius)),
	}}, nil
}
