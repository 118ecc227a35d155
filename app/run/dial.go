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

// dial resolves a recipe whose strength is between the original and the filter alone: it runs the filter on virtual
// lesions in even tissue of the series and solves the equaliser that takes the strength. Of a strength that is left to what stays
// visible it takes the highest that keeps them and the noise's look, see [lesions.UsualBounds]. A strength that is a number is taken
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
	facts, err := factsFor(ctx, in, q.Facts)
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
	if unknown := facts.Noise.Sentence(); !unknown.IsZero() {
		return undecided(unknown.Clause())
	}
	if why := untunable(facts.Noise); !why.IsZero() {
		return undecided(why)
	}
	d, err := solved(ctx, eng, in, full, facts)
	if message.KindOf(err) == message.VerdictNone {
		return undecided(message.Of(err).Clause())
	}
	if err != nil {
		return denoise.Recipe{}, nil, err
	}
	w, setting := d.At(asked.Get(name).Float())
	if asked.Dials() {
		ok := false
		if w, setting, ok = d.Strongest(lesions.UsualBounds); !ok {
			return undecided(message.New(message.VisibilityLost, "no strength of %s keeps what is visible and the texture of the noise", full.Filter))
		}
	}
	if tuned == nil {
		tuned = &Tuned{Noise: facts.Noise.Figure}
	}
	tuned.Dial, tuned.Recipe = &setting, full.Equalised(setting.Strength, w)
	tuned.Seconds = time.Since(started).Seconds()
	return tuned.Recipe, tuned, nil
}

// dialKey names a dial: it depends on nothing else.
type dialKey struct {
	volume, noise weak.Pointer[volume.Volume]
	mask          weak.Pointer[bool]
	recipe        string // at full strength, resolved
	sigma         float64
	engine        string
}

// dials are the last that were solved, the newest first, so that a slider that moves and the run after it solve none.
var dials struct {
	sync.Mutex
	keys   []dialKey
	solved []lesions.Dial
}

// mostDials is how many are kept, some kilobytes each.
const mostDials = 16

// dialSide is the side in pixels of places that show the low frequencies of the noise, on which its mean frequency rests.
const dialSide = 29

// solved returns the dial of a recipe at full strength.
func solved(ctx context.Context, eng denoise.Engine, in denoise.Input, full denoise.Recipe, facts denoise.Facts) (lesions.Dial, error) {
	recipe, err := json.Marshal(full)
	if err != nil {
		return lesions.Dial{}, err
	}
	sigma := cmp.Or(facts.Usual, facts.Noise.Sigma)
	key := dialKey{weak.Make(in.Volume), weak.Make(in.Noise), weak.Pointer[bool]{}, string(recipe), sigma, eng.Info().Name}
	if in.Mask != nil {
		key.mask = weak.Make(&in.Mask[0])
	}
	dials.Lock()
	i := slices.Index(dials.keys, key)
	if i >= 0 {
		defer dials.Unlock()
		return dials.solved[i], nil
	}
	dials.Unlock()
	foreground, err := facts.ForegroundOf(ctx, in.Volume)
	if err != nil {
		return lesions.Dial{}, err
	}
	q := lesions.Request{Input: in, Recipe: full, Noise: facts.Noise, Foreground: foreground, Seed: lesions.UsualSeed, Dialled: true}
	var panel lesions.Panel
	for _, try := range []struct{ side, least int }{{dialSide, 0}, {0, 0}, {0, lesions.LeastRegions}} { // in a chest few places are better than none
		q.Side, q.Least = try.side, try.least
		if panel, err = lesions.MeasureUsual(ctx, eng, q, sigma); message.KindOf(err) != message.VerdictNone {
			break
		}
	}
	if err != nil {
		return lesions.Dial{}, err
	}
	d, ok := panel.Dial()
	if !ok {
		return d, message.Errorf(message.VerdictNone, "the noise at the places of even tissue is no ground for a strength")
	}
	dials.Lock()
	defer dials.Unlock()
	n := min(len(dials.keys), mostDials-1)
	dials.keys, dials.solved = append([]dialKey{key}, dials.keys[:n]...), append([]lesions.Dial{d}, dials.solved[:n]...)
	return d, nil
}
