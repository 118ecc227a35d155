// Package prinlm is prefiltered rotationally invariant non-local means: a voxel becomes
// the mean of the voxels around it, weighted by how similar a prefiltered volume and its
// local mean are there. Comparing two numbers instead of patches is faster, does not
// depend on how structures are turned, and finds more that are alike.
package prinlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/dct"
	"quell/denoise/filter/correlation"
	"quell/denoise/filter/odct"
	"quell/denoise/pairwise"
	"quell/denoise/tile"
	"quell/internal/message"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "prinlm", Title: "Prefiltered non-local means", Dims: []int{3, 2},
	Source: "Manjon, Coupe, Buades, Collins, Robles 2012 (PRI-NLM3D)",
	Help:   "Averages voxels that look alike in a prefiltered copy of the volume. Removes most noise for the structure it costs, in 3-D above all.",
	Params: []denoise.Param{
		{
			Name: "h", Label: "Strength h", Kind: denoise.Float, Unit: "value", Basic: true,
			Min: denoise.Positive, Max: denoise.Largest, Lo: 0.05, Hi: 2, Step: 0.05,
			Default: denoise.Auto, Auto: &denoise.AutoRule{Amount: autoStrength},
			Help: "How different two voxels of the prefiltered volume may be and still be averaged; higher removes more. Auto follows the estimated noise.",
		},
		{
			Name: "search-radius", Label: "Search radius", Kind: denoise.Int, Unit: "voxels",
			Min: 0, Max: 32, Lo: 1, Hi: 10, Step: 1, Default: denoise.Number(3),
			Help: "How far to look for similar voxels; the time grows with its square (2-D) or cube (3-D).",
		},
		{
			Name: "sigma", Label: "Noise sigma", Kind: denoise.Float, Unit: "value", Basic: true,
			Min: 0, Max: denoise.Largest, Lo: 0, Hi: 3, Step: 0.05, Default: denoise.Auto, Auto: denoise.NoiseSigma,
			Help: "Noise level that the prefilter and the Wiener stage remove; auto estimates it.",
		},
		correlation.Param("Correlation of the noise of voxels 1 to 4 apart within a slice, then 1 and 2 slices apart, then 1 to 4 along y if that differs: the prefilter and the Wiener stage take every frequency by its own noise. Auto estimates it; 0 is white noise."),
		{
			Name: "centre", Label: "Centre weight", Kind: denoise.Choice, Choices: []string{"max", "one"}, Words: []string{"Largest weight", "Weight one"}, Default: denoise.Word("max"),
			Help: "Weight of the voxel itself: the largest of its neighbours' weights, or that of a perfect match.",
		},
		{
			Name: "wiener", Label: "Wiener blocks", Kind: denoise.Int, Unit: "voxels",
			Min: 0, Max: dct.Largest, Lo: 0, Hi: dct.Largest, Step: 1, Default: denoise.Number(0),
			Help: "Blocks of a second stage, which weighs frequencies by those of the first result. 6 (8 in 2-D) is best and takes three times as long; 0 is none.",
		},
	},
	Strength:     denoise.Strength{Param: "h", Lo: 0.1, Hi: 3},
	Bind:         bind,
	Coarse:       coarse,
	ReadsPadding: true, // by its prefilter
	Cases: []denoise.Case{
		{Name: "2-D", Dims: 2},
		{Name: "3-D", Dims: 3, Set: "search-radius=2"},
		{Name: "strong", Dims: 3, Set: "h=12 search-radius=1 sigma=8"},
		{Name: "weak", Dims: 2, Set: "h=0.5 search-radius=4 sigma=20"},
		{Name: "weak one", Dims: 3, Set: "h=0.5 search-radius=1 centre=one"},
		{Name: "faint", Dims: 3, Set: "h=0.02 sigma=4 search-radius=2"},
		{Name: "no noise", Dims: 3, Set: "search-radius=1 sigma=0"},
		{Name: "alone", Dims: 3, Set: "search-radius=0 h=4"},
		{Name: "wiener", Dims: 3, Set: "search-radius=1 wiener=3"},
		{Name: "2-D wiener", Dims: 2, Set: "h=6 wiener=4"},
		{Name: "correlated", Dims: 3, Set: "search-radius=1 correlation=60,20,-10,-20,40,10"},
		{Name: "wiener correlated", Dims: 3, Set: "search-radius=1 wiener=3 correlation=60,20,0,0,40"},
		{Name: "2-D wiener correlated", Dims: 2, Set: "h=6 wiener=8 correlation=30,-20,-10,-5"},
		{Name: "3-D CT", Dims: 3, Set: "h=50 sigma=100 search-radius=2", CT: true},
		{Name: "large", Dims: 3, Set: "h=4 sigma=8 search-radius=1", Large: [3]int{97, 36, 35}},
		{Name: "wiener large", Dims: 3, Set: "h=4 sigma=8 search-radius=0 wiener=3", Large: [3]int{70, 20, 35}},
		{Name: "wiener CT", Dims: 3, Set: "h=50 sigma=100 search-radius=1 wiener=6", CT: true},
	},
}

