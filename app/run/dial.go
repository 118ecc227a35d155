package run

import (
	"cmp"
	"context"
	"time"

	"quell/app/job"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/internal/message"
)

// dial resolves a recipe whose strength is left to what stays visible: it runs the filter on virtual
// lesions in even tissue of the series, and takes the highest strength that keeps them and the texture of the
// noise, see [lesions.UsualBounds].
func (q *Request) dial(ctx context.Context, eng denoise.Engine, in denoise.Input) (denoise.Recipe, *Tuned, error) {
	started := time.Now()
	given := in
	in = q.Maps.Input(q.Series.Volume) // with the maps, which the caller may leave out
	asked := q.Recipe
	name := denoise.MixStrength.Name
	defer func() { q.Recipe = asked }()
	q.Recipe = asked.With(name, denoise.MixStrength.Default)
	full, tuned, err := q.Resolve(ctx, eng, given)
	if err != nil {
		return denoise.Recipe{}, nil, err
	}
	facts, err := factsFor(ctx, in, q.Facts)
	if err != nil {
		return denoise.Recipe{}, nil, err
	}
	if in.Noise == nil && in.Mask == nil {
		q.Facts = &facts
	}
	undecided := func(why message.Message) error {
		return &job.InputError{Path: job.TheSeries, Problem: why, Advice: message.Text("give the strength yourself")}
	}
	if unknown := facts.Noise.Sentence(); !unknown.IsZero() {
		return denoise.Recipe{}, nil, undecided(unknown.Clause())
	}
	if why := untunable(facts.Noise); !why.IsZero() {
		return denoise.Recipe{}, nil, undecided(why)
	}
	foreground, err := facts.ForegroundOf(ctx, in.Volume)
	if err != nil {
		return denoise.Recipe{}, nil, err
	}
	panel, err := lesions.MeasureUsual(ctx, eng, lesions.Request{Input: in, Recipe: full, Noise: facts.Noise, Foreground: foreground, Seed: lesions.UsualSeed}, cmp.Or(facts.Usual, facts.Noise.Sigma))
	if message.KindOf(err) == message.VerdictNone {
		return denoise.Recipe{}, nil, undecided(message.Of(err))
	}
	if err != nil {
		return denoise.Recipe{}, nil, err
	}
	setting, ok := panel.Strongest(lesions.UsualBounds)
	if !ok {
		return denoise.Recipe{}, nil, undecided(message.New(message.VisibilityLost, "no strength of %s keeps what is visible and the texture of the noise", full.Filter))
	}
	if tuned == nil {
		tuned = &Tuned{Noise: facts.Noise.Figure}
	}
	tuned.Dial, tuned.Recipe = &setting, full.With(name, denoise.Number(setting.Strength))
	tuned.Seconds = time.Since(started).Seconds()
	return tuned.Recipe, tuned, nil
}
