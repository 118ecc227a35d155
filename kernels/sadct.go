package kernels

import (
	"fmt"

	"quell/denoise"
	"quell/denoise/filter/sadct"
)

func init() {
	Register(sadct.Filter.Name, map[string]Pass{
		"scales":    {Rate: 2e11, Launches: sadctScales},
		"threshold": {Rate: 1e10, Launches: sadctStage("sadct_threshold", false)},
		"wiener":    {Rate: 8e9, Launches: sadctStage("sadct_wiener", true)},
	})
}

// The most scales and the longest one of the sadct kernels.
const (
	sadctScaleCount = 8
	sadctLongest    = 12
)

// sadctScalesParams mirrors struct SadctScalesParams of sadct_params.cuh.
type sadctScalesParams struct {
	In, Voxels, Mask, Out Box
	Dims                  [3]int32
	Count                 int32
	Lengths               [sadctScaleCount]int32
	Half                  [sadctScaleCount]float64
	Weights               [sadctScaleCount][sadctLongest]float64
}

// sadctStageParams mirrors struct SadctStageParams of sadct_params.cuh.
type sadctStageParams struct {
	Scales, In, Pilot, Voxels, Mask, Out Box
	Dims                                 [3]int32
	Count                                int32
	Lengths                              [sadctScaleCount]int32
	Reach, Overlap                       int32
	Sigma, Threshold                     float64
}

// sadctLengths returns a list of scales as the kernels take it.
func sadctLengths(scales []int) (lengths [sadctScaleCount]int32, err error) {
	if len(scales) == 0 || len(scales) > sadctScaleCount || scales[len(scales)-1] > sadctLongest {
		return lengths, fmt.Errorf("the kernels take up to %d scales up to %d, not %v", sadctScaleCount, sadctLongest, scales)
	}
	for i, h := range scales {
		lengths[i] = int32(h)
	}
	return lengths, nil
}

// sadctScales: a block computes 32x8 pixels of a slice.
func sadctScales(program denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
	p := program.Params.(sadct.Params)
	args := sadctScalesParams{
		In: NewBox(part.Inputs[0]), Voxels: NewBox(part.Voxels), Mask: NewBox(part.Mask), Out: part.OutBox(),
		Dims: indices(part.Dims), Count: int32(len(p.Scales)),
	}
	var err error
	if args.Lengths, err = sadctLengths(p.Scales); err != nil {
		return nil, err
	}
	weights, half := p.Lines()
	copy(args.Half[:], half)
	for i, w := range weights {
		copy(args.Weights[i][:], w)
	}
	return []Launch{{
		Module: "sadct", Kernel: "sadct_scales",
		Grid: Grid(part.Region.Dims(), [3]int{32, 8, 1}), Block: [3]int{32, 8, 1}, Args: Pack(args),
	}}, nil
}

// fewTiles is the number of tiles of 32x32 pixels below which smaller ones keep more of an
// H200's 132 multiprocessors at work, though they compute more supports twice.
const fewTiles = 132

// sadctStage: a block computes 32x32 pixels of a slice, or 16x16 of an image of few, with a
// warp for each support.
func sadctStage(kernel string, wiener bool) func(denoise.Program, denoise.Pass, Part) ([]Launch, error) {
	return func(program denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
		p := program.Params.(sadct.Params)
		scales, inputs := p.Scales, append([]Buffer{}, part.Inputs...)
		if wiener {
			scales = p.Wiener
		} else {
			inputs = append(inputs, Buffer{})
		}
		args := sadctStageParams{
			Scales: NewBox(inputs[0]), In: NewBox(inputs[1]), Pilot: NewBox(inputs[2]),
			Voxels: NewBox(part.Voxels), Mask: NewBox(part.Mask), Out: part.OutBox(), Dims: indices(part.Dims),
			Count: int32(len(scales)), Overlap: int32(p.Overlap), Sigma: p.Sigma, Threshold: p.Threshold,
		}
		var err error
		if args.Lengths, err = sadctLengths(scales); err != nil {
			return nil, err
		}
		side := 2*scales[len(scales)-1] - 1
		args.Reach = int32(side / 2)
		warps, tile, name := 8, 32, kernel
		switch few := Grid(part.Region.Dims(), [3]int{tile, tile, 1})[0] < fewTiles; {
		case wiener && side > 11:
			warps, name = 2, kernel+"_long"
		case side > 17:
			warps, name = 4, kernel+"_long"
		case few:
			tile, name = 16, kernel+"_small"
		}
		return []Launch{{
			Module: "sadct", Kernel: name,
			Grid: Grid(part.Region.Dims(), [3]int{tile, tile, 1}), Block: [3]int{32 * warps, 1, 1},
			Shared: sadctShared(side, warps, wiener), Args: Pack(args),
		}}, nil
	}
}

// sadctShared returns the bytes of shared memory of a block: the tables of all lengths,
// and for each warp a support with three or four floats and four bytes for each pixel, in
// rows of whole groups of four; in the threshold stage also the cosines of float64.
func sadctShared(side, warps int, wiener bool) int {
	const supportBytes = 496 // sizeof(Support)
	padded := func(n int) int { return (n + 3) / 4 * 4 }
	stride := func(n int) int { return padded(n) | 4 }
	table := 3 * stride(side)
	for n := 1; n <= side; n++ {
		table += n * stride(n)
	}
	floats, cosines := 3, side*(side+3)/2
	if wiener {
		floats, cosines = 4, 0
	}
	return 4*table + warps*(supportBytes+side*padded(side)*(4*floats+4)) + 8*cosines
}
