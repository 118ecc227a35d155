// Package lowrank filters the volumes of a 4-D series together: what they have in common around a place is a matrix of low
// rank, voxels by volumes, and noise is not. Singular values are shrunk by the noise, which is given: no distribution is
// fitted to them.
package lowrank

import (
	"math"

	"quell/denoise"
	"quell/internal/message"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "lowrank", Title: "Low rank", Dims: []int{3},
	Source: "optimal shrinkage of singular values (Gavish, Donoho 2017) of local patches, averaged by rank (Manjon 2013)",
	Help:   "Filters all volumes of a 4-D series together: keeps what they have in common around a place, and removes what is noise. For diffusion, functional MRI, perfusion and dynamic PET of 8 volumes or more.",
	Params: []denoise.Param{
		{
			Name: "sigma", Label: "Noise sigma", Kind: denoise.Float, Unit: "value", Basic: true,
			Min: 0, Max: denoise.Largest, Lo: 0, Hi: 3, Step: 0.05, Default: denoise.Auto, Auto: denoise.NoiseSigma,
			Help: "Noise level of the whole series, by which singular values are shrunk; higher removes more. Auto estimates it.",
		},
		{
			Name: "patch-radius", Label: "Patch radius", Kind: denoise.Int, Unit: "voxels",
			Min: 1, Max: mostRadius, Lo: 1, Hi: mostRadius, Step: 1, Default: denoise.Auto, Auto: &denoise.AutoRule{Value: autoRadius},
			Help: "Half width of the patches; larger patches remove more and blur ranks of different tissues. Auto is the smallest with as many voxels as there are volumes, up to 3 in a volume.",
		},
		{
			Name: "patch-step", Label: "Patch step", Kind: denoise.Int, Unit: "voxels",
			Min: 1, Max: 2*mostRadius + 1, Lo: 1, Hi: mostRadius, Step: 1, Default: denoise.Auto, Auto: &denoise.AutoRule{Value: autoStep},
			Help: "Distance of neighbouring patches; a smaller one averages more patches and takes longer. Auto is the radius, at most 3.",
		},
		{
			Name: "limit", Label: "Largest removal", Kind: denoise.Float,
			Min: 0, Max: 100, Lo: 3, Hi: 10, Step: 0.5, Default: denoise.Number(5),
			Help: "A voxel of which more than this many sigmas would be removed, of itself or of the mean of it and its neighbours, stays as it is, as noise hardly does that: what only one volume has is kept. 0 is off.",
		},
	},
	Bind: func(denoise.Recipe, volume.Geometry) (denoise.Program, error) {
		return denoise.Program{}, message.Errorf(message.RecipeFilter, "it filters the volumes of a 4-D series together, %d or more, and this is one volume", fewest)
	},
	Together: &denoise.Together{Fewest: fewest, Fit: fit, Bind: bind},
	Cases: []denoise.Case{
		{Name: "defaults", Dims: 3, Set: "sigma=8"},
		{Name: "small patches", Dims: 3, Set: "sigma=8 patch-radius=1"},
		{Name: "sparse patches", Dims: 3, Set: "sigma=8 patch-radius=2 patch-step=5"},
		{Name: "every patch", Dims: 3, Set: "sigma=8 patch-radius=1 patch-step=1"},
		{Name: "weak", Dims: 3, Set: "sigma=2 patch-radius=1"},
		{Name: "strong", Dims: 3, Set: "sigma=200 limit=0"},
		{Name: "low limit", Dims: 3, Set: "sigma=8 limit=2"},
		{Name: "no limit", Dims: 3, Set: "sigma=20 limit=0"},
		{Name: "no noise", Dims: 3, Set: "sigma=0"},
	},
}

const (
	fewest     = 8 // volumes: in fewer, noise and signal are not told apart
	mostRadius = 5
	mostAuto   = 3 // the largest automatic radius of volumes of several slices
)

// fit gives the patch radius by the number of volumes.
func fit(r denoise.Recipe, g volume.Geometry, volumes int) denoise.Recipe {
	if !r.Get("patch-radius").IsAuto() {
		return r
	}
	most := mostAuto
	if g.Dims[2] == 1 {
		most = mostRadius
	}
	radius := 1
	for radius < most && places(widths(g.Dims, radius)) < volumes {
		radius++
	}
	return r.With("patch-radius", denoise.Number(float64(radius)))
}

