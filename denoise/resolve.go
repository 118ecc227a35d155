package denoise

import (
	"context"
	"fmt"
	"math"
	"slices"

	"quell/volume"
)

// Facts is what Resolve needs to know of a volume. It is found once per volume
// (FactsOf) and then serves every preview.
type Facts struct {
	Lo, Hi float32 // smallest and largest valid voxel
	Sigma  float64 // estimated noise, see Estimate; 0 where none was found
}

// FactsOf reads a whole volume, on all cores.
func FactsOf(v *volume.Volume) Facts {
	f, _ := FactsOfContext(context.Background(), v) // which is never cancelled
	return f
}

// FactsOfContext is FactsOf for large volumes: it can be cancelled, and its
// error is the context's.
func FactsOfContext(ctx context.Context, v *volume.Volume) (Facts, error) {
	var (
		f   Facts
		err error
	)
	if f.Lo, f.Hi, err = v.Range(ctx); err != nil {
		return Facts{}, err
	}
	if f.Lo < f.Hi {
		f.Sigma = volumeSigma(ctx, v, otsu(ctx, v, f.Lo, f.Hi))
	}
	if err := ctx.Err(); err != nil {
		return Facts{}, err
	}
	return f, nil
}

// Resolve returns the recipe with every automatic value and percentage turned
// into a number and every radius into three, for a volume of geometry g about
// which f is known. A resolved recipe gives the same result on a part of the
// volume as on the whole of it.
//
//   - nlm h: h^2 = 2 sigma^2; sigma as estimated.
//   - bilateral sigma-range: percent of the range of the whole input.
//   - radius: ceil(2 sigma / spacing) along each axis; 0 along z in 2-D.
//   - lpa sigma: as estimated.
//
// Where there is no noise, or no range, the smallest value that the parameter
// allows stands in for 0: then only equal patches and equal voxels are
// averaged, and the volume stays as it is. The error says which value cannot
// be used.
func (r Recipe) Resolve(g volume.Geometry, f Facts) (Recipe, error) {
	if err := r.Validate(); err != nil {
		return Recipe{}, err
	}
	filter, err := FilterByName(r.Filter)
	if err != nil {
		return Recipe{}, err
	}
	out := r
	for _, p := range filter.Params {
		v := r.Get(p.Name)
		switch {
		case p.Name == "radius":
			radius, err := r.windowRadius(g)
			if err != nil {
				return Recipe{}, err
			}
			v = List(radius[:]...)
		case p.Name == "scales":
			if scales := v.Ints(); !rising(scales) {
				return Recipe{}, fmt.Errorf("%s: scales: %s must rise", r.Filter, v)
			}
		case v.IsPercent():
			v = Number(max(v.Float()/100*(float64(f.Hi)-float64(f.Lo)), p.Min))
		case v.IsAuto() && p.Name == "h":
			v = Number(max(math.Sqrt2*f.Sigma, p.Min))
		case v.IsAuto() && p.Name == "sigma":
			v = Number(f.Sigma)
		}
		if err := p.Check(v); err != nil {
			return Recipe{}, fmt.Errorf("%s: %w", r.Filter, err)
		}
		out = out.With(p.Name, v)
	}
	return out, nil
}

