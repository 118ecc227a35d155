// Package bilateral is the bilateral filter of Tomasi and Manduchi.
package bilateral

import (
	"math"

	"quell/denoise"
	"quell/denoise/filter/spatial"
	"quell/denoise/pairwise"
	"quell/denoise/tile"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "bilateral", Title: "Bilateral", Dims: []int{2, 3},
	Source: "Tomasi, Manduchi 1998; Bethel 2009 (3-D, eq. 1-3)",
	Help:   "Averages neighbours that are near in space and in value. Fast; keeps strong edges.",
	Params: append([]denoise.Param{{
		Name: "sigma-range", Label: "Range sigma", Kind: denoise.Float, Unit: "value", Percent: true, Basic: true,
		Min: denoise.Positive, Max: denoise.Largest, Lo: 0.1, Hi: 12, Step: 0.1, Default: denoise.Auto, Auto: &denoise.AutoRule{Amount: autoRange},
		Help: "How different two values may be and still be averaged; higher removes more. Auto follows the estimated noise.",
	}}, spatial.Params(true)...),
	Strength: denoise.Strength{Param: "sigma-range", Lo: 0.4, Hi: 16},
	Bind:     bind,
	Cases: []denoise.Case{
		{Name: "2-D", Dims: 2},
		{Name: "3-D", Dims: 3},
		{Name: "range in units", Dims: 3, Set: "sigma-range=20"},
		{Name: "narrow range", Dims: 3, Set: "sigma-range=0.5"},
		{Name: "no range", Dims: 3, Set: "sigma-range=0%"},
		{Name: "voxel-units", Dims: 3, Set: "voxel-units=true sigma-spatial=1.5"},
		{Name: "radius", Dims: 3, Set: "radius=3,1,2"},
		{Name: "sigma for each axis", Dims: 3, Set: "sigma-spatial=0.8,1.7,3"},
		{Name: "2-D sigma for each axis", Dims: 2, Set: "sigma-spatial=1.5,0.7 voxel-units=true"},
		{Name: "2-D radius", Dims: 2, Set: "radius=4 sigma-spatial=3"},
		{Name: "2-D CT", Dims: 2, Set: "sigma-range=60", CT: true},
		{Name: "3-D CT", Dims: 3, Set: "sigma-range=60", CT: true},
		{Name: "large", Dims: 3, Set: "radius=4", Large: [3]int{97, 40, 37}},
	},
}

// autoRange is sigma_r:
//
//	sigma_r / sigma = (1.3 + 22 s) (1 + 1.6 / A) t m
//
// It rises with the share s of the noise in the range of the values, since the lost part of the image
// then weighs less. A is the weight of the neighbours if their values do not differ, relative to the
// centre's of 1, at least leastOthers: the fewer voxels lie within the spatial Gaussian, the less
// they can blur, and the more different they may be. t is 1.8 for the soft tissue of a CT, which is
// smooth for its noise, else 1. m is the anatomy's part: the root of the ratio of what was measured
// ([denoise.Facts.Alike]) to what the other factors give for the same neighbourhood, 0.75 to 1.33,
// and 1 if nothing was measured. The root, as either errs in its own way. Measured, see docs/benchmarks/quality.md.
func autoRange(r denoise.Recipe, g volume.Geometry, f denoise.Facts) float64 {
	rule := func(others float64) float64 {
		tissue := 1.0
		if f.Noise.InTissue() {
			tissue = 1.8
		}
		return (1.3 + 22*f.NoiseShare()) * (1 + 1.6/max(others, leastOthers)) * tissue
	}
	measured := 1.0
	if f.Alike > 0 {
		slice := denoise.Recipe{Filter: r.Filter, Dims: 2} // its spatial Gaussian is the default's
		measured = min(max(math.Sqrt(f.Alike/rule(spatial.Others(slice, g))), 0.75), 1.33)
	}
	return rule(spatial.Others(r, g)) * measured * f.AutoSigma()
}

// leastOthers is about the least weight of the neighbours that the rule was measured at.
const leastOthers = 0.5

// Params are the parameters of a resolved recipe.
type Params struct {
	spatial.Weights
	SigmaRange float64 // in the volume's unit, > 0
}

func bind(r denoise.Recipe, g volume.Geometry) (denoise.Program, error) {
	p := Params{Weights: spatial.NewWeights(r, g), SigmaRange: r.Get("sigma-range").Float()}
	size := pairwise.TileSize(p.Radius, [3]int{})
	return denoise.Program{Params: p, Passes: []denoise.Pass{{
		Name: "average", Inputs: []string{denoise.Voxels}, Output: denoise.Result,
		Reach: p.Radius, Work: tile.Count(p.Radius),
		Reference: func(in []denoise.Field, x, y, z int) float64 { return reference(p, &in[0], x, y, z) },
		CPU: denoise.CPUPass{
			Tile: size, Scratch: tile.Bytes(g.Dims, size, p.Radius, 40),
			Nanoseconds: tile.Count(p.Radius) / 2 * pairwise.Nanoseconds(0),
			Start:       func(in []denoise.Field, out denoise.Field) func() denoise.Worker { return start(p, in[0], out) },
		},
	}}}, nil
}

// reference is the gaussian filter with weights g_j exp(-1/2 ((v_j-v_i)/sigma_r)^2).
func reference(p Params, in *denoise.Field, x, y, z int) float64 {
	vi := float64(in.At(x, y, z))
	num, den := 0.0, 1.0
	tile.Neighbours(in, p.Radius, x, y, z, func(jx, jy, jz, j int) {
		d := float64(in.Data[j]) - vi
		w := math.Exp(-0.5 * (p.Distance(jx-x, jy-y, jz-z) + d/p.SigmaRange*d/p.SigmaRange))
		num += w * d
		den += w
	})
	return vi + num/den
}

// start runs the bilateral filter as a pairwise filter: the range weight is the
// weight of a patch of one voxel, and the spatial weight, computed once for each
// offset, adds to its exponent. Weights below 2^-pairwise.MaxExponent are
// negligible relative to the centre's weight of 1.
func start(p Params, in, out denoise.Field) func() denoise.Worker {
	f := &pairwise.Filter{
		In: in, Out: out,
		Search: p.Radius,
		Scale:  0.5 * math.Log2E / (p.SigmaRange * p.SigmaRange),
		Offsets: pairwise.HalfNeighbourhood(p.Radius, func(d [3]int) float64 {
			return 0.5 * math.Log2E * p.Distance(d[0], d[1], d[2])
		}),
		Mean: func(v, _ float64, s pairwise.Sums) (float64, bool) { return v + s.Num/(s.Den+1), true },
	}
	return f.NewWorker
}
