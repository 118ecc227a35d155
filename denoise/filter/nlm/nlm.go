// Package nlm is the non-local means filter: a voxel becomes the mean of the
// voxels around it, weighted by how similar the patches around them are.
package nlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/filter/correlation"
	"quell/denoise/filter/preselect"
	"quell/denoise/pairwise"
	"quell/denoise/tile"
	"quell/internal/message"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "nlm", Title: "Non-local means", Dims: []int{2, 3},
	Source: "Buades, Coll, Morel 2005; Upadhya 2018 (3-D); Coupe 2008 (preselect)",
	Help:   "Averages voxels whose surroundings look alike. Keeps edges and texture best; costs most.",
	Params: append([]denoise.Param{
		{
			Name: "h", Label: "Strength h", Kind: denoise.Float, Unit: "value", Basic: true,
			Min: denoise.Positive, Max: denoise.Largest, Lo: 0.05, Hi: 5, Step: 0.05,
			Default: denoise.Auto, Auto: &denoise.AutoRule{Amount: autoStrength}, Rules: []denoise.Rule{Coupe},
			Help: "How different two patches may be and still be averaged; higher removes more. Auto follows the estimated noise; coupe is the paper's √2σ, σ from pseudo-residuals.",
			Ignored: func(r denoise.Recipe) message.Message {
				if lk(r) {
					return message.Text("the weights of weighting lk have no strength")
				}
				return message.Message{}
			},
		},
		{
			Name: "patch-radius", Label: "Patch radius", Kind: denoise.Int, Unit: "voxels",
			Min: 0, Max: 8, Lo: 0, Hi: 4, Step: 1, Default: denoise.Number(1),
			Help: "Half width of the patches that are compared; larger patches are steadier and keep less fine detail.",
		},
		{
			Name: "search-radius", Label: "Search radius", Kind: denoise.Int, Unit: "voxels", Basic: true,
			Min: 0, Max: 32, Lo: 1, Hi: 10, Step: 1, Default: denoise.Number(3),
			Help: "How far to look for similar patches; the time grows with its square (2-D) or cube (3-D).",
		},
		{
			Name: "patch-weights", Label: "Patch weights", Kind: denoise.Choice, Choices: []string{"uniform", "gaussian"},
			Default: denoise.Word("gaussian"),
			Help:    "Whether all voxels of a patch count alike or the middle counts more.",
		},
		{
			Name: "patch-sigma", Label: "Patch sigma", Kind: denoise.Float, Unit: "voxels",
			Min: 0.05, Max: 100, Lo: 0.3, Hi: 4, Step: 0.1, Default: denoise.Number(1),
			Help: "Width of the Gaussian patch weights.",
			Ignored: func(r denoise.Recipe) message.Message {
				if r.Get("patch-weights").String() == "uniform" {
					return message.Text("uniform patch weights have no width")
				}
				return message.Message{}
			},
		},
		{
			Name: "sigma", Label: "Noise sigma", Kind: denoise.Float, Unit: "value",
			Min: 0, Max: denoise.Largest, Lo: 0, Hi: 3, Step: 0.05, Default: denoise.Auto, Auto: &denoise.AutoRule{Amount: autoSigma, Spares: withoutSigma},
			Help: "Noise level subtracted from every patch distance (2σ²) and, with Rician, from the mean square. Auto is the estimated noise with Rician or a correlation, else 0, the papers' formula.",
			Ignored: func(r denoise.Recipe) message.Message {
				// A sigma of 0 has no effect anywhere; records from before auto hold it.
				zero := r.Get("sigma").Equal(denoise.Number(0))
				if lk(r) && !r.Get("rician").On() && !zero {
					return message.Text("weighting lk subtracts no noise unless rician is on")
				}
				return message.Message{}
			},
		},
		correlationParam(),
		{
			Name: "centre", Label: "Centre weight", Kind: denoise.Choice, Choices: []string{"max", "one"}, Words: []string{"Largest weight", "Weight one"},
			Default: denoise.Auto, Auto: &denoise.AutoRule{Found: autoCentre, Spares: fixed},
			Help: "Weight of the voxel itself: the largest of its neighbours' weights, or that of a perfect match, one, which leaves alone what resembles nothing. Auto is one where the noise is weak and on CT, and max where h is a number.",
		},
		{
			Name: "weighting", Label: "Weighting", Kind: denoise.Choice, Choices: []string{"gaussian", "lk"}, Words: []string{"Gaussian", "L_k norm"}, Default: denoise.Word("gaussian"),
			Help: "Gaussian weights, or Upadhya's linear weights of L_k distances (eq. 5-8), which blur.",
		},
		{
			Name: "k", Label: "k of the L_k norm", Kind: denoise.Int, Min: 1, Max: 4, Lo: 1, Hi: 4, Step: 1, Default: denoise.Number(2),
			Help: "The norm of the lk weighting.",
			Ignored: func(r denoise.Recipe) message.Message {
				if !lk(r) {
					return message.Text("only weighting lk has a norm")
				}
				return message.Message{}
			},
		},
		{
			Name: "rician", Label: "Rician noise", Kind: denoise.Switch, Default: denoise.Auto, Auto: &denoise.AutoRule{Found: autoRician, Spares: papers},
			Help: "For MR magnitude images: average squares, subtract 2σ² and take the root, against the bias of dark regions. Auto leaves it to Stabilise Rician; with that at 0 it follows the background, unless h is a number.",
		},
	}, preselect.Params(false, func(r denoise.Recipe) message.Message {
		if lk(r) {
			return message.Text("weighting lk uses all neighbours")
		}
		return message.Message{}
	})...),
	Strength:       denoise.Strength{Param: "h", Lo: 0.2, Hi: 6},
	Bind:           bind,
	Stein:          stein,
	Coarse:         coarse,
	ReadsPadding:   true,
	CorrectsRician: func(r denoise.Recipe) bool { return r.Get("rician").On() },
	Cases:          cases(),
}

