package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"quell/app/job"
	"quell/denoise"
	"quell/denoise/equalise"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// Choice is a filter at the strength at which it removes most noise within bounds, see [lesions.UsualBounds].
type Choice struct {
	Filter   string  `json:"filter"`
	Dims     int     `json:"dims"`
	Strength float64 `json:"strength"` // percent
	// Sigma of the noise that the filter is given; 0: its automatic value.
	Sigma float64 `json:"sigma,omitempty"`
	verdict.Figures
	Full     verdict.Figures   `json:"full"`     // of the filter alone
	Possible float64           `json:"possible"` // the share of the noise that any filter can remove of faint objects within the bounds
	Recipe   denoise.Recipe    `json:"-"`        // resolved, of that strength
	Response *lesions.Response `json:"-"`        // of the filter alone
	Dial     lesions.Dial      `json:"-"`
	bounds   lesions.Bounds
	weights  equalise.Weights
	left     lesions.Setting
}

// shorter is the share of a strength that is tried next if its figures leave the bounds of the verdict, and nearly if they are
// within, and not at those of the dial.
const shorter, nearly = 0.8, 0.97

// kept reports whether figures are within the bounds of the dial, and their intervals within those of the verdict.
func kept(f verdict.Figures, b lesions.Bounds) bool {
	return judged(b).Within(f) && float64(f.ContrastKept) >= b.Kept && float64(f.TextureKept) >= b.Texture
}

// judged returns the bounds of the verdict, or those of a reader who asks for less.
func judged(b lesions.Bounds) verdict.Bounds {
	v := verdict.Usual
	v.Contrast, v.Texture = min(v.Contrast, b.Kept), min(v.Texture, b.Texture)
	return v
}

// boundsOf returns the bounds of a strength: a reader's if it has some, otherwise the usual ones.
func boundsOf(strength denoise.Value) lesions.Bounds {
	b := lesions.UsualBounds
	if strength.IsVisible() {
		for i, x := range strength.Floats() {
			*[...]*float64{&b.Kept, &b.Texture, &b.Floor}[i] = x
		}
	}
	return b
}

// Choose finds the strength of a resolved recipe within bounds: by one run on the homogeneous regions of a series. The
// error is the context's or the engine's.
func Choose(ctx context.Context, engine denoise.Engine, tissue *lesions.Tissue, r denoise.Recipe, b lesions.Bounds) (c Choice, err error) {
	c = Choice{bounds: b, Filter: r.Filter, Dims: r.Dims, Figures: verdict.None(), Recipe: r}
	if c.Response, err = tissue.Respond(ctx, engine, r.Equalised(denoise.MixStrength.Default.Float(), nil)); err != nil {
		return c, err
	}
	c.Full = c.Response.Figures(nil)
	d, ok := c.Response.Dial(b)
	if !ok {
		return c, nil
	}
	c.Dial = d
	_, setting, _ := d.Strongest(b)
	c.take(setting.Strength)
	for c.Strength > 0 && !kept(c.Figures, b) {
		s := math.Floor(c.Strength * nearly)
		if !judged(b).Within(c.Figures) { // intervals count too
			s = math.Floor(c.Strength * shorter)
		}
		c.take(s)
	}
	return c, nil
}

// take sets a strength, its equaliser and the figures that the verdict has of it.
func (c *Choice) take(strength float64) {
	c.weights, c.left = c.Dial.At(strength)
	c.Strength, c.Figures = strength, c.Response.Figures(c.weights)
	c.Recipe = c.Recipe.Equalised(strength, c.weights)
	c.left.Noise, c.left.Kept, c.left.Texture = 1-float64(c.NoiseRemoved), float64(c.ContrastKept), float64(c.TextureKept)
	if kept(c.Figures, c.bounds) { // the least is found otherwise: within the bounds it cannot be above
		c.left.Possible = min(c.left.Possible, c.left.Noise)
	}
	c.Possible = 1 - c.left.Possible
}

