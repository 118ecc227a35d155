// Package sadct is the pointwise shape-adaptive DCT: every pixel has a
// neighbourhood that ends where the image changes, the cosine transform of that
// neighbourhood is thresholded, and the estimates of overlapping neighbourhoods are
// averaged. A Wiener filter that takes the result as the truth follows.
package sadct

import (
	"math"
	"slices"

	"quell/denoise"
	"quell/denoise/filter/correlation"
	"quell/denoise/tile"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "sadct", Title: "Shape-adaptive DCT", Dims: []int{2},
	Source: "Foi, Katkovnik, Egiazarian 2007; Klepaczko 2013",
	Help:   "Thresholds the cosine transform of a neighbourhood that ends where the image changes; the best filter for single slices.",
	Params: []denoise.Param{
		{
			Name: "sigma", Label: "Noise sigma", Kind: denoise.Float, Unit: "value", Basic: true,
			Min: 0, Max: denoise.Largest, Lo: 0, Hi: 3, Step: 0.05, Default: denoise.Auto, Auto: &denoise.AutoRule{Amount: autoSigma},
			Help: "Noise level of the whole image; higher removes more. Auto estimates it, and takes a little more on CT.",
		},
		{
			Name: "gamma", Label: "Gamma", Kind: denoise.Float, Basic: true,
			Min: 1e-3, Max: 100, Lo: 0.2, Hi: 4, Step: 0.05, Default: denoise.Auto, Auto: &denoise.AutoRule{Found: autoGamma},
			Help: "Width of the confidence intervals in sigmas; higher makes larger neighbourhoods. Auto follows sigma over the range.",
		},
		{
			Name: "threshold", Label: "Threshold", Kind: denoise.Float,
			Min: 0.01, Max: 100, Lo: 0.2, Hi: 2, Step: 0.01, Default: denoise.Number(0.77),
			Help: "Coefficients below this many sigmas, times sqrt(2 ln N + 1) for N pixels, are removed.",
		},
		{
			Name: "scales", Label: "Scales", Kind: denoise.Ints, Unit: "voxels", Rising: true, Longest: maxScales,
			Min: 1, Max: maxLength, Lo: 1, Hi: maxLength, Step: 1, Default: denoise.List(1, 2, 3, 5, 7, 9),
			Help: "The lengths that are tried in each direction, rising; 1 is tried whether it is listed or not.",
		},
		{
			Name: "wiener-scales", Label: "Wiener scales", Kind: denoise.Ints, Unit: "voxels", Rising: true, Longest: maxScales,
			Min: 1, Max: maxLength, Lo: 1, Hi: maxLength, Step: 1, Default: denoise.List(1, 2, 3, 4, 5),
			Help: "The lengths that stand for the chosen scales in the Wiener stage, the last one for all beyond it.",
		},
		{
			Name: "overlap", Label: "Overlap", Kind: denoise.Int, Unit: "estimates",
			Min: 0, Max: 1000, Lo: 0, Hi: 100, Step: 5, Default: denoise.Number(0),
			Help: "About how many estimates of a pixel are averaged; fewer are faster and a little worse, 0 takes all.",
		},
		correlation.Param("Correlation of the noise of voxels 1 to 4 apart within a slice, then 1 and 2 slices apart, then 1 to 4 along y if that differs: lengths and thresholds follow the noise of their frequencies. Auto estimates it; 0 is white noise."),
	},
	Strength: denoise.Strength{Param: "sigma", Lo: 0.2, Hi: 4},
	Bind:     bind,
	Support:  supports,
	Coarse:   coarse,
	Cases: []denoise.Case{
		{Name: "2-D", Dims: 2, Set: "sigma=8"},
		{Name: "short", Dims: 2, Set: "scales=1,2,4 wiener-scales=3,5 sigma=8"},
		{Name: "no noise", Dims: 2, Set: "sigma=0"},
		{Name: "strong", Dims: 2, Set: "gamma=2 threshold=0.4 sigma=20 scales=2,3 wiener-scales=2"},
		{Name: "overlap", Dims: 2, Set: "overlap=9 sigma=20 scales=1,2,3,4 wiener-scales=1,2,3"},
		{Name: "long", Dims: 2, Set: "scales=12 wiener-scales=8 gamma=4 sigma=20"},
		{Name: "correlated", Dims: 2, Set: "sigma=8 correlation=60,20,-10,-5,0,0,30,10"},
		{Name: "correlated overlap", Dims: 2, Set: "overlap=9 sigma=20 scales=1,2,3,4 wiener-scales=1,2,3 correlation=30,-20"},
		{Name: "correlated long", Dims: 2, Set: "scales=12 wiener-scales=8 gamma=4 sigma=20 correlation=100,-100,100,-100"},
		{Name: "CT", Dims: 2, Set: "scales=1,2,3 wiener-scales=1,2", CT: true},
		{Name: "large", Dims: 2, Set: "scales=1,2,3 wiener-scales=1,2", Large: [3]int{300, 150, 2}},
	},
}

// The largest scale, and the most entries of a list of scales: with the scale 1 an
// index has three bits.
const (
	maxLength = 12
	maxScales = 7
)

// Params are the parameters of a resolved recipe.
type Params struct {
	Sigma     float64 // in the volume's unit
	Gamma     float64 // half width of the confidence intervals in standard deviations
	Threshold float64
	Scales    []int // in pixels, rising from 1; at most 8
	Wiener    []int // likewise
	Overlap   int   // 0: no limit

	Rho *Rho // correlation of the noise; nil if it is white
}

