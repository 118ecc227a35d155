// Package slab averages a voxel with those above and below it, never with those beside it: noise keeps its texture
// within the slice. The smoothed slices, which hold little noise, decide which voxels count, so that what differs
// from slice to slice is kept.
package slab

import (
	"math"

	"quell/denoise"
	"quell/denoise/filter/gaussian"
	"quell/denoise/filter/spatial"
	"quell/denoise/tile"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "slab", Title: "Slab average", Dims: []int{3},
	Source: "slab averaging, weighted as by a bilateral filter with a guide (Petschnigg 2004; Eisemann, Durand 2004)",
	Help:   "Averages every voxel with those of neighbouring slices if the smoothed slices agree, and none within the slice. For CT of thin slices: noise falls by about half and keeps its texture.",
	Params: []denoise.Param{
		{
			Name: "guide-sigma", Label: "Difference", Kind: denoise.Float, Unit: "value", Basic: true,
			Min: denoise.Positive, Max: denoise.Largest, Lo: 0.02, Hi: 2, Step: 0.02,
			Default: denoise.Auto, Auto: &denoise.AutoRule{Amount: autoDifference},
			Help: "How different smoothed slices may be and still be averaged, as the noise that smoothing leaves; higher removes more. Auto follows the estimated noise and its correlation.",
		},
		{
			Name: "reach", Label: "Reach", Kind: denoise.Int, Unit: "slices", Basic: true,
			Min: 1, Max: MostReach, Lo: 1, Hi: 6, Step: 1, Default: denoise.Auto, Auto: &denoise.AutoRule{Amount: autoReach},
			Help: "How many slices to either side are averaged; more removes more. Auto is 2 mm, at least 2 and at most 6 slices.",
		},
		{
			Name: "guide", Label: "Smoothing", Kind: denoise.Float, Unit: "voxels",
			Min: 0.05, Max: mostRadius / 2, Lo: 0.5, Hi: 8, Step: 0.1, Default: denoise.Auto, Auto: &denoise.AutoRule{Value: autoGuide},
			Help: "Width of the Gaussian that smooths the slices before they are compared; wider finds fainter and misses smaller structures. Auto is 0.9 mm, at least 1 and at most 4 voxels.",
		},
		{
			Name: "slice-correlation", Label: "Slice correlation", Kind: denoise.Float, Unit: "%",
			Min: 0, Max: 95, Lo: 0, Hi: 95, Step: 1, Default: denoise.Auto, Auto: &denoise.AutoRule{Amount: autoCorrelation},
			Help: "Correlation of the noise of neighbouring slices, which slices that overlap share. Auto estimates it.",
		},
		{
			Name: "axis", Label: "Axis", Kind: denoise.Choice, Choices: []string{"x", "y", "z"},
			Default: denoise.Auto, Auto: &denoise.AutoRule{Value: autoAxis},
			Help: "Axis along which slices follow each other. Auto is the one whose spacing differs from that of both others, z if there is none.",
		},
	},
	Strength: denoise.Strength{Param: "guide-sigma", Lo: 0.02, Hi: 4},
	Bind:     bind,
	Stein:    stein,
	Cases: []denoise.Case{
		{Name: "defaults", Dims: 3},
		{Name: "weak", Dims: 3, Set: "guide-sigma=0.5"},
		{Name: "strong", Dims: 3, Set: "guide-sigma=1e6 reach=1"},
		{Name: "no noise", Dims: 3, Set: "guide-sigma=0sigma"},
		{Name: "far", Dims: 3, Set: "guide-sigma=8 reach=7"},
		{Name: "wide guide", Dims: 3, Set: "guide-sigma=4 guide=3.2"},
		{Name: "correlated", Dims: 3, Set: "guide-sigma=8 slice-correlation=60 reach=4"},
		{Name: "along x", Dims: 3, Set: "guide-sigma=8 axis=x reach=3"},
		{Name: "along y", Dims: 3, Set: "guide-sigma=8 axis=y guide=1.5"},
		{Name: "along z", Dims: 3, Set: "guide-sigma=8 axis=z"},
		{Name: "CT", Dims: 3, Set: "guide-sigma=40", CT: true},
		{Name: "large", Dims: 3, Set: "guide-sigma=6 reach=3", Large: [3]int{140, 40, 37}},
		{Name: "large along x", Dims: 3, Set: "guide-sigma=6 reach=3 axis=x", Large: [3]int{300, 20, 19}},
	},
}

// MostReach is the largest reach, in slices.
const MostReach = 16

// mostRadius is the largest radius of the Gaussian, in voxels.
const mostRadius = 64

