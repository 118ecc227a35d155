package run

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"quell/denoise"
	"quell/denoise/equalise"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// Choice is a filter at the strength at which it removes most noise within the bounds, see [lesions.UsualBounds].
type Choice struct {
	Filter   string  `json:"filter"`
	Dims     int     `json:"dims"`
	Strength float64 `json:"strength"` // percent
	verdict.Figures
	Full     verdict.Figures   `json:"full"`     // of the filter alone
	Possible float64           `json:"possible"` // the share of the noise that any filter can remove of faint objects within the bounds
	Recipe   denoise.Recipe    `json:"-"`        // resolved, of that strength
	Response *lesions.Response `json:"-"`        // of the filter alone
	Dial     lesions.Dial      `json:"-"`
	weights  equalise.Weights
	left     lesions.Setting
}

// shorter is the share of a strength that is tried next if its figures leave the bounds of the verdict, and nearly if they are
// within, and not at those of the dial.
const shorter, nearly = 0.8, 0.97

// kept reports whether figures are within the bounds of the dial, and their intervals within those of the verdict.
func kept(f verdict.Figures) bool {
	return verdict.Usual.Within(f) && float64(f.ContrastKept) >= lesions.UsualBounds.Kept && float64(f.TextureKept) >= lesions.UsualBounds.Texture
}

// Choose finds the strength of a resolved recipe within the bounds: by one run on the homogeneous regions of a series. The
// error is the context's or the engine's.
func Choose(ctx context.Context, engine denoise.Engine, tissue *lesions.Tissue, r denoise.Recipe) (c Choice, err error) {
	c = Choice{Filter: r.Filter, Dims: r.Dims, Figures: verdict.None(), Recipe: r}
	if c.Response, err = tissue.Respond(ctx, engine, r.Equalised(denoise.MixStrength.Default.Float(), nil)); err != nil {
		return c, err
	}
	c.Full = c.Response.Figures(nil)
	d, ok := c.Response.Dial()
	if !ok {
		return c, nil
	}
	c.Dial = d
	w, setting, ok := d.Strongest(lesions.UsualBounds)
	if ok {
		c.Figures = c.Response.Figures(w)
	}
	for s := setting.Strength; s > 0 && !kept(c.Figures); {
		if s = math.Floor(s * nearly); !verdict.Usual.Within(c.Figures) { // intervals count too
			s = math.Floor(s * shorter)
		}
		w, setting = d.At(s)
		c.Figures = c.Response.Figures(w)
	}
	if setting.Strength == 0 {
		w, setting = d.At(0)
		c.Figures = c.Response.Figures(w)
	}
	c.Strength, c.Possible = setting.Strength, 1-setting.Possible
	c.weights, c.left, c.Recipe = w, setting, r.Equalised(c.Strength, w)
	return c, nil
}

// Asked returns the recipe of a choice as it is asked for: automatic but for its strength.
func (c Choice) Asked() (denoise.Recipe, error) {
	r, err := denoise.NewRecipe(c.Filter, c.Dims)
	return r.With(denoise.MixStrength.Name, denoise.Number(c.Strength)), err
}

// Rank sorts choices, the best first: most noise removed within the bounds.
func Rank(all []Choice) {
	slices.SortStableFunc(all, func(a, b Choice) int {
		switch {
		case verdict.Usual.Better(a.Figures, b.Figures):
			return -1
		case verdict.Usual.Better(b.Figures, a.Figures):
			return 1
		}
		return 0
	})
}

// TissueOf returns the homogeneous regions of a series, in which its filters are judged. The error is the context's.
func TissueOf(ctx context.Context, in denoise.Input, f denoise.Facts) (*lesions.Tissue, error) {
	key := dialKeyOf(in, f)
	tissues.Lock()
	if tissues.of != nil && tissues.key == key {
		defer tissues.Unlock()
		return tissues.of.On(in), ctx.Err()
	}
	tissues.Unlock()
	foreground, err := f.ForegroundOf(ctx, in.Volume)
	if err != nil {
		return nil, err
	}
	found, err := lesions.FindTissue(ctx, in, volume.Region{}, f.Noise, foreground)
	if err != nil {
		return nil, err
	}
	tissues.Lock()
	defer tissues.Unlock()
	tissues.key, tissues.of = key, found.Apart()
	return found, nil
}

// tissues is the last that was found, which proposal, strength and verdict on a series share.
var tissues struct {
	sync.Mutex
	key dialKey
	of  *lesions.Tissue
}

// Proposal is the filter that removes most noise of a series within the bounds.
type Proposal struct {
	Filter string `json:"filter,omitempty"` // "" if there is none
	// Choices are the filters with an automatic strength, the one of Filter first.
	Choices []Choice        `json:"choices,omitempty"`
	Why     message.Message `json:"why,omitzero"` // a sentence: why nothing is proposed
	Facts   *denoise.Facts  `json:"-"`            // that it rests on; nil if they were not needed
	Maps    Maps            `json:"-"`            // that steered the filters
}