// ResolveFor is Resolve for a recipe that runs once on v: it reads the volume for
// what the recipe's automatic values depend on and nothing else, as the noise
// estimate takes longer than most filters. It can be cancelled.
func (r Recipe) ResolveFor(ctx context.Context, v *volume.Volume) (Recipe, error) {
	if err := r.Validate(); err != nil {
		return Recipe{}, err
	}
	filter, err := FilterByName(r.Filter)
	if err != nil {
		return Recipe{}, err
	}
	var f Facts
	for _, p := range filter.Params {
		switch x := r.Get(p.Name); {
		case x.IsPercent() && f == Facts{}:
			if f.Lo, f.Hi, err = v.Range(ctx); err != nil {
				return Recipe{}, err
			}
		case x.IsAuto() && p.Name != "radius": // a radius follows from the sigma
			if f, err = FactsOfContext(ctx, v); err != nil {
				return Recipe{}, err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return Recipe{}, err
	}
	return r.Resolve(v.Geometry, f)
}

// Resolved says whether the recipe holds plain numbers only, so that it can be
// run without reading the whole volume first.
func (r Recipe) Resolved() bool {
	filter, err := FilterByName(r.Filter)
	if err != nil {
		return false
	}
	for _, p := range filter.Params {
		v := r.Get(p.Name)
		if v.IsAuto() || v.IsPercent() || (p.Name == "radius" && len(v.Ints()) != 3) {
			return false
		}
	}
	return true
}

// windowRadius is the parameter "radius" in voxels along x, y and z.
func (r Recipe) windowRadius(g volume.Geometry) ([3]int, error) {
	var radius [3]int
	v := r.Get("radius")
	list := v.Ints()
	for c := range r.Dims {
		switch {
		case v.IsAuto():
			sigma := r.Get("sigma-spatial").Float()
			reach := math.Ceil(2 * sigma * r.perVoxel(g, c))
			if reach > windowRadius.Max {
				return radius, fmt.Errorf("%s: a spatial sigma of %g reaches %.0f voxels along %c, more than %g; make it smaller or give a radius",
					r.Filter, sigma, reach, 'x'+rune(c), windowRadius.Max)
			}
			radius[c] = int(reach)
		case len(list) == 1:
			radius[c] = list[0]
		default:
			radius[c] = list[c]
		}
	}
	return radius, nil
}

func rising(xs []int) bool {
	for i := 1; i < len(xs); i++ {
		if xs[i] <= xs[i-1] {
			return false
		}
	}
	return true
}

// perVoxel is what one voxel of the spatial sigma's unit is worth along axis
// c: sigma * perVoxel is sigma in voxels.
func (r Recipe) perVoxel(g volume.Geometry, c int) float64 {
	if r.Get("voxel-units").On() {
		return 1
	}
	return 1 / g.Spacing[c]
}

// radii spreads a resolved radius; in two dimensions nothing reaches along z.
func (r Recipe) radii(n ...int) [3]int {
	var out [3]int
	for c := range r.Dims {
		out[c] = n[min(c, len(n)-1)]
	}
	return out
}

// Reach returns how far, in voxels along each axis, the result at a voxel
// depends on the input: the halo that a region needs around it. r is resolved.
func Reach(r Recipe, g volume.Geometry) [3]int {
	switch r.Filter {
	case "nlm":
		p := r.NLM()
		return r.radii(p.SearchRadius[0] + p.PatchRadius[0])
	case "lpa":
		return r.radii(slices.Max(r.LPA().Scales) - 1)
	case "median":
		return r.Median().Radius
	}
	return r.Gaussian(g).Radius
}

// NLMParams are the numbers of a resolved nlm recipe.
type NLMParams struct {
	PatchRadius  [3]int     // voxels along x, y, z; 0 along z in 2-D
	SearchRadius [3]int     // voxels along x, y, z; 0 along z in 2-D
	Taps         []float64  // patch weights along one axis, 2f+1 of them, sum 1; a_k is the product over the axes
	H            float64    // the volume's unit, > 0
	Sigma        float64    // the volume's unit
	Centre       CentreRule // weight of the voxel itself
	LK           int        // 0: Gaussian weighting; 1..4: lk weighting of that norm
	Rician       bool       // average squares
}

// CentreRule says which weight a voxel has in its own mean.
type CentreRule int

// The rules of FILTERS.md.
const (
	CentreMax CentreRule = iota // the largest of the other weights, 1 where there is no other
	CentreOne                   // the weight of a perfect match
)

// NLM returns the numbers of a resolved nlm recipe.
func (r Recipe) NLM() NLMParams {
	f := r.Get("patch-radius").Int()
	p := NLMParams{
		PatchRadius:  r.radii(f),
		SearchRadius: r.radii(r.Get("search-radius").Int()),
		Taps:         make([]float64, 2*f+1),
		H:            r.Get("h").Float(),
		Sigma:        r.Get("sigma").Float(),
		Rician:       r.Get("rician").On(),
	}
	if r.Get("centre").String() == "one" {
		p.Centre = CentreOne
	}
	if r.Get("weighting").String() == "lk" {
		p.LK = r.Get("k").Int()
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

// GaussianParams are the numbers of a resolved gaussian recipe, and the spatial
// half of a bilateral one.
type GaussianParams struct {
	Radius [3]int     // voxels along x, y, z
	Scale  [3]float64 // voxels to sigmas: g = exp(-1/2 sum_a (d_a Scale_a)^2), d in voxels
}

// Taps returns the factor of g along axis c for d = -Radius..Radius.
func (p GaussianParams) Taps(c int) []float64 {
	taps := make([]float64, 2*p.Radius[c]+1)
	for k := range taps {
		d := float64(k-p.Radius[c]) * p.Scale[c]
		taps[k] = math.Exp(-0.5 * d * d)
	}
	return taps
}

// Gaussian returns the numbers of a resolved gaussian or bilateral recipe on a
// volume of geometry g.
func (r Recipe) Gaussian(g volume.Geometry) GaussianParams {
	p := GaussianParams{Radius: r.radii(r.Get("radius").Ints()...)}
	sigma := r.Get("sigma-spatial").Float()
	for c := range 3 {
		p.Scale[c] = 1 / (sigma * r.perVoxel(g, c))
	}
	return p
}

// BilateralParams are the numbers of a resolved bilateral recipe.
type BilateralParams struct {
	GaussianParams
	SigmaRange float64 // the volume's unit, > 0
}

// Bilateral returns the numbers of a resolved bilateral recipe on a volume of
// geometry g.
func (r Recipe) Bilateral(g volume.Geometry) BilateralParams {
	return BilateralParams{GaussianParams: r.Gaussian(g), SigmaRange: r.Get("sigma-range").Float()}
}

// MedianParams are the numbers of a resolved median recipe.
type MedianParams struct {
	Radius [3]int // voxels along x, y, z
}

// Median returns the numbers of a resolved median recipe.
func (r Recipe) Median() MedianParams {
	return MedianParams{Radius: r.radii(r.Get("radius").Ints()...)}
}

// LPAParams are the numbers of a resolved lpa recipe.
type LPAParams struct {
	Gamma  float64 // half width of the confidence intervals in standard deviations
	Sigma  float64 // the volume's unit
	Scales []int   // voxels, rising
}

// LPA returns the numbers of a resolved lpa recipe.
func (r Recipe) LPA() LPAParams {
	return LPAParams{Gamma: r.Get("gamma").Float(), Sigma: r.Get("sigma").Float(), Scales: r.Get("scales").Ints()}
}
