// Package odct is the overlapping DCT filter: it removes the weak coefficients of
// every block of the volume, and averages the blocks.
package odct

import (
	"quell/denoise"
	"quell/denoise/dct"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "odct", Title: "Overlapping DCT", Dims: []int{3, 2},
	Source: "Manjon, Coupe, Buades, Collins, Robles 2012 (ODCT3D); Yaroslavsky 1996",
	Help:   "Removes the weak frequencies of small blocks at every position and averages the blocks. Fast; keeps fine structure.",
	Params: []denoise.Param{
		{
			Name: "threshold", Label: "Threshold", Kind: denoise.Float, Basic: true,
			Min: 0, Max: 100, Lo: 0, Hi: 6, Step: 0.1, Default: denoise.Number(Threshold),
			Help: "Frequencies up to this many sigmas are removed; higher removes more.",
		},
		{
			Name: "sigma", Label: "Noise sigma", Kind: denoise.Float, Unit: "value", Basic: true,
			Min: 0, Max: denoise.Largest, Lo: 0, Hi: 3, Step: 0.05, Default: denoise.Auto, Auto: denoise.NoiseSigma,
			Help: "Noise level of the whole volume; auto estimates it.",
		},
	},
	Strength:     denoise.Strength{Param: "threshold", Lo: 0.3, Hi: 8},
	Bind:         bind,
	ReadsPadding: true,
	Cases: []denoise.Case{
		{Name: "2-D", Dims: 2},
		{Name: "3-D", Dims: 3},
		{Name: "weak", Dims: 3, Set: "threshold=1 sigma=8"},
		{Name: "strong", Dims: 2, Set: "threshold=4 sigma=20"},
		{Name: "no noise", Dims: 3, Set: "sigma=0"},
		{Name: "2-D CT", Dims: 2, Set: "sigma=100", CT: true},
		{Name: "3-D CT", Dims: 3, Set: "sigma=100", CT: true},
		{Name: "large", Dims: 3, Set: "sigma=8", Large: [3]int{97, 36, 35}},
		{Name: "2-D large", Dims: 2, Set: "sigma=8", Large: [3]int{250, 140, 2}},
	},
}

// Threshold is the default of the parameter, in sigmas.
const Threshold = 2.7

// Params are the parameters of a resolved recipe.
type Params struct {
	Size      [3]int  // of a block along x, y, z, in voxels
	Threshold float64 // of orthonormal coefficients, in the volume's unit
}

func bind(r denoise.Recipe, g volume.Geometry) (denoise.Program, error) {
	p := NewParams(r.Dims, g, r.Get("threshold").Float()*r.Get("sigma").Float())
	return denoise.Program{Params: p, Passes: []denoise.Pass{p.Pass(denoise.Voxels, denoise.Result)}}, nil
}

// NewParams returns the parameters for volumes of geometry g: blocks of 8 x 8 voxels
// in two dimensions, of 4 x 4 x 4 in three.
func NewParams(dims int, g volume.Geometry, threshold float64) Params {
	n := 4
	if dims == 2 {
		n = 8
	}
	return Params{Size: dct.Size(n, dims, g), Threshold: threshold}
}

// PassName is the name of the filter's pass, also in filters that use it.
const PassName = "threshold"

// Pass returns the pass that filters the field named input and writes output.
func (p Params) Pass(input, output string) denoise.Pass {
	rule := dct.Rule{Threshold: p.Threshold}
	reference := dct.Reference(p.Size, rule)
	return denoise.Pass{
		Name: PassName, Inputs: []string{input}, Output: output,
		Reach: dct.Reach(p.Size), Work: float64(p.Size[0] * p.Size[1] * p.Size[2]),
		Reference: func(in []denoise.Field, x, y, z int) float64 { return reference(&in[0], nil, x, y, z) },
		CPU: denoise.CPUPass{
			Tile: dct.TileSize(p.Size), Scratch: dct.Scratch(p.Size, false), Nanoseconds: dct.Nanoseconds(p.Size, false),
			Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker {
				f := &dct.Filter{In: in[0], Out: out, Size: p.Size, Rule: rule}
				return f.NewWorker
			},
		},
	}
}
