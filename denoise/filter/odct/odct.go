// Package odct is the overlapping DCT filter: it removes the weak coefficients of
// every block of the volume, and averages the blocks.
package odct

import (
	"math"

	"quell/denoise"
	"quell/denoise/dct"
	"quell/denoise/filter/correlation"
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
			Min: 0, Max: 100, Lo: 0, Hi: 6, Step: 0.1,
			Default: denoise.Auto, Absent: denoise.Number(Threshold), Auto: &denoise.AutoRule{Amount: autoThreshold},
			Help: "Frequencies up to this many sigmas are removed; higher removes more. Auto is 2.7, and more on CT.",
		},
		{
			Name: "sigma", Label: "Noise sigma", Kind: denoise.Float, Unit: "value", Basic: true,
			Min: 0, Max: denoise.Largest, Lo: 0, Hi: 3, Step: 0.05, Default: denoise.Auto, Auto: denoise.NoiseSigma,
			Help: "Noise level of the whole volume; auto estimates it.",
		},
		correlation.Param("Correlation of the noise of voxels 1 to 4 apart within a slice, then 1 and 2 slices apart, then 1 to 4 along y if that differs: every frequency has the threshold of its own noise. Auto estimates it; 0 is white noise."),
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
		{Name: "correlated", Dims: 3, Set: "sigma=8 correlation=60,20,-10,-20,40,10"},
		{Name: "2-D correlated", Dims: 2, Set: "sigma=8 correlation=30,-20,-10,-5"},
		{Name: "3-D correlated by axis", Dims: 3, Set: "sigma=8 correlation=0,0,0,0,20,0,60,20,-10,-20"},
		{Name: "2-D correlated strong", Dims: 2, Set: "threshold=4 sigma=20 correlation=100,-100,100,-100"},
		{Name: "2-D CT", Dims: 2, Set: "sigma=100", CT: true},
		{Name: "3-D CT", Dims: 3, Set: "sigma=100", CT: true},
		{Name: "large", Dims: 3, Set: "sigma=8", Large: [3]int{97, 36, 35}},
		{Name: "2-D large", Dims: 2, Set: "sigma=8", Large: [3]int{250, 140, 2}},
	},
}

// Threshold is the automatic value of the parameter, in sigmas, but in the tissue of a CT.
const Threshold = 2.7

// autoThreshold is Threshold; in correlated noise that was measured in the tissue of a CT
//
//	3.4 (2-D) or 3.5 (3-D) + 0.3 ln(sigma / 8 HU), between 2.7 and 4.5
//
// as even tissue has little that a threshold could cost, and noise that differs from place
// to place. Thick slices hold structure that differs from slice to slice: there it is 2.5
// in 3-D. Measured, see docs/benchmarks/quality.md.
func autoThreshold(r denoise.Recipe, g volume.Geometry, f denoise.Facts) float64 {
	_, tissue := correlation.InTissue(r, f)
	if !tissue || f.Noise.Sigma == 0 {
		return Threshold
	}
	if r.Dims == 3 && correlation.Thick(g) {
		return 2.5
	}
	base := 3.4
	if r.Dims == 3 {
		base = 3.5
	}
	return min(max(base+0.3*math.Log(f.UsualSigma()/8), Threshold), 4.5)
}

// Params are the parameters of a resolved recipe.
type Params struct {
	Size      [3]int  // of a block along x, y, z, in voxels
	Threshold float64 // of orthonormal coefficients of white noise, in the volume's unit

	Spectrum *dct.Spectrum // of the noise; nil if it is white
}

func bind(r denoise.Recipe, g volume.Geometry) (denoise.Program, error) {
	p := NewParams(r.Dims, g, r.Get("threshold").Float()*r.Get("sigma").Float(), correlation.Of(r))
	return denoise.Program{Params: p, Passes: []denoise.Pass{p.Pass(denoise.Voxels, denoise.Result)}}, nil
}

// NewParams returns the parameters for volumes of geometry g with noise of that correlation:
// blocks of 8 x 8 voxels in two dimensions, of 4 x 4 x 4 in three.
func NewParams(dims int, g volume.Geometry, threshold float64, noise correlation.Correlation) Params {
	n := 4
	if dims == 2 {
		n = 8
	}
	size := dct.Size(n, dims, g)
	return Params{Size: size, Threshold: threshold, Spectrum: noise.Spectrum(size)}
}

// Rule returns the part that is removed from a block.
func (p Params) Rule() dct.Rule { return dct.Rule{Threshold: p.Threshold, Spectrum: p.Spectrum} }

// PassName is the name of the filter's pass, also in filters that use it.
const PassName = "threshold"

// Pass returns the pass that filters the field named input and writes output.
func (p Params) Pass(input, output string) denoise.Pass {
	rule := p.Rule()
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
