package judge

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"quell/app/engines"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/internal/message"
)

// Frontier says what a filter leaves of the contrast of visible objects for the noise that it leaves, over the strength
// of the mixture.
type Frontier struct {
	Filter   string            `json:"filter"`
	Recipe   denoise.Recipe    `json:"recipe"`   // resolved, at full strength
	Settings []lesions.Setting `json:"settings"` // from strength 0 to 100; nil if Problem says why there are none
	// Dial is the highest strength within lesions.UsualBounds; nil if only the original is.
	Dial    *lesions.Setting `json:"dial,omitempty"`
	Code    message.Kind     `json:"code,omitempty"` // of the problem
	Problem message.Message  `json:"problem,omitzero"`
}

// frontierStep is the distance of the strengths of a frontier.
const frontierStep = 5

// Frontiers returns the frontier of every filter in its automatic form, whichever recipe q has: each from one run on
// the virtual lesions. They are sorted by the noise that is left where the dial stops, the least first. A filter that
// cannot run says why. The error is the context's, about the request or the series, or wraps engines.ErrFailed. ready
// gets each filter that was measured; it may be nil.
func Frontiers(ctx context.Context, q LesionRequest, ready func(Frontier)) (all []Frontier, err error) {
	facts, err := run.FactsOf(ctx, q.Series.Volume, q.Facts, denoise.FactsOf)
	if err != nil {
		return nil, err
	}
	q.Facts = &facts
	var first error
	measured := false
	for _, f := range denoise.Filters() {
		one, err := frontier(ctx, q, f)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, engines.ErrFailed) { // it would fail at the other filters too
			return nil, err
		}
		if err != nil {
			one.Problem, one.Code = message.Of(err), message.KindOf(err)
			first = cmp.Or(first, err)
		}
		measured = measured || err == nil
		all = append(all, one)
		if ready != nil && err == nil {
			ready(one)
		}
	}
	if !measured { // what the series or the request lacks
		return nil, first
	}
	slices.SortStableFunc(all, func(a, b Frontier) int { return cmp.Compare(a.Left(), b.Left()) })
	return all, nil
}

// Left returns the noise that is left where the dial stops, relative to the original's: 1 if only the original is within
// the bounds, infinity if nothing is known.
func (f Frontier) Left() float64 {
	switch {
	case f.Settings == nil:
		return math.Inf(1)
	case f.Dial == nil:
		return 1
	}
	return f.Dial.Noise
}

// frontier measures one filter.
func frontier(ctx context.Context, q LesionRequest, f denoise.Filter) (one Frontier, err error) {
	one.Filter = f.Name
	dims, err := run.ProposeDims(q.Series, f.Name)
	if err != nil {
		return one, err
	}
	if q.Recipe, err = denoise.NewRecipe(f.Name, dims); err != nil {
		return one, err
	}
	return FrontierOf(ctx, q)
}

// FrontierOf returns the frontier of the recipe of a request, which is at full strength. The error is that of Lesions.
func FrontierOf(ctx context.Context, q LesionRequest) (Frontier, error) {
	one := Frontier{Filter: q.Recipe.Filter, Recipe: q.Recipe}
	p, err := Lesions(ctx, q)
	if err != nil {
		return one, err
	}
	one.Recipe = p.Recipe
	d, ok := p.Dial()
	if !ok {
		return one, message.Errorf(message.VerdictNone, "the noise at the places of even tissue is no ground for a strength")
	}
	for strength := 0.0; strength <= 100; strength += frontierStep {
		_, s := d.At(strength)
		one.Settings = append(one.Settings, s)
	}
	if s, ok := p.Strongest(); ok {
		one.Dial = &s
	}
	return one, nil
}