// correlationParam is the correlation of the noise, white unless it is asked for: what the
// formula of the papers subtracts depends on no distance.
func correlationParam() denoise.Param {
	p := correlation.Param("Correlation of the noise of voxels 1 to 4 apart within a slice, then 1 and 2 slices apart, then 1 to 4 along y if that differs: less is subtracted from the distance of near patches. 0 is white noise.")
	p.Default = denoise.List(0)
	p.Ignored = func(r denoise.Recipe) message.Message {
		if sigma := r.Get("sigma"); lk(r) || (!sigma.IsAuto() && sigma.Float() == 0) {
			return message.Text("nothing is subtracted from the distance of patches")
		}
		return message.Message{}
	}
	return p
}

func lk(r denoise.Recipe) bool { return r.Get("weighting").String() == "lk" }

// coarse looks for similar patches in a smaller search region: of radius 2 in 3-D, and of
// half the radius, at most 3, in 2-D.
func coarse(r denoise.Recipe) (denoise.Recipe, bool) {
	radius := r.Get("search-radius").Int()
	if radius < 3 || r.Dims == 2 && radius < 4 {
		return r, false
	}
	half := 2
	if r.Dims == 2 {
		half = min(radius/2, 3)
	}
	return r.With("search-radius", denoise.Number(float64(half))), true
}

// Params are the parameters of a resolved recipe.
type Params struct {
	PatchRadius  [3]int     // voxels along x, y, z; 0 along z in 2-D
	SearchRadius [3]int     // voxels along x, y, z; 0 along z in 2-D
	Taps         []float64  // patch weights along one axis, 2f+1 of them, sum 1; a_k is the product over the axes
	H            float64    // in the volume's unit, > 0; of no meaning with LK
	Sigma        float64    // in the volume's unit
	Centre       CentreRule // weight of the voxel itself
	LK           int        // 0: Gaussian weighting; 1..4: lk weighting of that norm
	Rician       bool       // average squares

	Select *preselect.Rule // which neighbours are used; nil for all

	correlation correlation.Correlation // of the noise
}

// CentreRule says which weight a voxel has in its own mean.
type CentreRule int

