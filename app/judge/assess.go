// Package judge measures results: noise removed, contrast kept and texture kept, what is said of them, the figures
// against an input and a reference, the noise of every voxel, and the comparison of all filters.
package judge

import (
	"context"
	"errors"
	"math"

	"quell/app/engines"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// Verdict is what the figures of a result amount to.
type Verdict struct {
	Judgement verdict.Word    `json:"judgement"`
	Why       message.Message `json:"why"`            // one sentence, or two
	Code      message.Kind    `json:"code,omitempty"` // of the reason
	verdict.Figures
}

// In returns the verdict on a part with the word of the whole, unless its own figures exclude those. A verdict for another reason
// stays.
func (v Verdict) In(whole verdict.Figures) Verdict {
	if _, why := verdict.Usual.Judge(v.Figures); why.Same(v.Why) {
		return v.of(v.Figures.In(whole))
	}
	return v
}

// of returns the verdict with the word of figures.
func (v Verdict) of(f verdict.Figures) Verdict {
	v.Judgement, v.Why = verdict.Usual.Judge(f)
	v.Code = v.Why.Kind()
	return v
}

// Assessment says how well a result is denoised, without a reference. Its numbers
// are numbers of the foreground, at which a person looks and in which the noise is
// known.
type Assessment struct {
	Verdict
	// Places are those at which something was removed or added that the filter did not, the most certain first.
	Places []tune.Finding `json:"places"`
	// Mismatch is why a result of another program is none of this input; nil if it may be one.
	Mismatch        *Mismatch        `json:"mismatch,omitempty"`
	Sigma           float64          `json:"sigma"` // of the input's noise, in its unit; of the slice if one is judged
	SigmaConfidence noise.Confidence `json:"sigma_confidence"`
	SigmaLow        float64          `json:"sigma_low"`     // the noise is hardly below
	SigmaHigh       float64          `json:"sigma_high"`    // nor above
	ResidualMean    measure.Float    `json:"residual_mean"` // in the unit of the input; NaN without foreground
	ResidualSD      measure.Float    `json:"residual_sd"`
	Unit            string           `json:"unit,omitempty"`
	tune.Inspection
	Slices []SliceAssessment `json:"slices,omitempty"` // of the region, if it has several
}

// SliceAssessment is what is known of one slice.
type SliceAssessment struct {
	Verdict
	Sigma           float64          `json:"sigma"` // its own; 0 if it has none
	SigmaConfidence noise.Confidence `json:"sigma_confidence"`
	ResidualSD      measure.Float    `json:"residual_sd"` // of its foreground
	Structure       float64          `json:"structure"`
}

// Input is what Assess looks at.
type Input struct {
	Before *series.Series
	After  *volume.Volume // the result: the voxels of Region
	Region volume.Region  // of Before that is judged; zero: all of it
	Maps   run.Maps       // that steered the filter
	Mask   []bool         // voxels that count, nil for all
	// Recipe is how After was made, resolved. Without it places are looked for by
	// the filter with the result most like After.
	Recipe *denoise.Recipe
	Made   bool           // Recipe is known to have made After; otherwise it is run again to see
	Facts  *denoise.Facts // denoise.FactsFor of Before and Maps, or nil to find them
	Engine denoise.Engine // runs the recipe again, and the CPU after its device failed; nil: the CPU
	// WithoutMap leaves out the map of the structure, which is as large as After.
	WithoutMap bool
	// Together says that it is a volume of a 4-D series that is judged as a whole: places are not looked for.
	Together bool
}

// Assess judges a result by what it did in homogeneous regions of its input. The error is the context's,
// or the engine's.
func Assess(ctx context.Context, in Input) (Assessment, error) {
	g, err := in.ground(ctx)
	if err != nil {
		return Assessment{}, err
	}
	before := in.Before.Volume
	if in.Region == (volume.Region{}) {
		in.Region = before.Bounds()
	}
	a := Assessment{Unit: before.Unit, Places: []tune.Finding{}}
	if in.Together || in.Recipe != nil && in.Recipe.SeriesFilter() != nil {
		g.together, in.Made = true, true
	}
	whole := in.Region == before.Bounds()
	match := func(look bool) {
		if look && whole && a.Mismatch == nil {
			a.Mismatch = mismatched(before, in.After, g.noise.Figure, g.counts)
		}
	}
	match(in.Recipe == nil)
	result := tune.Result{
		Input: in.Maps.Input(before), After: in.After, Region: in.Region, Recipe: in.Recipe, Made: in.Made, Noise: g.noise, Foreground: g.counts, WithoutMap: in.WithoutMap,
	}
	err = in.onEngine(ctx, func(e denoise.Engine) error {
		if a.Mismatch == nil && !in.Together {
			a.Inspection, err = tune.Inspect(ctx, e, result)
		}
		return err
	})
	if err != nil {
		return Assessment{}, err
	}
	if match(a.Found != nil); a.Mismatch != nil {
		a.Found, g.doubt = nil, a.Mismatch.why
	}
	if err := a.describe(ctx, in, g); err != nil {
		return Assessment{}, err
	}
	a.locate(in.Region)
	return a, nil
}

// judge returns the verdict on slices of a result. sum holds the moments of their residual.
func (in Input) judge(ctx context.Context, g ground, part volume.Region, sum moments) (v Verdict, err error) {
	switch {
	case sum.n > 0 && sum.squares == 0:
		v.Figures = verdict.Unchanged()
	case !g.doubt.IsZero():
		return Verdict{Judgement: verdict.Unknown, Why: g.doubt, Code: g.doubt.Kind(), Figures: verdict.None()}, nil
	case g.together && part != in.Before.Volume.Bounds():
		return Verdict{Judgement: verdict.Unknown, Why: notAlone, Code: notAlone.Kind(), Figures: verdict.None()}, nil
	default:
		if v.Figures, err = in.figures(ctx, g, part); err != nil {
			return v, err
		}
	}
	if g.together && sum.squares > 0 {
		v.ContrastKept, v.ContrastKeptLow, v.ContrastKeptHigh = verdict.None().ContrastKept, verdict.None().ContrastKept, verdict.None().ContrastKept
		v.Judgement, v.Why, v.Code = verdict.Unknown, notAlone, notAlone.Kind()
		return v, nil
	}
	return v.of(v.Figures), nil
}

// figures returns the figures of slices of the result. A part of a slice, or a plane across the slices, has those of its
// recipe in the volume.
func (in Input) figures(ctx context.Context, g ground, part volume.Region) (f verdict.Figures, err error) {
	whole := in.Before.Volume.Bounds()
	across := part.Min[0] > 0 || part.Min[1] > 0 || part.Max[0] < whole.Max[0] || part.Max[1] < whole.Max[1]
	if across {
		part = whole
	}
	tissue, err := in.tissue(ctx, g, part)
	if err != nil || !across || in.Recipe == nil {
		return tissue.Of(in.After, in.Region).Figures(), err
	}
	err = in.onEngine(ctx, func(e denoise.Engine) error {
		sample, err := tissue.Run(ctx, e, *in.Recipe)
		f = sample.Figures()
		return err
	})
	return f, err
}

// tissue returns the homogeneous regions of a part: all of the volume, one slice, or several.
func (in Input) tissue(ctx context.Context, g ground, part volume.Region) (*lesions.Tissue, error) {
	switch part.Dims()[2] {
	case in.Before.Volume.Dims[2]:
		return g.tissue, nil
	case 1:
		return g.tissue.Slice(ctx, part.Min[2], g.counts)
	}
	return lesions.FindTissue(ctx, in.Maps.Input(in.Before.Volume), part, g.noise, g.counts)
}

// Worse reports whether a result is judged worse than another: places at which something was removed or added come first.
func (a Assessment) Worse(than Assessment) bool {
	if found, other := len(a.Places) > 0, len(than.Places) > 0; found != other {
		return found
	}
	return a.Judgement.Worse(than.Judgement)
}

// locate puts the place that was found before all figures: a result in which something was removed or added beside the
// work of its filter is not good, whatever its figures.
func (a *Assessment) locate(region volume.Region) {
	f := a.Found
	if f == nil {
		return
	}
	a.Places = append(a.Places, *f)
	word := verdict.Fades
	if f.Change == tune.Added || a.Foreign {
		word = verdict.Unknown
	}
	at := func(v *Verdict) { v.Judgement, v.Why, v.Code = word, a.FoundWhy, a.FoundWhy.Kind() }
	at(&a.Verdict)
	for z := range a.Slices {
		if k := region.Min[2] + z; a.Foreign || k >= f.Place.Slice && k < f.Place.Slice+f.Slices {
			at(&a.Slices[z].Verdict)
		}
	}
}

// ground is what verdicts rest on.
type ground struct {
	facts    denoise.Facts
	noise    noise.Estimate // with the confidence of the noise map, if there is one
	counts   func(i int) bool
	tissue   *lesions.Tissue // of the whole volume
	doubt    message.Message // of the noise map: why there is no verdict
	together bool            // it is a volume of a 4-D series that has no verdict alone
}

// ground finds what verdicts on the input rest on. The error is the context's.
func (in Input) ground(ctx context.Context) (g ground, err error) {
	if g.facts, err = in.facts(ctx); err != nil {
		return g, err
	}
	foreground, err := g.facts.ForegroundOf(ctx, in.Before.Volume)
	if err != nil {
		return g, err
	}
	g.noise, g.counts = g.facts.Noise, foreground // asked for every voxel, several times
	if in.Mask != nil {
		g.counts = func(i int) bool { return in.Mask[i] && foreground(i) }
	}
	if in.Maps.Noise != nil {
		if g.noise.Confidence, g.doubt, err = in.Maps.Trust(ctx, in.Before.Volume, g.counts); err != nil {
			return g, err
		}
	}
	v := in.Maps.Input(in.Before.Volume)
	if in.Mask == nil {
		g.tissue, err = run.TissueOf(ctx, v, g.facts)
	} else {
		g.tissue, err = lesions.FindTissue(ctx, v, volume.Region{}, g.noise, g.counts)
	}
	return g, err
}

// notAlone is why there is no verdict on a volume of a 4-D series that was filtered or is judged with the others.
var notAlone = message.New(message.VerdictNone, "The volumes of a 4-D series are judged together: one of them has no verdict; the numbers are those of what was removed.")

// onEngine calls judge with the engine, and again with the CPU if the device fails.
func (in Input) onEngine(ctx context.Context, judge func(denoise.Engine) error) error {
	if in.Engine == nil {
		return judge(engines.CPU())
	}
	err := judge(in.Engine)
	if errors.Is(err, engines.ErrFailed) && ctx.Err() == nil {
		err = judge(engines.CPU())
	}
	return err
}

// facts returns the known facts, or finds them. Under a noise map the facts of the
// series alone do not serve.
func (in Input) facts(ctx context.Context) (denoise.Facts, error) {
	if in.Maps.Noise != nil && (in.Facts == nil || in.Facts.Usual == 0) {
		return in.Maps.FactsOf(ctx, in.Before.Volume, nil)
	}
	return run.FactsOf(ctx, in.Before.Volume, in.Facts, denoise.VerdictFacts)
}

// describe fills in the verdicts, the noise of the input and the numbers of the residual, of all and
// of each slice. Sigma of a noise map is its root mean square. The error is the context's.
func (a *Assessment) describe(ctx context.Context, in Input, g ground) error {
	before, d := in.Before.Volume, in.Region.Dims()
	slices := make([]SliceAssessment, d[2])
	residuals, sigmas := make([]moments, d[2]), make([]moments, d[2]) // of each slice
	err := parallel.For(ctx, d[2], func(k int) (err error) {
		z := in.Region.Min[2] + k
		var own, sigma moments
		for y := range d[1] {
			from, to := before.Index(in.Region.Min[0], in.Region.Min[1]+y, z), in.After.Index(0, y, k)
			for x := range d[0] {
				if before.Valid(from+x) && g.counts(from+x) {
					own.add(float64(before.Data[from+x]) - float64(in.After.Data[to+x]))
					if in.Maps.Noise != nil {
						sigma.add(float64(in.Maps.Noise.Data[from+x]))
					}
				}
			}
		}
		residuals[k], sigmas[k] = own, sigma
		s := &slices[k]
		s.ResidualSD = measure.Float(own.sd())
		switch {
		case sigma.n > 0:
			s.Sigma, s.SigmaConfidence = sigma.rms(), g.noise.Confidence
		case z < len(g.noise.PerSlice):
			s.Sigma, s.SigmaConfidence = g.noise.PerSlice[z].Sigma, g.noise.PerSlice[z].Confidence
		}
		if k < len(a.Inspection.Slices) {
			s.Structure = a.Inspection.Slices[k]
		}
		if d[2] > 1 {
			s.Verdict, err = in.judge(ctx, g, volume.Slices(before.Geometry, z, z+1), own)
		}
		return err
	})
	if err != nil {
		return err
	}
	var all, mapped moments
	for k := range slices {
		all, mapped = all.plus(residuals[k]), mapped.plus(sigmas[k])
	}
	a.ResidualMean, a.ResidualSD = measure.Float(all.sum/all.n), measure.Float(all.sd())
	figure := g.noise.Figure
	switch {
	case in.Maps.Noise != nil:
		figure.Sigma = mapped.rms()
		figure.Low, figure.High = figure.Sigma, figure.Sigma
	case d[2] == 1:
		figure = g.noise.Slice(in.Region.Min[2])
	}
	a.Sigma, a.SigmaLow, a.SigmaHigh, a.SigmaConfidence = figure.Sigma, figure.Low, figure.High, figure.Confidence
	if a.Verdict, err = in.judge(ctx, g, in.Region, all); err != nil || len(slices) == 1 {
		return err
	}
	for k := range slices { // with few regions each
		slices[k].Verdict = slices[k].Verdict.In(a.Figures)
	}
	a.Slices = slices
	return nil
}

// moments are the sums of values.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { m.n, m.sum, m.squares = m.n+1, m.sum+x, m.squares+x*x }

func (m moments) plus(o moments) moments {
	return moments{m.n + o.n, m.sum + o.sum, m.squares + o.squares}
}

// sd returns the standard deviation; NaN without values.
func (m moments) sd() float64 {
	return math.Sqrt(max(m.squares/m.n-m.sum*m.sum/(m.n*m.n), 0))
}

// rms returns the root mean square; 0 without values.
func (m moments) rms() float64 { return math.Sqrt(m.squares / max(m.n, 1)) }