// ProposalRequest is a series on which filters compete.
type ProposalRequest struct {
	Series *series.Series
	Noise  *noise.Estimate // of its volume, or nil to find it
	Facts  *denoise.Facts  // of its volume, as [denoise.FactsOf] finds them, or nil to find them
	Dims   int             // 2 or 3 for filters with that form; 0: see [ProposeDims]
	Maps   Maps            // that steer the filters
	// IfVaries estimates a noise map, see [Maps.IfVaries].
	IfVaries bool
}

// ProposeFilter finds the strength of each filter with automatic values on a series, and ranks them. If the noise gives
// no ground for automatic values, or the series has too few homogeneous regions, Why says so. The proposal is the same on
// any number of cores. Errors are the context's or the engine's.
func ProposeFilter(ctx context.Context, engine denoise.Engine, q ProposalRequest) (p Proposal, err error) {
	f, why, err := q.facts(ctx)
	if err != nil || !why.IsZero() {
		return Proposal{Why: why}, err
	}
	recipes, err := candidates(q.Series, q.Dims)
	if err != nil {
		return p, err
	}
	if q.IfVaries && len(recipes) > 0 {
		if q.Maps, _, err = q.Maps.IfVaries(ctx, recipes[0], q.Series, &f); err != nil {
			return p, err
		}
	}
	alone := f
	if f, err = q.Maps.FactsOf(ctx, q.Series.Volume, &alone); err != nil {
		return p, err
	}
	tissue, err := TissueOf(ctx, q.Maps.Input(q.Series.Volume), f)
	if err != nil {
		return p, err
	}
	if len(tissue.At) == 0 {
		return Proposal{Why: message.New(message.VerdictNone, "No filter is proposed: there are too few homogeneous regions to compare filters in.")}, nil
	}
	for _, r := range recipes {
		if r, err = r.Resolve(q.Series.Volume.Geometry, f); err != nil {
			return p, err
		}
		c, err := Choose(ctx, engine, tissue, r)
		if err != nil {
			return p, err
		}
		p.Choices = append(p.Choices, c)
	}
	Rank(p.Choices)
	if len(p.Choices) > 0 && p.Choices[0].Strength > 0 {
		p.Filter, p.Facts, p.Maps = p.Choices[0].Filter, &alone, q.Maps
	} else {
		p = Proposal{Why: message.New(message.VisibilityLost, "No filter is proposed: none keeps what is visible at any strength.")}
	}
	return p, nil
}

// facts returns the facts of the volume, or why its noise gives no ground for automatic values.
func (q ProposalRequest) facts(ctx context.Context) (f denoise.Facts, why message.Message, err error) {
	if q.Facts != nil {
		return *q.Facts, unproposable(q.Facts.Noise), nil
	}
	e := q.Noise
	if e == nil {
		found, err := noise.Of(ctx, q.Series.Volume)
		if err != nil {
			return f, why, err
		}
		e = &found
	}
	if why = unproposable(*e); !why.IsZero() {
		return f, why, nil
	}
	f, err = denoise.FactsWith(ctx, q.Series.Volume, *e)
	return f, why, err
}

// unproposable says in a sentence why filters cannot be compared by this noise; empty if they can.
func unproposable(e noise.Estimate) message.Message {
	if unknown := e.Sentence(); !unknown.IsZero() {
		return unknown
	}
	if why := untunable(e); !why.IsZero() {
		return message.New(message.NoiseWeak, "The series %s.", why)
	}
	return message.Message{}
}

// candidates returns the recipes that compete.
func candidates(s *series.Series, dims int) (all []denoise.Recipe, err error) {
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
		all = append(all, r)
	}
	return all, nil
}

// Text says what a choice does: "removes 31 % of the noise at strength 42".
func (c Choice) Text() message.Message {
	return message.Text("removes %.0f %% of the noise at strength %.0f", 100*float64(c.NoiseRemoved), c.Strength)
}

// Sentence says what is proposed; empty if nothing is.
func (p Proposal) Sentence() message.Message {
	if p.Filter == "" {
		return message.Message{}
	}
	first := p.Choices[0]
	if float64(first.NoiseRemoved) < verdict.Usual.Little {
		return message.New(message.VerdictNoise, "%s %s: no filter removes more of this series and keeps small objects and texture.", message.Word(p.Filter), first.Text())
	}
	return message.New(message.VisibilityKept, "%s %s and keeps small objects and texture.", message.Word(p.Filter), first.Text())
}

// String says what is proposed, and what the others would remove. It is empty if nothing is proposed.
func (p Proposal) String() string {
	if p.Filter == "" {
		return ""
	}
	var others []string
	for _, c := range p.Choices[1:] {
		others = append(others, fmt.Sprintf("%s %.0f %%", c.Filter, 100*float64(c.NoiseRemoved)))
	}
	text := p.Sentence().String()
	if others != nil {
		text = strings.TrimSuffix(text, ".") + " (" + strings.Join(others, ", ") + ")."
	}
	return text
}
