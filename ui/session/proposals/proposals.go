// Package proposals finds the filter that removes most noise of the series that is shown within the bounds, and takes it while the
// user has touched nothing.
package proposals

import (
	"context"
	"reflect"

	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise"
	"quell/series"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
	"quell/ui/session/tuning"
	"quell/ui/viewer"
)

// Proposals propose filters.
type Proposals struct {
	desk    *desk.Desk
	tuning  *tuning.Tuning
	noise   *tuning.Noise
	preview *preview.Preview
	start   desk.Slot[start]
	found   desk.Slot[found]
	work    *work  // in progress, or nil
	then    func() // waits for the proposal; nil for nothing

	// Learned, if set, receives how far the dial of a proposed filter can go.
	Learned func(of workbench.PreviewRequest, strength float64)
}

// start is how a document was opened.
type start struct {
	known  bool
	look   viewer.Look
	recipe denoise.Recipe
}

// found is what the last work on a document came to.
type found struct {
	ended    bool
	sigma    float64 // of the noise that it holds for
	proposal run.Proposal
	recipe   denoise.Recipe // that is proposed
}

// work is a proposal that is being found.
type work struct {
	sigma float64
	end   func()
}

// State is the proposal for the series that is shown.
type State struct {
	run.Proposal // without choices before it is found

	Finding bool
	Awaited bool // a run begins as soon as it is found
	Taken   bool // the current recipe is the proposed one
}

// New returns the proposals of a desk.
func New(d *desk.Desk, t *tuning.Tuning, nz *tuning.Noise, p *preview.Preview) *Proposals {
	ps := &Proposals{desk: d, tuning: t, noise: nz, preview: p, found: desk.Slot[found]{OfVoxels: true}}
	d.OnClear(func() {
		ps.then = nil
		ps.end()
	})
	return ps
}

// Now returns the proposal for the series that is shown.
func (ps *Proposals) Now() State {
	if ps.desk.Doc == nil {
		return State{}
	}
	f := ps.found.Of(ps.desk.Document)
	if !ps.ended() {
		return State{Finding: ps.work != nil, Awaited: ps.then != nil}
	}
	return State{Proposal: f.proposal, Taken: f.proposal.Filter != "" && ps.desk.Recipe.Equal(f.recipe)}
}

// Take makes the proposed recipe the current one, as one step of the history. The next series takes its own proposal,
// too. Without a proposal it does nothing.
func (ps *Proposals) Take() {
	if now := ps.Now(); now.Filter != "" && !now.Taken {
		ps.desk.Chosen, ps.desk.Proposed = true, now.Filter
		ps.desk.Filter = ""
		ps.tuning.Take(ps.found.Of(ps.desk.Document).recipe)
	}
}

func (ps *Proposals) end() {
	if ps.work != nil {
		ps.work.end()
		ps.work = nil
	}
}

// Await calls then, which runs the filter, once no proposal is to come that would take the place of the recipe, and no noise
// map that it would follow: what runs does not depend on how soon it was asked for. A recipe that the user chooses
// meanwhile ends the wait.
func (ps *Proposals) Await(then func()) {
	facts, known := ps.desk.Doc.Facts()
	ps.watch()
	fixed := (ps.desk.Chosen || ps.desk.Touched) && known && !ps.mayFollow(facts)
	if fixed || ps.desk.Propose == nil || ps.ended() {
		then()
		return
	}
	ps.then = then
	ps.desk.Changed()
}

// ended reports whether the search for the noise of the series came to an end.
func (ps *Proposals) ended() bool {
	facts, known := ps.desk.Doc.Facts()
	f := ps.found.Of(ps.desk.Document)
	return known && f.ended && f.sigma == facts.Noise.Sigma
}