// autoRadius is that of the outline of a recipe that was not fitted to a series.
func autoRadius(denoise.Recipe, volume.Geometry) (denoise.Value, error) {
	return denoise.Number(2), nil
}

func autoStep(r denoise.Recipe, _ volume.Geometry) (denoise.Value, error) {
	radius := r.Get("patch-radius")
	if radius.IsAuto() {
		return denoise.Number(2), nil
	}
	return denoise.Number(min(radius.Float(), mostAuto)), nil
}

// widths are those of a patch, which is not larger than the volume.
func widths(dims [3]int, radius int) (w [3]int) {
	for c, n := range dims {
		w[c] = min(2*radius+1, n)
	}
	return w
}

func places(w [3]int) int { return w[0] * w[1] * w[2] }

// Params are the parameters of a resolved recipe for a series. The voxels are in sigmas.
type Params struct {
	Dims    [3]int // of the volumes
	Volumes int
	Width   [3]int // of a patch, in voxels
	Step    int    // from patch to patch
	Limit   float64
}

func bind(r denoise.Recipe, g volume.Geometry, volumes int) (denoise.SeriesProgram, error) {
	radius, step := r.Get("patch-radius").Int(), r.Get("patch-step").Int()
	p := Params{Dims: g.Dims, Volumes: volumes, Width: widths(g.Dims, radius), Step: step, Limit: r.Get("limit").Float()}
	if p.Limit == 0 {
		p.Limit = math.Inf(1)
	}
	if step > 2*radius+1 {
		return nil, message.Errorf(message.RecipeValue, "patch-step is %d, more than 2 patch-radius + 1 = %d: voxels between the patches would get no value", step, 2*radius+1)
	}
	return p, nil
}

// starts returns the first voxels of the patches along an axis: every step, and the last that fits.
func (p Params) starts(axis int) (starts []int) {
	last := p.Dims[axis] - p.Width[axis]
	for s := 0; s < last; s += p.Step {
		starts = append(starts, s)
	}
	return append(starts, last)
}

// common returns how far the mean over the volumes of what was removed of a place lies from 0, in standard deviations of the noise
// of that mean. What few volumes have spreads, and counts less.
func common(before, after []float32, sigma float64) float64 {
	sum, spread := 0.0, 0.0
	for c, v := range before {
		r := float64(v) - float64(after[c])
		sum += r
		spread += r * r
	}
	return sum / math.Sqrt(max(spread, float64(len(before))*sigma*sigma))
}

// isCommon reports whether n numbers with that sum of squares are more than noise: of noise it is n on average, and sqrt(2 n) is its
// standard deviation.
func isCommon(squares float64, n int) bool {
	return squares > float64(n)+5*math.Sqrt(2*float64(n))
}

// layers returns the starts along z of the patches that reach into the slices from <= z < to.
func (p Params) layers(from, to int) (starts []int) {
	for _, s := range p.starts(2) {
		if s < to && s+p.Width[2] > from {
			starts = append(starts, s)
		}
	}
	return starts
}

// around returns the slices that decide on what is restored in the slices from <= z < to: a box around each voxel of a box.
func (p Params) around(from, to int) (first, end int) {
	if math.IsInf(p.Limit, 1) {
		return from, to
	}
	return max(from-2, 0), min(to+2, p.Dims[2])
}

// Slab returns the slices that the patches around from <= z < to read.
func (p Params) Slab(from, to int) denoise.Slab {
	layers := p.layers(p.around(from, to))
	return denoise.Slab{From: from, To: to, First: layers[0], End: layers[len(layers)-1] + p.Width[2]}
}

// shrink returns the factor of a singular value s of a matrix of m rows and n columns with noise of sigma 1, by s squared: the
// one with the least expected error of the whole matrix (Gavish, Donoho 2017, Frobenius loss),
//
//	eta(y) / y = sqrt((y^2 - beta - 1)^2 - 4 beta) / y^2 for y > 1 + sqrt(beta), and 0 else,
//
// with y^2 = s^2 / max(m, n) and beta = min(m, n) / max(m, n).
func shrink(square float64, m, n int) float64 {
	if m == 0 {
		return 0
	}
	long, beta := float64(max(m, n)), float64(min(m, n))/float64(max(m, n))
	y := square / long
	edge := 1 + math.Sqrt(beta)
	if !(y > edge*edge) {
		return 0
	}
	d := y - beta - 1
	return math.Sqrt(max(d*d-4*beta, 0)) / y
}
