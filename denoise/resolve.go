package denoise

import (
	"context"
	"fmt"
	"slices"

	"quell/denoise/noise"
	"quell/internal/message"
	"quell/volume"
)

// Resolve returns the recipe with every automatic value, named rule, multiple of sigma and
// percentage replaced by a number, and every number per axis by three, for a volume of geometry g with facts
// f. A resolved recipe gives the same result on a part of the volume as on the whole of it.
// Parameters that the recipe ignores are left at their default. If the facts are the facts of a
// volume divided by its noise map, values in the volume's unit become multiples of sigma: a plain
// number is divided by the sigma that is usual in the map. If the recipe stabilises the noise,
// automatic values and percentages follow from the stabilised volume, times the sigma by which it
// is stabilised. If the recipe gives the noise, as a number above 0 for its sigma, all other automatic
// values follow from it.
//
// If a percentage or a multiple of sigma comes to 0, [Facts.Negligible] stands in for it: the filter
// then averages equal voxels only, and the volume stays as it is. The error names the value that
// cannot be used: a multiple of sigma if the noise cannot be estimated, a strength that sure has not
// found yet.
func (r Recipe) Resolve(g volume.Geometry, f Facts) (Recipe, error) {
	if err := r.Validate(); err != nil {
		return Recipe{}, err
	}
	filter, err := FilterByName(r.Filter)
	if err != nil {
		return Recipe{}, err
	}
	out := r
	out.InSigmas = r.InSigmas || f.Usual > 0
	out.Params = make(map[string]Value, len(filter.Params))
	f = r.Given(f)
	unit := 1.0 // of the values that the facts of a stabilised volume give
	// The stabilisation comes first, as it changes the facts for the others.
	for _, p := range slices.Backward(filter.Params) {
		v := p.Default
		if r.ignores(p).IsZero() {
			given := p.inSigmas(r, f)
			if v, err = p.resolve(r, given, g, f); err != nil {
				return Recipe{}, message.Named(r.Filter, err)
			}
			switch {
			case p.Name == stabiliseName && v.num > 0:
				unit, f = v.num, f.stabilised(r, v.num)
			case p.Unit == valueUnit && !given.IsNumber():
				v.num = p.clamp(v.num * unit)
			}
		}
		out.Params[p.Name] = v
	}
	for _, p := range filter.Params { // a value that was found may leave another without effect
		if !out.ignores(p).IsZero() {
			out.Params[p.Name] = p.Default
		}
	}
	if out.Equalises() { // not found: the share of the strength, at all frequencies alike
		out.Equaliser = nil
	}
	return out, nil
}

// Given returns the facts with the noise that the recipe gives as the sigma of its filter, in the place of the
// estimate, which may be wrong, negligible or missing.
func (r Recipe) Given(f Facts) Facts {
	filter, err := FilterByName(r.Filter)
	if err != nil {
		return f
	}
	p, ok := filter.Param(SigmaName)
	if !ok || !r.ignores(p).IsZero() {
		return f
	}
	if v := p.inSigmas(r, f); v.kind == kindNumber && v.num > 0 {
		return f.WithNoise(v.num, 0)
	}
	return f
}

// SigmaName is the parameter of filters that take the noise as a number.
const SigmaName = "sigma"

// ResolveFor is Resolve for a recipe that runs once on in. It reads the volume
// only for what the recipe's automatic values depend on, since the noise
// estimate takes longer than most filters. Voxels that in.Mask excludes do not
// count. The error may be the context's.
func (r Recipe) ResolveFor(ctx context.Context, in Input) (Recipe, error) {
	if err := r.Validate(); err != nil {
		return Recipe{}, err
	}
	if r.InSigmas && !r.Normalises(in) {
		return Recipe{}, message.Errorf(message.RecipeInput, "%s: the numbers of the recipe count in sigmas of a noise map; give the noise map", r.Filter)
	}
	var f Facts
	var err error
	width, sigma := r.Needs()
	switch {
	case r.Normalises(in) && !(r.InSigmas && r.Resolved()):
		if sigma {
			f, err = FactsFor(ctx, in)
		} else {
			f, err = FactsInSigmas(ctx, in, nil)
		}
	case sigma:
		f, err = FactsOf(ctx, in.Masked())
	case width:
		f.Lo, f.Hi, err = in.Masked().Range(ctx)
	default:
		err = ctx.Err()
	}
	if err != nil {
		return Recipe{}, err
	}
	return r.Resolve(in.Volume.Geometry, f)
}

