// Package judge measures results: the verdict, the figures against an input and a reference, the
// noise of every voxel, and the comparison of all filters.
package judge

import (
	"context"
	"errors"
	"math"

	"quell/app/engines"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// Assessment says how well a result is denoised, without a reference. Its numbers
// are numbers of the foreground, at which a person looks and in which the noise is
// known.
type Assessment struct {
	Sigma           float64          `json:"sigma"` // of the input's noise, in its unit; of the slice if one is judged
	SigmaConfidence noise.Confidence `json:"sigma_confidence"`
	SigmaLow        float64          `json:"sigma_low"`     // the noise is hardly below
	SigmaHigh       float64          `json:"sigma_high"`    // nor above
	ResidualMean    measure.Float    `json:"residual_mean"` // in the unit of the input; NaN without foreground
	ResidualSD      measure.Float    `json:"residual_sd"`
	Unit            string           `json:"unit,omitempty"`
	tune.Judgement
	Slices []SliceAssessment `json:"slices,omitempty"` // of the region, if it has several
	// Visibility is the second part of the verdict, which is joined; nil if Input.Lesions did not ask for it.
	Visibility *Visibility `json:"visibility,omitempty"`
}

// SliceAssessment is what is known of one slice.
type SliceAssessment struct {
	Sigma           float64          `json:"sigma"` // its own; 0 if it has none
	SigmaConfidence noise.Confidence `json:"sigma_confidence"`
	ResidualSD      measure.Float    `json:"residual_sd"` // of its foreground
	tune.SliceJudgement
}

// Input is what Assess looks at.
type Input struct {
	Before *series.Series
	After  *volume.Volume // the result: the voxels of Region
	Region volume.Region  // of Before that is judged; zero: all of it
	Maps   run.Maps       // that steered the filter
	Mask   []bool         // voxels that count, nil for all
	// Recipe is how After was made, resolved. Without it the verdict rests on the
	// filter with the result most like After and is less certain.
	Recipe *denoise.Recipe
	Made   bool           // Recipe is known to have made After; otherwise it is run again to see
	Facts  *denoise.Facts // denoise.FactsFor of Before and Maps, or nil to find them
	Curve  *tune.Curve    // of Recipe over its strength, or nil to find it
	Engine denoise.Engine // runs the recipe again on parts of the volume, and the CPU after its device failed; nil: the CPU
	// Lesions asks for the second part of the verdict, see [Assessment.Visibility].
	Lesions bool
	// WithoutMap leaves out the map of the structure, which is as large as After.
	WithoutMap bool
}

// Assess judges a result by the noise of its input. The error is the context's,
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
	a := Assessment{Unit: before.Unit}
	if in.Recipe != nil && in.Recipe.SeriesFilter() != nil {
		g.doubt = filteredTogether(*in.Recipe)
	}
	if !g.doubt.IsZero() {
		a.Judgement = tune.Judgement{Verdict: tune.Unknown, Confidence: noise.None, Why: g.doubt, Code: g.doubt.Kind()}
	} else {
		result := tune.Result{
			Input: in.Maps.Input(before), After: in.After, Region: in.Region, Recipe: in.Recipe, Made: in.Made, Noise: g.noise, Foreground: g.counts, Curve: in.Curve, WithoutMap: in.WithoutMap,
		}
		err = in.onEngine(ctx, func(e denoise.Engine) error {
			a.Judgement, err = tune.Judge(ctx, e, result)
			return err
		})
	}
	if err != nil {
		return Assessment{}, err
	}
	if in.Lesions {
		v, err := in.visibility(ctx, g)
		if err != nil {
			return Assessment{}, err
		}
		a.Join(v)
	}
	return a, a.describe(ctx, in, g.noise, g.counts)
}

// filteredTogether is why there is no verdict on a volume of a 4-D series that was filtered with the others: the recipe does not
// run on it alone.
func filteredTogether(r denoise.Recipe) message.Message {
	return message.New(message.VerdictNone, "%s filters all volumes of a 4-D series together, so that no verdict on one of them is found; the numbers are those of what was removed.", r.Filter)
}

// ground is what verdicts rest on.
type ground struct {
	facts  denoise.Facts
	noise  noise.Estimate // with the confidence of the noise map, if there is one
	counts func(i int) bool
	doubt  message.Message // of the noise map: why there is no verdict
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
		g.noise.Confidence, g.doubt, err = in.Maps.Trust(ctx, in.Before.Volume, g.counts)
	}
	return g, err
}

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
		return denoise.FactsFor(ctx, in.Maps.Input(in.Before.Volume))
	}
	return run.FactsOf(ctx, in.Before.Volume, in.Facts, denoise.VerdictFacts)
}

// describe fills in the noise of the input and the numbers of the residual, of all and
// of each slice. Sigma of a noise map is its root mean square. The error is the context's.
func (a *Assessment) describe(ctx context.Context, in Input, e noise.Estimate, counts func(int) bool) error {
	before, d := in.Before.Volume, in.Region.Dims()
	slices := make([]SliceAssessment, d[2])
	residuals, sigmas := make([]moments, d[2]), make([]moments, d[2]) // of each slice
	err := parallel.For(ctx, d[2], func(k int) error {
		z := in.Region.Min[2] + k
		var own, sigma moments
		for y := range d[1] {
			from, to := before.Index(in.Region.Min[0], in.Region.Min[1]+y, z), in.After.Index(0, y, k)
			for x := range d[0] {
				if before.Valid(from+x) && counts(from+x) {
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
			s.Sigma, s.SigmaConfidence = sigma.rms(), e.Confidence
		case z < len(e.PerSlice):
			s.Sigma, s.SigmaConfidence = e.PerSlice[z].Sigma, e.PerSlice[z].Confidence
		}
		switch {
		case len(a.Judgement.Slices) == len(slices):
			s.SliceJudgement = a.Judgement.Slices[k]
		default: // judged as one
			s.SliceJudgement = tune.SliceJudgement{Verdict: a.Verdict, Why: a.Why, Code: a.Code, Structure: a.Structure}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var all, mapped moments
	for k := range slices {
		all, mapped = all.plus(residuals[k]), mapped.plus(sigmas[k])
	}
	a.ResidualMean, a.ResidualSD = measure.Float(all.sum/all.n), measure.Float(all.sd())
	figure := e.Figure
	switch {
	case in.Maps.Noise != nil:
		figure.Sigma = mapped.rms()
		figure.Low, figure.High = figure.Sigma, figure.Sigma
	case d[2] == 1:
		figure = e.Slice(in.Region.Min[2])
	}
	a.Sigma, a.SigmaLow, a.SigmaHigh, a.SigmaConfidence = figure.Sigma, figure.Low, figure.High, figure.Confidence
	if len(slices) > 1 {
		a.Slices = slices
	}
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
