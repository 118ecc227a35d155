package judge

import (
	"cmp"
	"context"

	"quell/denoise/lesions"
	"quell/denoise/noise"
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

// see adds the verdict on visibility and joins both: a result in which an object fades that was visible
// before is over, whatever its error. counts says which voxels are judged. The error is the context's, or the
// engine's.
func (a *Assessment) see(ctx context.Context, in Input, e noise.Estimate, usual float64, counts func(int) bool) error {
	v := Visibility{Error: a.Verdict, ErrorWhy: a.Why}
	unknown := func(why message.Message) error {
		v.Visibility = lesions.Visibility{Verdict: lesions.Unknown, Why: why}
		a.Visibility = &v
		return nil
	}
	if in.Recipe == nil {
		return unknown(message.New(message.VerdictNone, "The recipe is not known, so that no virtual lesion can be filtered with it."))
	}
	if why := unmeasurable(e); !why.IsZero() {
		return unknown(why.Sentence())
	}
	q := lesions.Request{Input: in.Maps.Input(in.Before.Volume), Recipe: *in.Recipe, Noise: e, Foreground: counts, Seed: lesions.UsualSeed}
	p, err := lesions.MeasureUsual(ctx, in.Engine, q, cmp.Or(usual, e.Sigma))
	if message.KindOf(err) == message.VerdictNone {
		return unknown(message.Of(err).Sentence())
	}
	if err != nil {
		return err
	}
	v.Visibility, v.Summary, v.Rows, v.Places = p.Visibility(), p.String(), p.Rows, p.Places
	a.Visibility = &v
	if v.Verdict == lesions.Over && a.Verdict != tune.Unknown && a.Verdict != tune.Over {
		a.Verdict, a.Why, a.Code = tune.Over, v.Why, v.Why.Kind()
	}
	return nil
}