// Follow begins to find a proposal when the first picture of a series is there, and notes whether the user has touched
// anything since it was opened.
func (ps *Proposals) Follow() {
	if ps.desk.Doc == nil {
		return
	}
	ps.watch()
	facts, known := ps.desk.Doc.Facts()
	if ps.work != nil && (!known || ps.work.sigma != facts.Noise.Sigma) {
		ps.end()
	}
	if ps.desk.Propose == nil || !known || ps.work != nil || ps.desk.Tasks.Busy() || ps.desk.Picture == nil || ps.preview.Running() {
		return
	}
	if !ps.ended() {
		ps.find(facts)
	}
}

// watch notes whether the user has touched anything.
func (ps *Proposals) watch() {
	s := ps.start.Of(ps.desk.Document)
	now := start{known: true, look: ps.desk.State.Look(), recipe: ps.desk.Recipe}
	if !s.known {
		*s = now
	}
	if !now.recipe.Equal(s.recipe) {
		ps.then = nil
	}
	if ps.then == nil && (ps.desk.Tasks.On(ps.desk.Document) != nil || !ps.desk.Untouched() || !now.recipe.Equal(s.recipe) || !reflect.DeepEqual(now.look, s.look)) {
		ps.desk.Touched = true
	}
}

// find finds the proposal in the background. The user may go on meanwhile: the work leaves a core to others and has a
// low priority.
func (ps *Proposals) find(facts denoise.Facts) {
	d, w := ps.desk.Document, &work{sigma: facts.Noise.Sigma}
	ps.work = w
	q := run.ProposalRequest{Series: d.Doc.Series(), Facts: &facts}
	var p run.Proposal
	var m *tuning.Mapped
	maps := !d.Steered && !d.Follows() && run.NoiseVaries(facts)
	w.end = ps.desk.Aside(d.Voxels, 1, func(ctx context.Context) (err error) {
		if maps {
			if m = mapped(ctx, q.Series); m != nil {
				q.IfVaries, q.Varying = true, m.Maps
			}
		}
		p, err = ps.desk.Propose(ctx, q)
		return err
	}, func(err error) {
		ps.work = nil
		f := ps.found.Of(d)
		if *f = (found{ended: true, sigma: w.sigma}); err == nil { // without a proposal nothing is missing
			f.proposal = p
		}
		ps.watch()
		then := ps.then // adopting another recipe ends the wait, as choosing one does
		if f.proposal.Filter != "" {
			f.recipe, _ = p.Choices[0].Asked()
			ps.adopt(d, f.recipe)
		}
		ps.follow(d, m)
		if f.proposal.Filter != "" && ps.Learned != nil { // of the filter under its map
			of := ps.desk.Request()
			of.Recipe = f.recipe
			ps.Learned(of, p.Choices[0].Strength)
		}
		if ps.then = nil; then != nil {
			then()
		}
		ps.desk.Changed()
	})
}

// adopt takes a proposal, unless the user has touched anything.
func (ps *Proposals) adopt(d *desk.Document, r denoise.Recipe) {
	if ps.watch(); !d.Chosen && !d.Touched {
		d.Chosen, d.Proposed = true, r.Filter
		ps.tuning.Adopt(r)
	}
}

// mayFollow reports whether the filter is to follow a noise map that it does not follow yet.
func (ps *Proposals) mayFollow(facts denoise.Facts) bool {
	return !ps.desk.Steered && !ps.desk.Follows() && run.MapPays(ps.desk.Doc.Series(), ps.desk.Recipe, facts)
}

// mapped maps the noise of a series; nil if it cannot be mapped.
func mapped(ctx context.Context, s *series.Series) *tuning.Mapped {
	m, err := tuning.MapNoise(ctx, s, nil)
	if err != nil {
		return nil
	}
	return &m
}

// follow lets the filter follow the noise map if the noise differs from place to place, as jobs without a word on maps
// do, and keeps the map if the strength is a number now.
func (ps *Proposals) follow(d *desk.Document, m *tuning.Mapped) {
	facts, _ := d.Doc.Facts()
	switch ps.watch(); {
	case m == nil:
	case ps.mayFollow(facts):
		ps.noise.Take(*m)
	default:
		m.Noise.Shown = d.Noise.Shown
		d.Noise = m.Noise
	}
}
