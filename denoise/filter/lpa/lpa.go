// Package lpa is local polynomial approximation with the intersection of
// confidence intervals: around every pixel it grows a neighbourhood in eight
// directions for as long as the image stays even.
package lpa

import (
	"math"

	"quell/denoise"
	"quell/denoise/filter/correlation"
	"quell/denoise/tile"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "lpa", Title: "LPA-ICI", Dims: []int{2},
	Source: "Katkovnik, Egiazarian, Astola 2006; Klepaczko 2013 (eq. 1-4)",
	Help:   "Grows a neighbourhood around every pixel in eight directions for as long as the image stays homogeneous, and averages it.",
	Params: []denoise.Param{
		{
			Name: "gamma", Label: "Gamma", Kind: denoise.Float, Basic: true,
			Min: 1e-3, Max: 100, Lo: 0.2, Hi: 4, Step: 0.05, Default: denoise.Auto, Auto: &denoise.AutoRule{Found: autoGamma, Spares: givenSigma},
			Help: "Width of the confidence intervals in sigmas; higher tolerates more and smooths more. Auto is about 1, more in strong noise and on CT.",
		},
		{
			Name: "sigma", Label: "Noise sigma", Kind: denoise.Float, Unit: "value", Basic: true,
			Min: 0, Max: denoise.Largest, Lo: 0, Hi: 3, Step: 0.05, Default: denoise.Auto, Auto: denoise.NoiseSigma,
			Help: "Noise level of the whole image; auto estimates it.",
		},
		correlation.Param("Correlation of the noise of voxels 1 to 4 apart within a slice, then 1 and 2 slices apart, then 1 to 4 along y if that differs, for the variance of the directional means. Auto estimates it; 0 is white noise."),
		{
			Name: "scales", Label: "Scales", Kind: denoise.Ints, Unit: "voxels", Rising: true,
			Min: 1, Max: 32, Lo: 1, Hi: 32, Step: 1, Default: denoise.List(1, 2, 3, 5, 7, 8),
			Help: "The lengths that are tried in each direction, rising from 1.",
		},
	},
	Strength: denoise.Strength{Param: "gamma", Lo: 0.1, Hi: 6},
	Bind:     bind,
	Support:  supports,
	Cases: []denoise.Case{
		{Name: "2-D", Dims: 2},
		{Name: "wide", Dims: 2, Set: "gamma=2.5 sigma=8"},
		{Name: "no noise", Dims: 2, Set: "sigma=0"},
		{Name: "scales", Dims: 2, Set: "scales=1,3,9,20 gamma=3"},
		{Name: "correlated", Dims: 2, Set: "correlation=60,20,-10,-5"},
		{Name: "correlated wide", Dims: 2, Set: "gamma=2.5 sigma=8 correlation=30,-20 scales=1,3,9,20"},
		{Name: "correlated beyond what is possible", Dims: 2, Set: "gamma=2 sigma=8 correlation=-100,-100"},
		{Name: "large", Dims: 2, Large: [3]int{300, 70, 2}},
	},
}

// The automatic gamma if the noise is not measured, and on CT if the anatomy is not.
const (
	usualGamma  = 1.05
	usualTissue = 1.6
)

// autoGamma is the automatic gamma: on CT
//
//	1.5 sqrt(min(A / 3, 1) P / 2.5)
//
// between 0.8 and 2.2, with how different neighbours may be, A, and patches, P (denoise.Facts); elsewhere 0.95 + 4
// s with the share s of the noise in the range of the values; and 1.05 if sigma is a number. The stronger the
// noise, the less of the image is fine enough to be lost in it. Soft tissue is smoother for its noise than brains
// in MR are, but less so at the skull base. Measured, see docs/benchmarks/quality.md.
func autoGamma(r denoise.Recipe, f denoise.Facts) denoise.Value {
	switch {
	case givenSigma(r) || f.Noise.Sigma == 0:
		return denoise.Number(usualGamma)
	case f.Noise.InTissue() && f.Alike > 0 && f.AlikePatches > 0:
		return denoise.Number(min(max(1.5*math.Sqrt(min(f.Alike/3, 1)*f.AlikePatches/2.5), 0.8), 2.2))
	case f.Noise.InTissue():
		return denoise.Number(usualTissue)
	}
	return denoise.Number(0.95 + 4*f.NoiseShare())
}

// givenSigma says whether the recipe has a number for the noise, so that it follows no
// volume.
func givenSigma(r denoise.Recipe) bool { return r.Get("sigma").IsNumber() }

// Params are the parameters of a resolved recipe.
type Params struct {
	Gamma  float64 // half width of the confidence intervals in standard deviations
	Sigma  float64 // in the volume's unit
	Scales []int   // in voxels, rising

	Rho *[2][Lags]float64 // correlation of the noise 1, 2, ... samples apart along an axis, and along a diagonal; nil if it is white
}

// nanoseconds returns the time of one core for one sample of a ray at one scale.
func nanoseconds() float64 {
	if vector() {
		return 0.4
	}
	return 2.5
}

func bind(r denoise.Recipe, g volume.Geometry) (denoise.Program, error) {
	p := Params{Gamma: r.Get("gamma").Float(), Sigma: r.Get("sigma").Float(), Scales: r.Get("scales").Ints(), Rho: rhoOf(correlation.Of(r))}
	samples := 0
	for _, h := range p.Scales {
		samples += len(directions) * h
	}
	reach := r.Isotropic(p.Scales[len(p.Scales)-1] - 1)
	return denoise.Program{Params: p, Passes: []denoise.Pass{{
		Name: "estimate", Inputs: []string{denoise.Voxels}, Output: denoise.Result,
		Reach: reach, Work: float64(samples),
		Reference: func(in []denoise.Field, x, y, z int) float64 { return reference(p, &in[0], x, y, z) },
		CPU: denoise.CPUPass{
			Tile: tileSize, Scratch: tile.Bytes(g.Dims, tileSize, reach, 40), Nanoseconds: float64(samples) * nanoseconds(),
			Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker { return start(p, in[0], out) },
		},
	}}}, nil
}