// autoStrength is h: about half the noise in 3-D, see alikeShare, more in 2-D, if fewer voxels are alike,
// and with a Wiener stage, which brings structure back. In the tissue of a CT it rises with
// the voxels that a sample of the noise covers, as the guide keeps more of the noise if it has
// low frequencies, and falls if few neighbours are alike (Facts.Alike). Measured, see docs/benchmarks/quality.md.
func autoStrength(r denoise.Recipe, g volume.Geometry, f denoise.Facts) float64 {
	noise, tissue := correlation.InTissue(r, f)
	wide := min(noise.Samples()-1, 2.5)
	second := 0
	if r.Get("wiener").Int() > 0 {
		second = 1
	}
	share := [2]float64{0.5, 0.8}
	switch {
	case r.Dims == 2 && tissue:
		share = [2]float64{0.85 + 0.2*wide, 1 + 0.2*wide}
	case r.Dims == 2:
		share = [2]float64{0.85, 1}
	case tissue && correlation.Thick(g):
		share = [2]float64{0.4 + 0.04*wide, 0.5 + 0.04*wide}
	case tissue:
		share = [2]float64{0.65 + 0.2*wide, 0.8 + 0.2*wide}
	default:
		share[0] = alikeShare(f)
	}
	if tissue && f.Alike > 0 {
		share[second] *= max(math.Pow(min(f.Alike/3.5, 1), 3), 0.3)
	}
	return share[second] * f.AutoSigma()
}

// alikeShare is h over the noise for MR in 3-D: the more patches differ and still show the same tissue, the higher. Where
// the noise is too strong to tell alike voxels from others, it is what suits most data. Of 42 data sets it loses 0.18 dB at
// most against the best h, a half 0.51; of 73 others 0.39 and 0.63, see docs/benchmarks/quality.md.
func alikeShare(f denoise.Facts) float64 {
	if f.AlikePatches == 0 || f.Alike >= denoise.MostAlike {
		return 0.5
	}
	return min(max(0.575+0.4*(f.AlikePatches-2), 0.3), 0.8)
}

// Params are the parameters of a resolved recipe.
type Params struct {
	H      float64     // in the volume's unit, > 0
	Radius [3]int      // of the search region along x, y, z; 0 along z in two dimensions
	Mean   [3]int      // of the local mean, likewise
	One    bool        // the centre weighs 1, not the largest of the other weights
	Guide  odct.Params // of the prefilter

	Wiener [3]int   // size of the blocks of the second stage along x, y, z; 0 for none
	Rule   dct.Rule // of the second stage
}

// MeanShare is what the squared difference of local means counts relative to the one of
// single voxels, as the mean of both counts in the paper (eq. 5): exp(-(d^2 + 3 dm^2) /
// 4 h^2).
const MeanShare = 3

// Names of the fields between the passes.
const (
	guide     = "guide"
	guideMean = "guide mean"
	pilot     = "pilot"
)

// coarseRadius is the largest search radius of the coarse form.
const coarseRadius = 3

// coarse looks for similar voxels in the slice alone, without the second stage.
func coarse(r denoise.Recipe) (denoise.Recipe, bool) {
	radius, wiener := r.Get("search-radius").Int(), r.Get("wiener").Int()
	if r.Dims == 2 && wiener == 0 && radius <= 2*coarseRadius {
		return r, false
	}
	r.Dims = 2
	return r.With("search-radius", denoise.Number(float64(min(radius, coarseRadius)))).With("wiener", denoise.Number(0)), true
}

