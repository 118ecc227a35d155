package judge

import (
	"cmp"
	"context"

	"quell/denoise"
	"quell/denoise/lesions"
	"quell/denoise/tune"
	"quell/internal/message"
)

// Visibility is the second part of a verdict: what the recipe leaves of virtual lesions in the series.
type Visibility struct {
	lesions.Visibility
	// Summary says how much lesions of each size keep, so that the smallest safe one can be read off.
	Summary string        `json:"summary,omitempty"`
	Rows    []lesions.Row `json:"rows,omitempty"`
	Places  int           `json:"places,omitempty"`
	// Error is the verdict on the error alone, and Why its reason.
	Error    tune.Verdict    `json:"error"`
	ErrorWhy message.Message `json:"error_why"`
}

// Visible returns what the recipe of a result leaves of virtual lesions in its input, without the verdict
// on the error. The error is the context's, or the engine's.
func Visible(ctx context.Context, in Input) (Visibility, error) {
	g, err := in.ground(ctx)
	if err != nil {
		return Visibility{}, err
	}
	return in.visibility(ctx, g)
}

// visibility is Visible on the ground of the input.
func (in Input) visibility(ctx context.Context, g ground) (v Visibility, err error) {
	unknown := func(why message.Message) (Visibility, error) {
		return Visibility{Visibility: lesions.Visibility{Verdict: lesions.Unknown, Why: why}}, nil
	}
	if in.Recipe == nil {
		return unknown(message.New(message.VerdictNone, "The recipe is not known, so that no virtual lesion can be filtered with it."))
	}
	if in.Recipe.SeriesFilter() != nil {
		return unknown(filteredTogether(*in.Recipe))
	}
	if !g.doubt.IsZero() {
		return unknown(g.doubt)
	}
	if why := unmeasurable(g.noise); !why.IsZero() {
		return unknown(why.Sentence())
	}
	q := lesions.Request{Input: in.Maps.Input(in.Before.Volume), Recipe: *in.Recipe, Noise: g.noise, Foreground: g.counts, Seed: lesions.UsualSeed}
	var p lesions.Panel
	err = in.onEngine(ctx, func(e denoise.Engine) error {
		p, err = lesions.MeasureUsual(ctx, e, q, cmp.Or(g.facts.Usual, g.noise.Sigma))
		return err
	})
	if message.KindOf(err) == message.VerdictNone {
		return unknown(message.Of(err).Sentence())
	}
	v.Visibility, v.Summary, v.Rows, v.Places = p.Visibility(), p.String(), p.Rows, p.Places
	return v, err
}

// Join adds the verdict on visibility: a result in which an object fades that was visible before is over,
// whatever its error.
func (a *Assessment) Join(v Visibility) {
	v.Error, v.ErrorWhy = a.Verdict, a.Why
	a.Visibility = &v
	if verdict, why := Joined(a.Verdict, a.Why, v.Visibility); verdict != a.Verdict {
		a.Verdict, a.Why, a.Code = verdict, why, why.Kind()
	}
}

// Joined returns the verdict of both parts, and its reason.
func Joined(verdict tune.Verdict, why message.Message, v lesions.Visibility) (tune.Verdict, message.Message) {
	if v.Verdict == lesions.Over && verdict != tune.Unknown && verdict != tune.Over {
		return tune.Over, v.Why
	}
	return verdict, why
}
