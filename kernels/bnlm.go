package kernels

import (
	"fmt"
	"math"

	"quell/denoise"
	"quell/denoise/filter/bnlm"
	"quell/denoise/filter/preselect"
	"quell/denoise/tile"
)

func init() {
	average := Pass{ // samples of blocks per second; tiles of 6 slices
		Rate: 1e12, Speedup: bnlmSpeedup, Launches: bnlmLaunches, DeepTiles: true, Scratch: bnlmScratch,
	}
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
	Changes                    uint64
	First, Count               [3]int32
}

// bnlmThreads is the number of threads of a block of the fast kernels, and of the blocks
// of voxels that they compute. It mirrors kThreads of bnlm.cu.
const bnlmThreads = 384

// bnlmTiles holds the voxels of a tile of the fast kernels by dimensionality: all with
// blocks that are in the thread block, which has one more block than the tile along each
// axis.
var bnlmTiles = map[int][3]int{2: {46, 30, 1}, 3: {22, 14, 6}}

// largestScale keeps scaled values in float32 if the strength is far below them.
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
	if !bnlmCommon(p) {
		return bnlmBands(p, args, part), nil
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

// bnlmCommon reports whether blocks have the radius 1 and the step 2, which the fast kernels compute.
func bnlmCommon(p bnlm.Params) bool { return p.Radius[0] == 1 && p.Step[0] == 2 }

// bnlmAnyRate is the rate of the kernels for blocks of any size relative to the rate of the fast ones,
// if all lanes of a warp have samples: 0.05 with few candidates to 0.3 with many
// (docs/benchmarks/performance.md).
const bnlmAnyRate = 0.1

// bnlmSpeedup is the rate of blocks of other sizes relative to the rate of the common ones. A
// warp computes a block, 32 samples at a time.
func bnlmSpeedup(program denoise.Program) float64 {
	p := program.Params.(bnlm.Params)
	if bnlmCommon(p) {
		return 1
	}
	samples := int(tile.Count(p.Radius))
	return bnlmAnyRate * float64(samples) / float64((samples+31)/32*32)
}

// bnlmMemory bounds the bytes of what blocks give to their voxels. Tests lower it.
var bnlmMemory int64 = 256 << 20

// bnlmBanding divides regions of a volume of those dims by the memory of the blocks that reach them.
func bnlmBanding(p bnlm.Params, dims [3]int) banding {
	return banding{most: bnlmMemory, bytes: func(d [3]int) int64 {
		bytes := 4 * int64(tile.Count(p.Radius))
		for c := range d {
			bytes *= int64(min((d[c]-1+2*p.Radius[c])/p.Step[c], (dims[c]-1)/p.Step[c]) + 1)
		}
		return bytes
	}}
}

// bnlmScratch returns the most bytes of the bands of a region.
func bnlmScratch(program denoise.Program, _ denoise.Pass, dims, region [3]int) int64 {
	p := program.Params.(bnlm.Params)
	if bnlmCommon(p) {
		return 0
	}
	return bnlmBanding(p, dims).scratch(region)
}

// bnlmBands returns the launches for blocks of any size: for each band of the region a warp computes
// a block that reaches it, and then a thread a voxel from these.
func bnlmBands(p bnlm.Params, args bnlmParams, part Part) []Launch {
	const warps, threads = 8, 128
	kernel, samples := "", int(tile.Count(p.Radius))
	for _, per := range []int{1, 4, 11, 23} { // samples of a lane; 23 are enough for 9 x 9 x 9
		if kernel = fmt.Sprintf("bnlm_blocks_%d", per); samples <= 32*per {
			break
		}
	}
	var launches []Launch
	at := part.Out
	for _, band := range bnlmBanding(p, part.Dims).of(part.Region) {
		blocks := 1
		for c := range 3 {
			first, last := p.Blocks(c, band.Min[c], band.Max[c], part.Dims[c])
			args.First[c], args.Count[c] = int32(first), int32(last-first+1)
			blocks *= last - first + 1
		}
		args.Out, args.Changes = NewBox(Buffer{Address: at, Box: band}), part.Scratch
		launches = append(launches, Launch{
			Module: "bnlm", Kernel: kernel, Args: Pack(args),
			Grid: Grid([3]int{blocks, 1, 1}, [3]int{warps, 1, 1}), Block: [3]int{32 * warps, 1, 1},
		}, Launch{
			Module: "bnlm", Kernel: "bnlm_mean", Args: Pack(args),
			Grid: Grid([3]int{band.Voxels(), 1, 1}, [3]int{threads, 1, 1}), Block: [3]int{threads, 1, 1},
		})
		at += 4 * uint64(band.Voxels())
	}
	return launches
}