// Names of the fields between the passes.
const (
	scaleMap = "scales" // of the eight directions, three bits for each, as a whole number
	pilot    = "pilot"
)

// autoSigma is the estimated noise; in correlated noise that was measured in the tissue of a
// CT
//
//	(1.2 + 0.1 ln(sigma / 8 HU)) sigma, between 1 and 1.5 sigma
//
// as the noise differs from place to place, and even tissue loses little to a higher
// threshold. Measured, see docs/benchmarks/quality.md.
func autoSigma(r denoise.Recipe, _ volume.Geometry, f denoise.Facts) float64 {
	_, tissue := correlation.InTissue(r, f)
	if !tissue || f.Noise.Sigma == 0 {
		return f.AutoSigma()
	}
	return min(max(1.2+0.1*math.Log(f.UsualSigma()/8), 1), 1.5) * f.AutoSigma()
}

// autoGamma is Foi's rule: max(0.8, 2.4 / ln(1 + 60 sigma / R)) with R the range of
// the volume without its noise.
func autoGamma(r denoise.Recipe, f denoise.Facts) denoise.Value {
	noisy := f.Range()
	share := sigmaOf(r, f) / max(noisy-tails*f.AutoSigma(), noisy/2)
	if !(share > 0) || math.IsInf(share, 0) { // without noise, or in a constant volume, any gamma does the same
		return denoise.Number(1)
	}
	return denoise.Number(min(max(0.8, 2.4/math.Log1p(60*share)), 100))
}

// tails is what noise adds to the range of a volume at least, in sigmas: 6.5 to the
// range of Cameraman at sigma 25, 9.3 to the range of the T1 template at sigma 10.
const tails = 6

// sigmaOf is the sigma that the recipe resolves to.
func sigmaOf(r denoise.Recipe, f denoise.Facts) float64 {
	switch v := r.Get("sigma"); {
	case v.IsSigmas():
		return v.Float() * f.Noise.Sigma
	case v.IsNumber() && f.Usual > 0 && !r.InSigmas:
		return v.Float() / f.Usual
	case v.IsNumber():
		return v.Float()
	}
	return autoSigma(r, volume.Geometry{}, f)
}

// coarseOverlap is the overlap of the coarse form. Measured on a CT head of 512 x 512: a
// fifth of the time, and pixels that differ by a fifth of the residual (root mean square).
const coarseOverlap = 12

// coarse averages fewer estimates.
func coarse(r denoise.Recipe) (denoise.Recipe, bool) {
	if n := r.Get("overlap").Int(); n > 0 && n <= 3*coarseOverlap {
		return r, false
	}
	return r.With("overlap", denoise.Number(coarseOverlap)), true
}

// fromOne returns the list with 1 as its first entry.
func fromOne(list []int) []int {
	if list[0] == 1 {
		return list
	}
	return slices.Insert(list, 0, 1)
}

// Nanoseconds of one core for one pixel: of a sample of a line, and of a pixel of a
// support in either stage.
const (
	nsSample    = 1.2
	nsThreshold = 8
	nsWiener    = 12
)

func bind(r denoise.Recipe, g volume.Geometry) (denoise.Program, error) {
	p := Params{
		Sigma: r.Get("sigma").Float(), Gamma: r.Get("gamma").Float(), Threshold: r.Get("threshold").Float(),
		Scales: fromOne(r.Get("scales").Ints()), Wiener: fromOne(r.Get("wiener-scales").Ints()), Overlap: r.Get("overlap").Int(),
		Rho: rhoOf(correlation.Of(r)),
	}
	samples := 0
	for _, h := range p.Scales {
		samples += len(directions) * h
	}
	first, second := newStage(p, p.Scales, false), newStage(p, p.Wiener, true)
	lines := newLines(p)
	stagePass := func(name, output string, s *stage, inputs []string, ns float64) denoise.Pass {
		reach := r.Isotropic(2 * s.reach)
		return denoise.Pass{
			Name: name, Inputs: inputs, Output: output, Reach: reach, Work: float64(s.pixels()),
			Reference: func(in []denoise.Field, x, y, z int) float64 { return s.reference(in, x, y, z) },
			CPU: denoise.CPUPass{
				Tile: tileSize, Scratch: tile.Bytes(g.Dims, tileSize, reach, 20), Nanoseconds: ns * s.estimates(),
				Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker { return s.start(in, out) },
			},
		}
	}
	reach := r.Isotropic(p.Scales[len(p.Scales)-1] - 1)
	return denoise.Program{Params: p, Passes: []denoise.Pass{
		{
			Name: "scales", Inputs: []string{denoise.Voxels}, Output: scaleMap, Reach: reach, Work: float64(samples),
			Reference: func(in []denoise.Field, x, y, z int) float64 { return float64(lines.reference(&in[0], x, y, z)) },
			CPU: denoise.CPUPass{
				Tile: tileSize, Scratch: 256, Nanoseconds: float64(samples) * nsSample,
				Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker { return lines.start(in[0], out) },
			},
		},
		stagePass("threshold", pilot, first, []string{scaleMap, denoise.Voxels}, nsThreshold),
		stagePass("wiener", denoise.Result, second, []string{scaleMap, denoise.Voxels, pilot}, nsWiener),
	}}, nil
}