// Bands returns the power of the noise left, see [lesions.Sample.Bands].
func (c Choice) Bands() []measure.Float { return c.Response.Sample(c.weights).Bands() }

// Asked returns the recipe of a choice as it is asked for: automatic but for its strength.
func (c Choice) Asked() (denoise.Recipe, error) {
	r, err := denoise.NewRecipe(c.Filter, c.Dims)
	if c.Sigma > 0 {
		r = r.With(denoise.SigmaName, denoise.Number(c.Sigma))
	}
	return r.With(denoise.MixStrength.Name, denoise.Number(c.Strength)), err
}

// Rank sorts choices, the best first: most noise removed within the bounds.
func Rank(all []Choice) {
	slices.SortStableFunc(all, func(a, b Choice) int {
		return cmp.Compare(verdict.Usual.Rank(b.Figures), verdict.Usual.Rank(a.Figures))
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
	Maps    Maps            `json:"-"`            // that steer the filter
}

// ProposalRequest is a series on which filters compete.
type ProposalRequest struct {
	Series *series.Series
	Noise  *noise.Estimate // of its volume, or nil to find it
	Facts  *denoise.Facts  // of its volume, as [denoise.FactsOf] finds them, or nil to find them
	Dims   int             // 2 or 3 for filters with that form; 0: see [ProposeDims]
	Maps   Maps            // that steer the filters
	// IfVaries has each filter judged as it will run: under an estimated noise map if that pays, see [Maps.IfVaries].
	IfVaries bool
	Varying  Maps // that map, if it is known
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
	plain, err := q.ground(ctx, q.Maps, &f)
	if err != nil {
		return p, err
	}
	mapped := plain
	pays := func(r denoise.Recipe) bool { return MapPays(q.Series, r, f) }
	if m := q.Maps; q.IfVaries && m.Noise == nil && m.Mask == nil && slices.ContainsFunc(recipes, pays) {
		if m = q.Varying; m.Noise == nil {
			if m, err = m.Estimate(ctx, job.Job{NoiseMap: job.MapAuto}, q.Series, &f); err != nil {
				return p, err
			}
		}
		if mapped, err = q.ground(ctx, m, nil); err != nil {
			return p, err
		}
	}
	if len(plain.tissue.At) == 0 || len(mapped.tissue.At) == 0 {
		return Proposal{Why: message.New(message.VerdictNone, "There are too few homogeneous regions to compare filters in.")}, nil
	}
	var all []Chooser
	under := map[string]Maps{}
	for _, r := range recipes {
		g, e := plain, f.Noise
		if pays(r) {
			g = mapped
		}
		if under[r.Filter] = g.maps; g.maps.Noise != nil {
			e = noise.Estimate{} // sigmas of a map are no numbers
		}
		all = append(all, Chooser{e, r, g.tissue, engine, func(r denoise.Recipe) (denoise.Recipe, error) { return r.Resolve(q.Series.Volume.Geometry, g.facts) }})
	}
	if p.Choices, err = rank(ctx, all); err != nil {
		return p, err
	}
	if len(p.Choices) > 0 && p.Choices[0].Strength > 0 {
		p.Filter, p.Facts = p.Choices[0].Filter, &f
		p.Maps = under[p.Filter]
	} else {
		p = Proposal{Why: message.New(message.VisibilityLost, "No filter keeps what is visible at any strength.")}
	}
	return p, nil
}

// Chooser finds the strength of an automatic recipe on a series.
type Chooser struct {
	Noise   noise.Estimate // of the series; none under a map
	Asked   denoise.Recipe
	Tissue  *lesions.Tissue
	Engine  denoise.Engine
	Resolve func(denoise.Recipe) (denoise.Recipe, error)
}

// Choose finds the strength, in noise that is known roughly at the sigma that few regions find, see climb.
func (q Chooser) Choose(ctx context.Context) (c Choice, err error) {
	if few := q.Tissue.Few(); few != nil && climbs(q.Noise, q.Asked) {
		if c, err = q.in(ctx, few, 0); err != nil {
			return c, err
		}
	}
	return q.in(ctx, q.Tissue, c.Sigma)
}

// in finds the strength in a tissue, from a sigma on.
func (q Chooser) in(ctx context.Context, tissue *lesions.Tissue, from float64) (Choice, error) {
	return climb(q.Noise, q.Asked, from, func(r denoise.Recipe) (c Choice, err error) {
		if r, err = q.Resolve(r); err == nil {
			c, err = Choose(ctx, q.Engine, tissue, r, lesions.UsualBounds)
		}
		return c, err
	})
}

// climbs reports whether a filter is given other sigmas than the automatic one: it takes sigma as a number, and noise e is known
// roughly.
func climbs(e noise.Estimate, r denoise.Recipe) bool {
	f, err := denoise.FilterByName(r.Filter)
	p, ok := f.Param(denoise.SigmaName)
	return err == nil && ok && p.Basic && e.Rough() && e.Sigma > 0
}

// climb finds the strength of a recipe by choose, from a sigma on; 0: the automatic one. Noise that is known roughly lies between ends
// of which the low one, which automatic values follow, may remove nothing. While little is removed, a filter is given the best
// value and its doubles, up to the high end: what objects and texture keep is measured and bounds it.
func climb(e noise.Estimate, r denoise.Recipe, from float64, choose func(denoise.Recipe) (Choice, error)) (best Choice, err error) {
	little := func() bool { return !(float64(best.NoiseRemoved) >= verdict.Usual.Little) }
	for sigma, more := from, false; !more || sigma <= e.High && climbs(e, r) && little(); sigma, more = max(2*sigma, e.Sigma), true {
		if sigma > 0 {
			r = r.With(denoise.SigmaName, denoise.Number(sigma))
		}
		c, err := choose(r)
		if err != nil {
			return c, err
		}
		if c.Sigma = sigma; !more || verdict.Usual.Better(c.Figures, best.Figures) {
			best = c
		}
	}
	return best, nil
}

// contends is the share of the noise that few regions say the best filter removes from which on a filter is run in all regions.
const contends = 0.85

// rank returns the choices, the best first. Filters that few regions show to remove less than others have the figures of these.
func rank(ctx context.Context, of []Chooser) (first []Choice, err error) {
	all, best := make([]Choice, len(of)), 0.0
	for i, q := range of {
		if few := q.Tissue.Few(); few != nil {
			if all[i], err = q.in(ctx, few, 0); err != nil {
				return nil, err
			}
			best = max(best, float64(all[i].NoiseRemoved))
		}
	}
	var others []Choice
	for i, c := range all {
		if float64(c.NoiseRemoved) < contends*best {
			others = append(others, c)
			continue
		}
		if c, err = of[i].in(ctx, of[i].Tissue, c.Sigma); err != nil {
			return nil, err
		}
		first = append(first, c)
	}
	Rank(first)
	Rank(others)
	return append(first, others...), nil
}

// ground is a series under maps that steer filters, and the homogeneous regions in which they are judged.
type ground struct {
	maps   Maps
	facts  denoise.Facts
	tissue *lesions.Tissue
}

// ground finds the regions under maps; known are the facts of the volume without them.
func (q ProposalRequest) ground(ctx context.Context, m Maps, known *denoise.Facts) (g ground, err error) {
	in := m.Input(q.Series.Volume)
	g.maps = m
	if g.facts, err = m.FactsOf(ctx, in.Volume, known); err == nil {
		g.tissue, err = TissueOf(ctx, in, g.facts)
	}
	return g, err
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
	if e.Confidence == noise.None {
		return e.Sentence()
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
	if c.Sigma > 0 {
		return message.Text("removes %.0f %% of the noise at strength %.0f and sigma %.3g", 100*float64(c.NoiseRemoved), c.Strength, c.Sigma)
	}
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
