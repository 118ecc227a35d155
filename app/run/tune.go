package run

import (
	"context"
	"errors"
	"time"

	"quell/app/job"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/series"
)

// TuneRequest is a recipe with a strength that is to be found.
type TuneRequest struct {
	Series *series.Series
	Recipe denoise.Recipe // its strength is of no meaning
	Maps   Maps           // that steer the filter
	Facts  *denoise.Facts // of Series.Volume, or nil to find them; not used if Maps steer
	// Split has the strength of a 3-D recipe found on the longest of the evenly spaced parts of
	// an irregular series.
	Split bool

	Whole     bool             // the curve has the whole range, for a plot; the best is the same
	Objective tune.Objective   // "": the least risk
	Progress  func(tune.Curve) // receives the curve as it grows, on the caller's goroutine; nil ignores it
}

// Tuned is the best recipe that Tune found, and how.
type Tuned struct {
	Recipe  denoise.Recipe `json:"recipe"` // resolved, with the best strength
	Curve   tune.Curve     `json:"curve"`
	Noise   noise.Figure   `json:"noise"`
	Seconds float64        `json:"seconds"`
	// Dial is what the strength of the mixture leaves, if it was left to "visible"; the curve has no
	// points then, unless the strength of the filter was tuned too.
	Dial *lesions.Setting `json:"dial,omitempty"`
	// Part are the slices that the strength was found on, if it was not all of them.
	Part *series.Part `json:"part,omitempty"`
	// Doubts are the reasons not to rely on the strength, a sentence each; none as a rule.
	Doubts []message.Message `json:"doubts,omitempty"`

	facts denoise.Facts // that it rests on
}

// MustHelp is the estimated error, relative to the error of the series as it is, below which
// a strength is worth while: less of a gain, 0.2 dB, may come from a figure of the
// noise that texture has a part in.
const MustHelp = 0.95

// Helps reports whether the estimated error at the best strength is clearly below
// the error of the series as it is.
func (t Tuned) Helps() bool { return t.Curve.Points[t.Curve.Best].MSE < MustHelp }

// doubts says why the best strength should not be relied on: it gains hardly anything, the
// noise that it follows may be texture, or the curve has no least within the strengths that
// were tried.
func (t Tuned) doubts() (all []message.Message) {
	if !t.Helps() {
		all = append(all, message.New(message.TuneGain, "No strength lowers the estimated error by more than 5 %%: leave the series as it is."))
	}
	if unknown := t.Noise.Sentence(); !unknown.IsZero() {
		all = append(all, unknown)
	} else if t.Noise.Confidence == noise.Low {
		all = append(all, message.New(message.NoiseUnknown, "The estimate of the noise has low confidence (%s), and the strength goes with it: both may be far off.", t.Noise.Why))
	}
	if t.Helps() && !t.Curve.Inner() {
		end := message.Text("weakest")
		if t.Curve.Best > 0 {
			end = message.Text("strongest")
		}
		all = append(all, message.New(message.TuneEnd, "The best strength, %s %s, is the %s that was tried: a better one may lie beyond.", t.Curve.Param, message.Figure(t.Curve.Points[t.Curve.Best].Value.String()), end))
	}
	return all
}

// Tune finds the best strength of a recipe on a series; the recipe's other
// parameters stay as they are, automatic ones resolved. The error says why there is
// none, is the context's, or is the engine's.
func Tune(ctx context.Context, engine denoise.Engine, q TuneRequest) (Tuned, error) {
	started := time.Now()
	if err := CheckRecipe(q.Series, q.Recipe, q.Split); err != nil {
		return Tuned{}, err
	}
	in := q.Maps.Input(q.Series.Volume)
	facts, err := q.Maps.FactsOf(ctx, q.Series.Volume, q.Facts)
	if err != nil {
		return Tuned{}, err
	}
	var part *series.Part
	if q.Split {
		parts := regularParts(q.Series, q.Recipe)
		if len(parts) > 0 {
			in = sectionOf(q.Series, in, longest(parts))
		}
		if len(parts) > 1 {
			part = new(longest(parts))
		}
	}
	if in.Noise != nil {
		if in, err = q.divide(ctx, in, &facts); err != nil {
			return Tuned{}, err
		}
	}
	if why := untunable(facts.Noise); !why.IsZero() {
		return Tuned{}, &job.InputError{Path: job.TheSeries, Problem: why, Advice: message.Text("give the strength yourself")}
	}
	c, err := tune.Search(ctx, engine, in, q.Recipe, facts.Noise, tune.Options{Objective: q.Objective, Progress: q.Progress, Whole: q.Whole})
	if errors.Is(err, tune.ErrNoStrength) {
		return Tuned{}, job.Usage(err)
	}
	if err != nil {
		return Tuned{}, err
	}
	best, err := tune.WithStrength(q.Recipe, c.Points[c.Best].Strength, in.Volume.Geometry).Resolve(in.Volume.Geometry, facts)
	if err != nil {
		return Tuned{}, err
	}
	best.InSigmas = q.Maps.Noise != nil
	t := Tuned{Recipe: best, Curve: c, Noise: facts.Noise.Figure, Seconds: time.Since(started).Seconds(), Part: part, facts: facts}
	t.Doubts = t.doubts()
	return t, nil
}

// divide turns a request under a noise map into one without: of the volume divided by
// the map, with noise of sigma 1, and of the recipe in sigmas.
func (q *TuneRequest) divide(ctx context.Context, in denoise.Input, facts *denoise.Facts) (denoise.Input, error) {
	f, err := denoise.FilterByName(q.Recipe.Filter)
	if err != nil {
		return in, err
	}
	if f.ReadsNoise {
		return in, job.Usagef("%s reads the noise map itself, so that its strength cannot be tuned; give the strength yourself", f.Name)
	}
	if p, ok := f.Param(f.Strength.Param); ok && q.Recipe.Tunes() {
		q.Recipe = q.Recipe.With(p.Name, p.Default)
	}
	if q.Recipe, err = q.Recipe.Resolve(in.Volume.Geometry, *facts); err != nil {
		return in, job.Usage(err)
	}
	q.Recipe.InSigmas, facts.Usual = false, 0
	return in.Divided(ctx)
}

// untunable says why strengths cannot be compared by this noise; empty if they can.
func untunable(e noise.Estimate) message.Message {
	switch {
	case e.Confidence == noise.None:
		return message.New(message.NoiseUnknown, "has no noise that can be measured: %s", e.Why)
	case e.Weak():
		return message.New(message.NoiseWeak, "has no noise that can be told from its own texture")
	}
	return message.Message{}
}

// tune finds the strength of a request that leaves it to be found ("sure"), and
// keeps the facts that it rests on.
func (q *Request) tune(ctx context.Context, engine denoise.Engine) (*Tuned, error) {
	t, err := Tune(ctx, engine, TuneRequest{Series: q.Series, Recipe: q.Recipe, Maps: q.Maps, Facts: q.Facts, Split: q.Split})
	if err != nil {
		return nil, err
	}
	if !t.Helps() {
		return nil, &job.InputError{Path: job.TheSeries, Problem: message.New(message.TuneGain, "is estimated to gain nothing by any strength of %s", q.Recipe.Filter), Advice: message.Text("leave it as it is, or give the strength yourself")}
	}
	if q.Maps.Mask == nil && q.Maps.Noise == nil {
		q.Facts = &t.facts
	}
	return &t, nil
}