// Needs reports which facts Resolve uses for the recipe: the range of the values,
// the noise. A recipe that needs the noise needs the range as well.
func (r Recipe) Needs() (width, sigma bool) {
	filter, err := FilterByName(r.Filter)
	if err != nil {
		return false, false
	}
	for _, p := range filter.Params {
		v := r.Get(p.Name)
		if !r.ignores(p).IsZero() {
			continue
		}
		sigma = sigma || v.IsSigmas() || p.ruled(v) || (v.IsAuto() && p.Auto.noise(r))
		width = width || v.IsPercent() || sigma
	}
	return width, sigma
}

// ProgramFor checks what [Engine.Run] is given, resolves the recipe for it and binds
// it: the first step of a run on every engine.
func (r Recipe) ProgramFor(ctx context.Context, in Input, region volume.Region) (Program, error) {
	if err := ctx.Err(); err != nil {
		return Program{}, err
	}
	if err := in.Check(); err != nil {
		return Program{}, err
	}
	if err := region.Validate(in.Volume.Geometry); err != nil {
		return Program{}, err
	}
	r, err := r.ResolveFor(ctx, in)
	if err != nil {
		return Program{}, err
	}
	p, err := r.Bind(in.Volume.Geometry)
	if err != nil {
		return Program{}, err
	}
	if r.Normalises(in) {
		p = p.Normalised(in.usualSigma())
	}
	if p, err = p.upTo(ctx); err != nil {
		return Program{}, err
	}
	if err := p.Accepts(in); err != nil {
		return Program{}, err
	}
	return p, nil
}

// Outline returns the passes that a run of r on a volume of geometry g has, for
// plans: their extents and their work, which facts do not change. A recipe that
// counts in sigmas has the sigmas of a noise map.
func (r Recipe) Outline(g volume.Geometry) (Program, error) {
	if err := g.Validate(); err != nil {
		return Program{}, err
	}
	resolved, err := r.Resolve(g, Facts{Lo: 0, Hi: 1, Noise: noise.Known(1), PseudoSigma: 1})
	if err != nil {
		return Program{}, err
	}
	p, err := resolved.Bind(g)
	if err == nil && r.InSigmas {
		p = p.Normalised(1)
	}
	return p, err
}

// Resolved reports whether the recipe holds plain values only, so that it can
// run without reading the whole volume first. Ignored parameters do not count.
func (r Recipe) Resolved() bool {
	filter, err := FilterByName(r.Filter)
	if err != nil {
		return false
	}
	for _, p := range filter.Params {
		v := r.Get(p.Name)
		off := p.Name == stabiliseName && v.IsAuto() && !r.mayStabilise() // as in records from before it
		if r.ignores(p).IsZero() && !p.resolved(v) && !off {
			return false
		}
	}
	return true
}

// Bind returns the passes of a resolved recipe for volumes of geometry g.
func (r Recipe) Bind(g volume.Geometry) (Program, error) {
	if err := r.Validate(); err != nil {
		return Program{}, err
	}
	if !r.Resolved() {
		return Program{}, fmt.Errorf("%s: the recipe is not resolved", r.Filter)
	}
	f, err := FilterByName(r.Filter)
	if err != nil {
		return Program{}, err
	}
	p, err := f.Bind(r.Unstabilised(), g)
	if err != nil {
		return Program{}, message.Named(r.Filter, err)
	}
	p.Recipe = r
	err = p.check()
	if err == nil && p.Reads(NoiseMap) != f.ReadsNoise {
		err = fmt.Errorf("its description and its passes disagree on whether it reads the noise map")
	}
	if err != nil {
		return Program{}, message.Named(r.Filter, err)
	}
	if sigma := r.Stabilisation(); sigma > 0 {
		p = p.stabilised(sigma)
	}
	if r.Mixed() < 1 {
		p = p.equalised(r.weights())
	}
	return p, nil
}

// Axes returns the three entries of a parameter per axis. Along z they are 0 in
// two dimensions.
func (r Recipe) Axes(name string) [3]int { return r.perAxis(r.Get(name)) }

// AxisNumbers returns the three numbers of a parameter per axis; the last that is given stands
// for the axes that follow. A value that is to be found counts as 0.
func (r Recipe) AxisNumbers(name string) [3]float64 {
	var axes [3]float64
	list := r.Get(name).Floats()
	if len(list) == 0 {
		return axes
	}
	for c := range axes {
		axes[c] = list[min(c, len(list)-1)]
	}
	return axes
}

// Isotropic returns n for each axis that the recipe filters along: 0 along z in
// two dimensions.
func (r Recipe) Isotropic(n int) [3]int { return r.perAxis(List(n)) }

func (r Recipe) perAxis(v Value) [3]int {
	var axes [3]int
	list := v.Ints()
	for c := range r.Dims {
		axes[c] = list[min(c, len(list)-1)]
	}
	return axes
}
