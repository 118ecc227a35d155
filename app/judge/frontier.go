package judge

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"quell/app/engines"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/series"
)

// Setting is what a strength leaves.
type Setting struct {
	Strength float64 `json:"strength"` // percent
	verdict.Figures
}

// Frontier says what a filter keeps for the noise that it removes, over its strength.
type Frontier struct {
	Filter   string         `json:"filter"`
	Recipe   denoise.Recipe `json:"recipe"`   // resolved, at full strength
	Settings []Setting      `json:"settings"` // from strength 0 to 100; nil if Problem says why there are none
	// Dial is the highest strength within verdict.Usual; nil if only the original is.
	Dial    *Setting        `json:"dial,omitempty"`
	Code    message.Kind    `json:"code,omitempty"` // of the problem
	Problem message.Message `json:"problem,omitzero"`
}

// frontierStep is the distance of the strengths of a frontier.
const frontierStep = 10

// FrontierRequest asks what filters do to a series.
type FrontierRequest struct {
	Series *series.Series
	Maps   run.Maps       // that steer the filters
	Facts  *denoise.Facts // of Series.Volume, or nil to find them
	Engine denoise.Engine
}

// tissue returns the homogeneous regions in which the filters are judged, and the facts.
func (q FrontierRequest) tissue(ctx context.Context) (*lesions.Tissue, denoise.Facts, error) {
	in := q.Maps.Input(q.Series.Volume)
	facts, err := Input{Before: q.Series, Maps: q.Maps, Facts: q.Facts}.facts(ctx)
	if err != nil {
		return nil, facts, err
	}
	tissue, err := run.TissueOf(ctx, in, facts)
	return tissue, facts, err
}

// choose finds the strength of the automatic form of a filter, which it returns too.
func (q FrontierRequest) choose(ctx context.Context, filter string, tissue *lesions.Tissue, facts *denoise.Facts) (c run.Choice, asked denoise.Recipe, err error) {
	dims, err := run.ProposeDims(q.Series, filter)
	if err != nil {
		return c, asked, err
	}
	if asked, err = denoise.NewRecipe(filter, dims); err != nil {
		return c, asked, err
	}
	e := facts.Noise
	if q.Maps.Noise != nil {
		e = noise.Estimate{} // sigmas of a map are no numbers
	}
	c, err = run.Chooser{Noise: e, Asked: asked, Tissue: tissue, Engine: q.Engine, Resolve: func(r denoise.Recipe) (denoise.Recipe, error) {
		request := run.Request{Series: q.Series, Recipe: r, Maps: q.Maps, Facts: facts}
		r, _, err := request.Resolve(ctx, q.Engine, q.Maps.Input(q.Series.Volume))
		return r, err
	}}.Choose(ctx)
	return c, asked, err
}

// Frontiers returns the frontier of every filter in its automatic form: each from one run on homogeneous regions.
// They are sorted by the noise that is removed where the dial stops, the most first. A filter that
// cannot run says why. The error is the context's, about the series, or wraps engines.ErrFailed. ready
// gets each filter that was measured; it may be nil.
func Frontiers(ctx context.Context, q FrontierRequest, ready func(Frontier)) (all []Frontier, err error) {
	tissue, facts, err := q.tissue(ctx)
	if err != nil {
		return nil, err
	}
	if q.Maps.Noise == nil && facts.Noise.Weak() {
		return nil, &job.InputError{Path: job.TheSeries, Problem: tooWeak, Advice: message.Text("give a series with noise")}
	}
	if len(tissue.At) == 0 {
		return nil, noTissue()
	}
	for _, f := range denoise.Filters() {
		one := Frontier{Filter: f.Name}
		c, _, err := q.choose(ctx, f.Name, tissue, &facts)
		if err == nil {
			if one = FrontierOf(c); one.Settings == nil {
				err = noTissue()
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, engines.ErrFailed) { // it would fail at the other filters too
			return nil, err
		}
		if err != nil {
			one.Problem, one.Code = message.Of(err), message.KindOf(err)
		}
		all = append(all, one)
		if ready != nil && err == nil {
			ready(one)
		}
	}
	if !slices.ContainsFunc(all, func(f Frontier) bool { return f.Settings != nil }) {
		return nil, noTissue()
	}
	slices.SortStableFunc(all, func(a, b Frontier) int { return cmp.Compare(a.Left(), b.Left()) })
	return all, nil
}

// Left returns the share of the noise that is left where the dial stops: 1 if only the original is within
// the bounds, infinity if nothing is known.
func (f Frontier) Left() float64 {
	switch {
	case f.Settings == nil:
		return math.Inf(1)
	case f.Dial == nil:
		return 1
	}
	return 1 - float64(f.Dial.NoiseRemoved)
}

// FrontierOf returns the frontier of a choice.
func FrontierOf(c run.Choice) Frontier {
	one := Frontier{Filter: c.Filter, Recipe: c.Recipe.Equalised(denoise.MixStrength.Default.Float(), nil)}
	if !c.Figures.Noise().Known() {
		return one
	}
	for strength := 0.0; strength < 100; strength += frontierStep {
		w, _ := c.Dial.At(strength)
		one.Settings = append(one.Settings, Setting{strength, c.Response.Figures(w)})
	}
	one.Settings = append(one.Settings, Setting{100, c.Full})
	if c.Strength > 0 {
		one.Dial = &Setting{c.Strength, c.Figures}
	}
	return one
}