// The rules of FILTERS.md.
const (
	CentreMax CentreRule = iota // the largest of the other weights, 1 if there is no other
	CentreOne                   // the weight of a perfect match
)

func newParams(r denoise.Recipe) Params {
	f := r.Get("patch-radius").Int()
	p := Params{
		PatchRadius:  r.Isotropic(f),
		SearchRadius: r.Isotropic(r.Get("search-radius").Int()),
		Taps:         make([]float64, 2*f+1),
		H:            r.Get("h").Float(),
		Sigma:        r.Get("sigma").Float(),
		Rician:       r.Get("rician").On(),
		correlation:  correlation.Of(r),
	}
	if r.Get("centre").String() == "one" {
		p.Centre = CentreOne
	}
	if lk(r) {
		p.LK = r.Get("k").Int()
	}
	if rule, on := preselect.New(r, f); on {
		p.Select = &rule
	}
	sigma := math.Inf(1)
	if r.Get("patch-weights").String() == "gaussian" {
		sigma = r.Get("patch-sigma").Float()
	}
	sum := 0.0
	for k := range p.Taps {
		d := float64(k-f) / sigma
		p.Taps[k] = math.Exp(-0.5 * d * d)
		sum += p.Taps[k]
	}
	for k := range p.Taps {
		p.Taps[k] /= sum
	}
	return p
}

// Cut is subtracted from the distance of two patches that lie d apart:
// 2 sigma^2 (1 - rho(d)), in the volume's unit squared. Noise that is correlated makes
// near patches more alike than far ones: that is the mean distance of two patches of
// equal structure.
func (p *Params) Cut(d [3]int) float64 {
	white := 2 * p.Sigma * p.Sigma
	if p.correlation.White() {
		return white
	}
	return white * (1 - p.correlation.Rho(d))
}

// tap returns the patch weight at distance k along axis c. An axis without a
// patch has one tap of weight 1.
func (p *Params) tap(c, k int) float64 {
	if p.PatchRadius[c] == 0 {
		return 1
	}
	return p.Taps[k+p.PatchRadius[c]]
}

// largestFastPatch is the largest patch radius for which the GPU has kernels that
// do not sum every patch anew.
const largestFastPatch = 3

// SelectedAverage is the name of the pass that averages preselected neighbours; without
// preselection it is called average.
const SelectedAverage = "average of the selected"

func bind(r denoise.Recipe, g volume.Geometry) (denoise.Program, error) {
	p := newParams(r)
	var reach [3]int
	taps := 0
	for c := range reach {
		reach[c] = p.SearchRadius[c] + p.PatchRadius[c]
		taps += p.PatchRadius[c]
	}
	work := tile.Count(p.SearchRadius)
	if p.LK > 0 || p.PatchRadius[0] > largestFastPatch {
		work *= tile.Count(p.PatchRadius)
	}
	pair := pairwise.Nanoseconds(taps)
	if p.LK > 0 {
		pair += pairwise.NanosecondsLK
	}
	size := pairwise.TileSize(p.SearchRadius, p.PatchRadius)
	average := denoise.Pass{
		Name: "average", Inputs: []string{denoise.Voxels}, Output: denoise.Result,
		Reach: reach, Work: work,
		Reference: func(in []denoise.Field, x, y, z int) float64 { return reference(p, in, x, y, z) },
		CPU: denoise.CPUPass{
			Tile: size, Scratch: tile.Bytes(g.Dims, size, reach, 40),
			Nanoseconds: tile.Count(p.SearchRadius) / 2 * pair,
			Start:       func(in []denoise.Field, out denoise.Field) func() denoise.Worker { return start(p, in, out) },
		},
	}
	if p.Select == nil {
		return denoise.Program{Params: p, Passes: []denoise.Pass{average}}, nil
	}
	average.Name = SelectedAverage
	average.Inputs = append(average.Inputs, preselect.MeanPass, preselect.DeviationPass)
	return denoise.Program{Params: p, Passes: append(p.Select.Passes(g), average)}, nil
}