// Params are the parameters of a resolved recipe.
type Params struct {
	Axis  int             // along which slices follow each other: 0 for x, 1 for y, 2 for z
	Guide gaussian.Params // smooths within the slice
	// Inverse is 1 over the standard deviation of the noise of the difference of two smoothed slices, by their distance:
	// 1 slice at 0.
	Inverse []float64
}

// The names of the fields between the passes.
const (
	guideField    = "guide"
	averageField  = "average"
	smoothedField = "smoothed average"
	leakField     = "leak"
	coarseField   = "smoothed leak"
)

func bind(r denoise.Recipe, g volume.Geometry) (denoise.Program, error) {
	p := newParams(r)
	smooth := func(name, input, output string) denoise.Pass {
		pass := p.Guide.Pass(g, input, output)
		pass.Name = name
		return pass
	}
	alone := Params{Axis: p.Axis} // averages nothing
	return denoise.Program{Params: p, Passes: []denoise.Pass{
		smooth("blur", denoise.Voxels, guideField),
		p.pass("average", averageField, 0, denoise.Voxels, guideField),
		smooth("blur average", averageField, smoothedField),
		p.pass(LeakPass, leakField, -1, guideField, guideField, smoothedField),
		smooth("blur leak", leakField, coarseField),
		alone.pass("less leak", denoise.Result, 1, averageField, averageField, coarseField),
	}}, nil
}

// LeakPass is the name of the pass that takes its third input away from the mean, and does not add it.
const LeakPass = "leak"

func newParams(r denoise.Recipe) Params {
	axis := axisOf(r, volume.Geometry{})
	p := Params{Axis: axis, Guide: guideOf(axis, r.Get("guide").Float())}
	sigma, neighbours := r.Get("guide-sigma").Float(), r.Get("slice-correlation").Float()/100
	for k := 1; k <= r.Get("reach").Int(); k++ {
		p.Inverse = append(p.Inverse, 1/(sigma*math.Sqrt(2*(1-correlationAt(neighbours, k)))))
	}
	return p
}

// correlationAt is the correlation of the noise of slices k apart, of a slice profile that is about Gaussian.
func correlationAt(neighbours float64, k int) float64 { return math.Pow(neighbours, float64(k*k)) }

// guideOf returns the Gaussian of that width in voxels, within the slices that follow each other along an axis.
func guideOf(axis int, width float64) gaussian.Params {
	var w spatial.Weights
	for c := range 3 {
		if c != axis {
			w.Radius[c], w.Scale[c] = int(math.Ceil(2*width)), 1/width
		}
	}
	return gaussian.Params{Weights: w}
}

// reach is how far around a voxel the average reads.
func (p Params) reach() (reach [3]int) {
	reach[p.Axis] = len(p.Inverse)
	return reach
}

// pass returns a pass that averages its first input by the guide, its second, and adds factor times the third, if there
// is one.
func (p Params) pass(name, output string, factor float64, inputs ...string) denoise.Pass {
	reach := p.reach()
	return denoise.Pass{
		Name: name, Inputs: inputs, Output: output,
		Reach: reach, Work: tile.Count(reach),
		Reference: func(in []denoise.Field, x, y, z int) float64 {
			mean := p.mean(&in[0], &in[1], x, y, z)
			if len(in) == 3 {
				mean += factor * float64(in[2].At(x, y, z))
			}
			return mean
		},
		CPU: denoise.CPUPass{ // a worker holds a row
			Tile: tileSize, Scratch: 4*int64(tileSize[0]) + 1<<10, Nanoseconds: nsVoxel + nsNeighbour*(tile.Count(reach)-1),
			Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker { return start(p, factor, in, out) },
		},
	}
}

// mean is
//
//	f_i + sum_j w_j (f_j - f_i) / (1 + sum_j w_j),   w_j = min(max(3 - d_j^2, 0), 1)^2
//
// over the voxels j above and below i, with d_j the difference of the guide over the noise that it has there.
func (p Params) mean(f, guide *denoise.Field, x, y, z int) float64 {
	fi, gi := float64(f.At(x, y, z)), float64(guide.At(x, y, z))
	num, den := 0.0, 1.0
	tile.Neighbours(f, p.reach(), x, y, z, func(jx, jy, jz, j int) {
		k := jx - x + jy - y + jz - z
		d := (float64(guide.At(jx, jy, jz)) - gi) * p.Inverse[max(k, -k)-1]
		u := min(max(3-d*d, 0), 1)
		num += u * u * (float64(f.Data[j]) - fi)
		den += u * u
	})
	return fi + num/den
}
