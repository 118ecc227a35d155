package kernels

import (
	"fmt"
	"math"

	"quell/denoise"
	"quell/denoise/filter/bilateral"
)

func init() {
	const rate = 3e12 // weights per second
	Register(bilateral.Filter.Name, map[string]Pass{"average": onField(rate, func(p denoise.Program, f field, _ int) ([]Launch, error) {
		return []Launch{bilateralLaunch(p.Params.(bilateral.Params), f)}, nil
	})})
}

// bilateralParams mirrors struct BilateralParams of bilateral_params.cuh.
type bilateralParams struct {
	Field   field
	Radius  [3]int32
	Decay   [3]float32 // as in gaussianParams
	Scale   float32    // factor of the values: c = 2^-(dv^2)
	Inverse float32    // 1 / Scale
}

// bilateralColumns is the width of the bilateral kernels' tile: 32 lanes and the 33
// steps along x that it is wide enough for, minus one.
const bilateralColumns = 64

// bilateralTile describes a kernel: a thread filters each voxels of a column, and a block of
// warps 32 columns of a slice. It mirrors the template arguments in bilateral.cu.
type bilateralTile struct {
	kernel      string
	each, warps int
}

var (
	bilateralUsual = bilateralTile{"bilateral", 4, 8}
	bilateralSmall = bilateralTile{"bilateral_small", 2, 4}
)

// smallBilateral is the number of usual blocks below which an image of one slice is small:
// it does not give work to all of a device.
const smallBilateral = 192

// bilateralRows is the range of radii along x that have a usual kernel of their own, bilateral_r2
// and so on.
var bilateralRows = [2]int32{2, 12}

// bilateralSquares is the largest radius of the kernels for square neighbourhoods in small
// images, bilateral_small_r1 and so on: of a voxel a thread and with a tile of fixed size.
const bilateralSquares = 6

// bilateralSquare mirrors the template arguments of those kernels.
var bilateralSquare = [3]int{32, 8, 1}

// bilateralLaunch: an image has the same kernel in all of its parts, so that they have the
// same bits.
func bilateralLaunch(p bilateral.Params, f field) Launch {
	t := bilateralUsual
	if f.Dims[2] == 1 && Grid([3]int{int(f.Dims[0]), int(f.Dims[1]), 1}, t.dims())[0] < smallBilateral {
		t = bilateralSmall
	}
	args := bilateralParams{Field: f, Scale: float32(math.Sqrt(halfLog2E) / p.SigmaRange)}
	args.Radius, args.Decay = decay(p.Weights)
	args.Inverse = 1 / args.Scale
	if r := args.Radius; t == bilateralSmall && r[0] == r[1] && 0 < r[0] && r[0] <= bilateralSquares {
		return Launch{Module: "bilateral", Kernel: fmt.Sprintf("%s_r%d", t.kernel, r[0]), Grid: f.grid(bilateralSquare), Block: bilateralSquare, Args: Pack(args)}
	}
	kernel := t.kernel
	if r := args.Radius; t == bilateralUsual && bilateralRows[0] <= r[0] && r[0] <= bilateralRows[1] && int(r[1]) >= t.each/2 {
		kernel = fmt.Sprintf("%s_r%d", t.kernel, r[0])
	}
	return Launch{
		Module: "bilateral",
		Kernel: kernel,
		Grid:   f.grid(t.dims()),
		Block:  [3]int{32, t.warps, 1},
		Shared: bilateralColumns * (t.dims()[1] + 2*p.Radius[1]) * 4,
		Args:   Pack(args),
	}
}

// dims returns the voxels that a block filters.
func (t bilateralTile) dims() [3]int { return [3]int{32, t.each * t.warps, 1} }
