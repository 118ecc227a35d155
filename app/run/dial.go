package run

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"
	"weak"

	"quell/app/job"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/internal/message"
	"quell/volume"
)

// dial resolves a recipe whose strength is between the original and the filter alone: it runs the filter in
// homogeneous regions of the series and solves the equaliser that takes the strength. Of a strength that is left to what stays
// visible it takes the highest that keeps it and the noise's look, see [Choose]. A strength that is a number is taken
// at all frequencies alike if the series gives no ground.
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
	facts, err := q.Maps.FactsOf(ctx, q.Series.Volume, q.Facts)
	if err != nil {
		return denoise.Recipe{}, nil, err
	}
	if in.Noise == nil && in.Mask == nil {
		q.Facts = &facts
	}
	undecided := func(why message.Message) (denoise.Recipe, *Tuned, error) {
		if asked.Dials() {
			return denoise.Recipe{}, nil, &job.InputError{Path: job.TheSeries, Problem: why, Advice: message.Text("give the strength yourself")}
		}
		if tuned == nil {
			tuned = &Tuned{Noise: facts.Noise.Figure}
		}
		tuned.Recipe = full.Equalised(asked.Get(name).Float(), nil)
		tuned.Doubts = append(tuned.Doubts, message.New(message.VerdictNone, "The strength is taken at all frequencies alike: %s.", why))
		return tuned.Recipe, tuned, nil
	}
	if why := untunable(facts.Noise); !why.IsZero() {
		return undecided(why)
	}
	choice, err := solved(ctx, eng, in, full, facts, boundsOf(asked.Get(name)))
	if message.KindOf(err) == message.VerdictNone {
		return undecided(message.Of(err).Clause())
	}
	if err != nil {
		return denoise.Recipe{}, nil, err
	}
	if asked.Dials() && choice.Strength == 0 {
		return undecided(message.New(message.VisibilityLost, "no strength of %s keeps what is visible and the texture of the noise", full.Filter))
	}
	if !asked.Dials() {
		choice.take(asked.Get(name).Float())
	}
	if tuned == nil {
		tuned = &Tuned{Noise: facts.Noise.Figure}
	}
	tuned.Dial, tuned.Recipe = &choice.left, full.Equalised(choice.left.Strength, choice.weights)
	tuned.Seconds = time.Since(started).Seconds()
	return tuned.Recipe, tuned, nil
}

// dialKey names a dial, and without recipe and engine a tissue: it depends on nothing else.
type dialKey struct {
	volume, noise weak.Pointer[volume.Volume]
	mask          weak.Pointer[bool]
	recipe        string // at full strength, resolved
	sigma         float64
	engine        string
	bounds        lesions.Bounds
}

func dialKeyOf(in denoise.Input, f denoise.Facts) dialKey {
	key := dialKey{volume: weak.Make(in.Volume), noise: weak.Make(in.Noise), sigma: cmp.Or(f.Usual, f.Noise.Sigma)}
	if in.Mask != nil {
		key.mask = weak.Make(&in.Mask[0])
	}
	return key
}

// dials are the last that were solved, the newest first, so that a slider that moves and the run after it solve none.
var dials struct {
	sync.Mutex
	keys   []dialKey
	solved []Choice
}

// mostDials is how many are kept, some megabytes each.
const mostDials = 4

// solved returns the choice of a recipe at full strength.
func solved(ctx context.Context, eng denoise.Engine, in denoise.Input, full denoise.Recipe, facts denoise.Facts, b lesions.Bounds) (Choice, error) {
	recipe, err := json.Marshal(full)
	if err != nil {
		return Choice{}, err
	}
	key := dialKeyOf(in, facts)
	key.recipe, key.engine, key.bounds = string(recipe), eng.Info().Name, b
	dials.Lock()
	i := slices.Index(dials.keys, key)
	if i >= 0 {
		defer dials.Unlock()
		return dials.solved[i], nil
	}
	dials.Unlock()
	tissue, err := TissueOf(ctx, in, facts)
	if err != nil {
		return Choice{}, err
	}
	if len(tissue.At) == 0 {
		return Choice{}, message.Errorf(message.VerdictNone, "too few homogeneous regions to judge a strength in")
	}
	c, err := Choose(ctx, eng, tissue, full, b)
	if err != nil {
		return c, err
	}
	if !c.Figures.Noise().Known() {
		return c, message.Errorf(message.VerdictNone, "the noise in homogeneous regions does not give a strength")
	}
	c.Response = c.Response.Alone()
	dials.Lock()
	defer dials.Unlock()
	n := min(len(dials.keys), mostDials-1)
	dials.keys, dials.solved = append([]dialKey{key}, dials.keys[:n]...), append([]Choice{c}, dials.solved[:n]...)
	return c, nil
}
