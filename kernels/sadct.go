package kernels

import (
	"fmt"

	"quell/denoise"
	"quell/denoise/filter/sadct"
	"quell/volume"
)

func init() {
	Register(sadct.Filter.Name, map[string]Pass{
		"scales":    {Rate: 2e11, Launches: sadctScales},
		"threshold": {Rate: 2.4e10, Launches: sadctStage("sadct_threshold", false), Scratch: sadctScratch},
		"wiener":    {Rate: 2e10, Launches: sadctStage("sadct_wiener", true), Scratch: sadctScratch},
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
	Half                  [2][sadctScaleCount]float64
	Weights               [sadctScaleCount][sadctLongest]float64
}

// sadctStageParams mirrors struct SadctStageParams of sadct_params.cuh.
type sadctStageParams struct {
	Scales, In, Pilot, Voxels, Mask, Out, Supports Box
	From, To                                       [3]int32
	Dims                                           [3]int32
	Count                                          int32
	Lengths                                        [sadctScaleCount]int32
	Reach, Overlap                                 int32
	Sigma, Threshold                               float64
	Deviations                                     uint64
}

// sadctDeviationsParams mirrors struct SadctDeviationsParams of sadct_params.cuh.
type sadctDeviationsParams struct {
	To    uint64
	Rho   sadct.Rho
	Least float64
	Side  int32
	_     int32
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
	for i := range half {
		copy(args.Half[i][:], half[i])
	}
	for i, w := range weights {
		copy(args.Weights[i][:], w)
	}
	return []Launch{{
		Module: "sadct", Kernel: "sadct_scales",
		Grid: Grid(part.Region.Dims(), [3]int{32, 8, 1}), Block: [3]int{32, 8, 1}, Args: Pack(args),
	}}, nil
}

// sadctMemory bounds the bytes for the estimates of supports: a slice of 256 x 256 fits.
// Tests lower it.
var sadctMemory int64 = 96 << 20

// sadctEach is the number of supports that a warp computes.
const sadctEach = 4

// sadctBytes returns the bytes of a support of that reach: a number for each place, and a
// word for each row, and the weight.
func sadctBytes(reach int) int64 {
	side := int64(2*reach + 1)
	return 4 * (side*side + side + 1)
}

// around returns the centres of the supports that may hold a pixel of a region.
func around(region volume.Region, reach int, dims [3]int) volume.Region {
	return region.Grow([3]int{reach, reach, 0}, volume.Geometry{Dims: dims})
}

// sadctBanding divides regions of a volume of those dims by the memory of their supports.
func sadctBanding(reach int, dims [3]int) banding {
	return banding{most: sadctMemory, bytes: func(d [3]int) int64 {
		return sadctBytes(reach) * int64(min(d[0]+2*reach, dims[0])) * int64(min(d[1]+2*reach, dims[1])) * int64(d[2])
	}}
}

// sadctScratch returns the most bytes of the bands of a region.
func sadctScratch(program denoise.Program, pass denoise.Pass, dims, region [3]int) int64 {
	reach := pass.Reach[0] / 2 // supports overlap those around a pixel's own
	bytes := sadctBanding(reach, dims).scratch(region)
	if p, ok := program.Params.(sadct.Params); ok && p.Rho != nil {
		bytes += sadctDeviationBytes(reach)
	}
	return bytes
}

// sadctDeviationBytes returns the bytes of the deviations of the coefficients of supports of
// that reach.
func sadctDeviationBytes(reach int) int64 {
	side := int64(2*reach + 1)
	rows := side * (side + 1) / 2
	return 8 * rows * rows
}

// sadctDeviations computes the deviations of coefficients in correlated noise.
func sadctDeviations(rho *sadct.Rho, reach int, to uint64) Launch {
	const threads = 128
	args := sadctDeviationsParams{To: to, Rho: *rho, Least: sadct.LeastPower, Side: int32(2*reach + 1)}
	return Launch{
		Module: "sadct", Kernel: "sadct_deviations", Args: Pack(args),
		Grid: Grid([3]int{int(sadctDeviationBytes(reach) / 8), 1, 1}, [3]int{threads, 1, 1}), Block: [3]int{threads, 1, 1},
	}
}

// sadctStage: for each band of the region a warp computes sadctEach supports, and then a
// block gathers 32x8 pixels of a slice.
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
			Count: int32(len(scales)), Overlap: int32(p.Overlap), Sigma: p.StageSigma(wiener), Threshold: p.Threshold,
		}
		var err error
		if args.Lengths, err = sadctLengths(scales); err != nil {
			return nil, err
		}
		reach := scales[len(scales)-1] - 1
		side := 2*reach + 1
		args.Reach = int32(reach)
		warps, name := 8, kernel
		switch {
		case wiener && side > 11:
			warps, name = 2, kernel+"_long"
		case side > 17:
			warps, name = 4, kernel+"_long"
		}
		var launches []Launch
		scratch := part.Scratch
		if p.Rho != nil {
			launches = append(launches, sadctDeviations(p.Rho, reach, scratch))
			name, args.Deviations = name+"_correlated", scratch
			scratch += uint64(sadctDeviationBytes(reach))
		}
		for _, band := range sadctBanding(reach, part.Dims).of(part.Region) {
			centres := around(band, reach, part.Dims)
			args.Supports = NewBox(Buffer{Address: scratch, Box: centres})
			args.From, args.To = indices(band.Min), indices(band.Max)
			launches = append(launches, Launch{
				Module: "sadct", Kernel: name,
				Grid: Grid([3]int{centres.Voxels(), 1, 1}, [3]int{warps * sadctEach, 1, 1}), Block: [3]int{32 * warps, 1, 1},
				Shared: sadctShared(side, warps, wiener), Args: Pack(args),
			}, Launch{
				Module: "sadct", Kernel: "sadct_gather",
				Grid: Grid(band.Dims(), [3]int{32, 8, 1}), Block: [3]int{32, 8, 1}, Args: Pack(args),
			})
		}
		return launches, nil
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
