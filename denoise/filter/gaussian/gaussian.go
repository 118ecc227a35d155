// Package gaussian is a plain Gaussian blur, a baseline to compare with.
package gaussian

import (
	"math"

	"quell/denoise"
	"quell/denoise/filter/spatial"
	"quell/denoise/tile"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "gaussian", Title: "Gaussian", Dims: []int{2, 3},
	Source:   "baseline; Bethel 2009 fig. 1",
	Help:     "A plain blur, to compare with.",
	Params:   spatial.Params(false),
	Strength: denoise.Strength{Param: "sigma-spatial", Lo: 0.25, Hi: 4},
	Bind:     bind,
	Cases: []denoise.Case{
		{Name: "2-D", Dims: 2},
		{Name: "3-D", Dims: 3, Set: "sigma-spatial=1.3"},
		{Name: "voxel-units", Dims: 3, Set: "voxel-units=true"},
		{Name: "radius", Dims: 3, Set: "radius=1,3,2"},
		{Name: "radius 0", Dims: 3, Set: "radius=0"},
		{Name: "large", Dims: 3, Set: "sigma-spatial=4", Large: [3]int{140, 40, 37}},
	},
}

// Params are the parameters of a resolved recipe.
type Params struct {
	spatial.Weights
}

// Nanoseconds of one core.
const (
	nsVoxel = 3.0 // to read and write a voxel
	nsTap   = 0.3 // for one tap of a voxel along one axis, with vector code; 0.9 without it
)

func bind(r denoise.Recipe, g volume.Geometry) (denoise.Program, error) {
	p := Params{spatial.NewWeights(r, g)}
	return denoise.Program{Params: p, Passes: []denoise.Pass{p.Pass(g, denoise.Voxels, denoise.Result)}}, nil
}

// PassName is the name of the filter's pass, also in filters that use it.
const PassName = "blur"

// Pass returns the pass that filters the field named input and writes output.
func (p Params) Pass(g volume.Geometry, input, output string) denoise.Pass {
	taps := 0
	for _, k := range p.Radius {
		taps += 2*k + 1
	}
	return denoise.Pass{
		Name: PassName, Inputs: []string{input}, Output: output,
		Reach: p.Radius, Work: float64(taps),
		Reference: func(in []denoise.Field, x, y, z int) float64 { return reference(p, &in[0], x, y, z) },
		CPU: denoise.CPUPass{
			Tile: tileSize(p.Radius), Scratch: scratch(g.Dims, p.Radius), Nanoseconds: nsVoxel + nsTap*float64(taps),
			Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker { return start(p, in[0], out) },
		},
	}
}

// reference is out_i = v_i + sum g_j (v_j - v_i) / sum g_j with
// g_j = exp(-1/2 sum_a (d_a s_a / sigma)^2).
func reference(p Params, in *denoise.Field, x, y, z int) float64 {
	vi := float64(in.At(x, y, z))
	num, den := 0.0, 1.0
	tile.Neighbours(in, p.Radius, x, y, z, func(jx, jy, jz, j int) {
		w := math.Exp(-0.5 * p.Distance(jx-x, jy-y, jz-z))
		num += w * (float64(in.Data[j]) - vi)
		den += w
	})
	return vi + num/den
}
