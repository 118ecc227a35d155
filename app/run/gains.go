package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/series"
)

// Proposal is the filter that is expected to gain most on a series, by its noise and a sample of its
// voxels.
type Proposal struct {
	Filter string `json:"filter,omitempty"` // "" if nothing was measured
	// Gains are what the filters with an automatic strength are expected to gain, the one of Filter first
	// and the others by falling gain.
	Gains []FilterGain    `json:"gains,omitempty"`
	Why   message.Message `json:"why,omitzero"` // a sentence: why nothing was measured
	Facts *denoise.Facts  `json:"-"`            // that it rests on; nil if they were not needed
}

// FilterGain is the gain that a filter with its automatic values is expected to have on a series.
type FilterGain struct {
	Filter string `json:"filter"`
	Dims   int    `json:"dims"`
	// DB is the expected gain of squared error in the foreground, in decibels; 0 if Known is false.
	DB    float64 `json:"db,omitempty"`
	Known bool    `json:"known"` // within 0.3 dB
	// AtLeast is a bound below of the gain, in whole decibels; 0 if there is none above 0.
	AtLeast float64 `json:"at_least,omitempty"`
}

// tied is the difference of gains, in dB, that is none: the filter of fewer steps is proposed.
const tied = 0.1

// GainRequest is a series on which filters compete.
type GainRequest struct {
	Series *series.Series
	Noise  *noise.Estimate // of its volume, or nil to find it
	Facts  *denoise.Facts  // of its volume, as [denoise.FactsOf] finds them, or nil to find them
	Dims   int             // 2 or 3 for filters with that form; 0: see [ProposeDims]
}

// ProposeFilter measures what each filter with an automatic strength is expected to gain on a series. It
// runs them on a sample of the foreground, see [tune.Gains]. If the noise is unknown, weak, roughly known
// or varies, Why says so and nothing is measured. The proposal is the same on any number of cores. Errors
// are the context's or the engine's.
func ProposeFilter(ctx context.Context, engine denoise.Engine, q GainRequest) (Proposal, error) {
	f, why, err := q.facts(ctx)
	if err != nil || !why.IsZero() {
		return Proposal{Why: why}, err
	}
	recipes, err := candidates(q.Series, f, q.Dims)
	if err != nil {
		return Proposal{}, err
	}
	gains, err := tune.Gains(ctx, engine, denoise.Input{Volume: q.Series.Volume}, recipes, f)
	if message.KindOf(err) == message.VerdictNone {
		return Proposal{Why: message.New(message.VerdictNone, "No voxel of the foreground holds data to measure a gain in.")}, nil
	}
	if err != nil {
		return Proposal{}, err
	}
	p := proposalOf(gains)
	p.Facts = &f
	return p, nil
}

// facts returns the facts of the volume, or why its noise gives no ground for a gain.
func (q GainRequest) facts(ctx context.Context) (f denoise.Facts, why message.Message, err error) {
	if q.Facts != nil {
		return *q.Facts, ungainable(q.Facts.Noise), nil
	}
	e := q.Noise
	if e == nil {
		found, err := noise.Of(ctx, q.Series.Volume)
		if err != nil {
			return f, why, err
		}
		e = &found
	}
	if why = ungainable(*e); !why.IsZero() {
		return f, why, nil
	}
	f, err = denoise.FactsWith(ctx, q.Series.Volume, *e)
	return f, why, err
}

// ungainable says in a sentence why a gain cannot be measured by this noise; empty if it can.
func ungainable(e noise.Estimate) message.Message {
	if unknown := e.Sentence(); !unknown.IsZero() {
		return unknown
	}
	switch {
	case !untunable(e).IsZero():
		return message.New(message.NoiseWeak, "The series %s.", untunable(e))
	case e.Confidence != noise.High && e.Confidence != noise.Fair:
		return tooRough
	case !e.InTissue() && e.Why.Kind() == message.NoiseVaries:
		return message.New(message.NoiseVaries, "The noise differs from place to place, so that no gain of the whole is expected.")
	}
	return message.Message{}
}

// tooRough is said if the noise is known, but no gain is.
var tooRough = message.New(message.NoiseUnknown, "The noise is known too roughly for the gain of a filter to be expected.")

// candidates returns the recipes that compete, resolved.
func candidates(s *series.Series, f denoise.Facts, dims int) (all []denoise.Recipe, err error) {
	for _, filter := range denoise.Filters() {
		if !slices.Contains(filter.Dims, 2) && (dims == 2 || !mixes(s)) {
			continue // it only averages across slices
		}
		d := dims
		if !slices.Contains(filter.Dims, dims) {
			if d, err = ProposeDims(s, filter.Name); err != nil {
				return nil, err
			}
		}
		r, err := denoise.NewRecipe(filter.Name, d)
		if err != nil {
			return nil, err
		}
		if !automatic(r) {
			continue // it would compete by a strength that knows nothing of the series
		}
		if r, err = r.Resolve(s.Volume.Geometry, f); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// proposalOf proposes the recipe with the largest gain, of equal ones the one of fewest steps; none if its gain is not known
// to be 1 dB or to tenths.
func proposalOf(gains []tune.Gain) (p Proposal) {
	slices.SortStableFunc(gains, func(a, b tune.Gain) int { return cmp.Compare(b.Careful, a.Careful) })
	best := 0
	for i, g := range gains {
		if g.Careful >= gains[0].Careful-tied && g.Steps < gains[best].Steps {
			best = i
		}
	}
	first := gains[best]
	for _, g := range slices.Insert(slices.Delete(gains, best, best+1), 0, first) {
		one := FilterGain{Filter: g.Recipe.Filter, Dims: g.Recipe.Dims, Known: g.Known(), AtLeast: math.Max(math.Floor(g.AtLeast), 0)}
		if one.Known {
			one.DB = g.DB
		}
		p.Gains = append(p.Gains, one)
	}
	if p.Gains[0].Text() == "" {
		return Proposal{Why: tooRough}
	}
	p.Filter = first.Recipe.Filter
	return p
}

// Text says how much is expected: "1.9 dB", "over 4 dB" if it is not known to tenths, or "" if nothing is
// known.
func (g FilterGain) Text() string {
	switch {
	case g.Known:
		return fmt.Sprintf("%.1f dB", g.DB)
	case g.AtLeast > 0:
		return fmt.Sprintf("over %.0f dB", g.AtLeast)
	}
	return ""
}

// String names the proposal, and the gains of the others: "odct: 3.3 dB expected (sadct over 2 dB, nlm
// 2.3 dB)". It is empty if nothing is proposed.
func (p Proposal) String() string {
	if p.Filter == "" {
		return ""
	}
	text := p.Gains[0].Filter + ": " + p.Gains[0].Text() + " expected"
	var others []string
	for _, g := range p.Gains[1:] {
		if gain := g.Text(); gain != "" {
			others = append(others, g.Filter+" "+gain)
		}
	}
	if others != nil {
		text += " (" + strings.Join(others, ", ") + ")"
	}
	return text
}