func bind(r denoise.Recipe, g volume.Geometry) (denoise.Program, error) {
	noise := correlation.Of(r)
	p := Params{
		H:      r.Get("h").Float(),
		Radius: r.Isotropic(r.Get("search-radius").Int()),
		Mean:   r.Isotropic(1),
		One:    r.Get("centre").String() == "one",
		Guide:  odct.NewParams(r.Dims, g, odct.Threshold*r.Get("sigma").Float(), noise),
	}
	passes := []denoise.Pass{p.Guide.Pass(denoise.Voxels, guide), p.meanPass()}
	switch n := r.Get("wiener").Int(); n {
	case 0:
		passes = append(passes, p.averagePass(g, denoise.Result))
	case 1:
		return denoise.Program{}, message.Errorf(message.RecipeValue, "wiener: a block of one voxel has no frequencies; give 2 to 8, or 0 for no second stage")
	default:
		p.Wiener = dct.Size(n, r.Dims, g)
		p.Rule = dct.Rule{Sigma: r.Get("sigma").Float(), Spectrum: noise.Spectrum(p.Wiener)}
		passes = append(passes, p.averagePass(g, pilot), p.wienerPass())
	}
	return denoise.Program{Params: p, Passes: passes}, nil
}

// averagePass returns the pass that averages voxels by the guide and its local mean.
func (p Params) averagePass(g volume.Geometry, output string) denoise.Pass {
	size := pairwise.TileSize(p.Radius, [3]int{})
	return denoise.Pass{
		Name: "average", Inputs: []string{denoise.Voxels, guide, guideMean}, Output: output,
		Reach: p.Radius, Work: tile.Count(p.Radius),
		Reference: func(in []denoise.Field, x, y, z int) float64 { return p.reference(&in[0], &in[1], &in[2], x, y, z) },
		CPU: denoise.CPUPass{
			Tile: size, Scratch: tile.Bytes(g.Dims, size, p.Radius, 60),
			Nanoseconds: tile.Count(p.Radius) / 2 * pairwise.Nanoseconds(1),
			Start:       func(in []denoise.Field, out denoise.Field) func() denoise.Worker { return p.start(in, out) },
		},
	}
}

// reference is out = sum w v_j / sum w with w = exp(-((g_i-g_j)^2 + 3 (m_i-m_j)^2) / 4 h^2).
// If every weight is below the smallest float64 the voxel stays as it is.
func (p Params) reference(in, guide, means *denoise.Field, x, y, z int) float64 {
	v, g, m := float64(in.At(x, y, z)), float64(guide.At(x, y, z)), float64(means.At(x, y, z))
	num, den, largest := 0.0, 0.0, 0.0
	tile.Neighbours(in, p.Radius, x, y, z, func(jx, jy, jz, j int) {
		dg, dm := float64(guide.At(jx, jy, jz))-g, float64(means.At(jx, jy, jz))-m
		w := math.Exp(-(dg/p.H*dg/p.H + MeanShare*(dm/p.H*dm/p.H)) / 4)
		num += w * (float64(in.Data[j]) - v)
		den += w
		largest = max(largest, w)
	})
	if p.One {
		largest = 1
	}
	if den += largest; den == 0 {
		return v
	}
	return v + num/den
}

// start runs the average as a pairwise filter.
func (p Params) start(in []denoise.Field, out denoise.Field) func() denoise.Worker {
	f := &pairwise.Filter{
		In: in[0], Out: out, Search: p.Radius, Peak: !p.One,
		Guides:  []pairwise.Guide{{Field: in[1], Gain: 1}, {Field: in[2], Gain: MeanShare}},
		Scale:   math.Log2E / (4 * p.H * p.H),
		Offsets: pairwise.HalfNeighbourhood(p.Radius, func([3]int) float64 { return 0 }),
		Mean: func(v, _ float64, s pairwise.Sums) (float64, bool) {
			if p.One { // weights below 2^-pairwise.MaxExponent are negligible
				return v + s.Num/(s.Den+1), true
			}
			return v + s.Num/(s.Den+s.Peak), s.Peak >= pairwise.FaintPeak
		},
		Faint: func(_ *tile.Block, unit float64, x, y, z int) float64 {
			return unit * p.reference(&in[0], &in[1], &in[2], x, y, z)
		},
	}
	return f.NewWorker
}
