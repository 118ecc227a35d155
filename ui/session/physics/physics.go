// Package physics measures the slice that is shown as a physicist does: noise power spectrum, task transfer function and
// d', before and after the filter.
package physics

import (
	"context"
	"reflect"

	"quell/denoise/noise"
	"quell/internal/message"
	"quell/measure"
	"quell/measure/physics"
	"quell/ui/session/desk"
	"quell/ui/session/marks"
	"quell/ui/session/preview"
	"quell/ui/viewer"
	"quell/volume"
)

// Physics are the figures of the slice on the screen.
type Physics struct {
	desk    *desk.Desk
	preview *preview.Preview
	marks   *marks.Marks
	watched bool
	found   found
	counted foreground // of the last volume
	work    *work      // in progress, or nil
}

// subject is what figures are of. Two are the same if DeepEqual says so, which compares volumes by their pointers first.
type subject struct {
	source, base, result *volume.Volume
	view                 volume.View
	index                int
	regions, rods        []measure.Outline // that the user drew; nil: they are found
}

// found is what the last work came to.
type found struct {
	of      subject
	figures *physics.Figures
	picture *viewer.Picture // that the figures are of
	problem message.Message // why there are none; empty if there are some, or the work was stopped
	stopped bool            // by the user
}

type work struct {
	of  subject
	end func()
}

// foreground says which voxels of a volume count. It takes a pass over the volume and does not change from slice to slice.
type foreground struct {
	of     *volume.Volume
	counts func(i int) bool // nil: all
}

// State holds the figures of the slice on the screen. Nothing of another slice or recipe is in it.
type State struct {
	Figures   *physics.Figures // nil before they are measured
	Picture   *viewer.Picture  // that the figures are of; nil without figures
	Drawn     bool             // regions or rods are those that the user drew
	Problem   message.Message  // why there are no figures, a sentence
	Measuring bool
	Stopped   bool // the user stopped the work
}

// New returns the figures of a desk.
func New(d *desk.Desk, p *preview.Preview, m *marks.Marks) *Physics {
	x := &Physics{desk: d, preview: p, marks: m}
	d.OnClear(func() {
		x.end()
		x.found, x.counted = found{}, foreground{}
	})
	return x
}

// Watch says whether the figures are wanted: they are measured for every slice and result in the background, and the
// work ends when they are wanted no more.
func (x *Physics) Watch(on bool) {
	if x.watched == on {
		return
	}
	x.watched = on
	if !on {
		x.found.stopped = false
	}
	x.Follow()
}

// Now returns the figures of the slice on the screen.
func (x *Physics) Now() State {
	s, ok := x.subject()
	if !ok {
		return State{}
	}
	if w := x.work; w != nil && w.of.same(s) {
		return State{Measuring: true}
	}
	if f := x.found; f.of.same(s) {
		return State{Figures: f.figures, Picture: f.picture, Problem: f.problem, Stopped: f.stopped, Drawn: s.regions != nil || s.rods != nil}
	}
	return State{}
}

// subject returns the slice on the screen; false while its result is to come.
func (x *Physics) subject() (s subject, ok bool) {
	p, ok := x.preview.Settled()
	if !ok || x.preview.Running() {
		return s, false
	}
	s = subject{source: p.Source, base: p.Base, result: p.Result, view: p.View, index: p.Index}
	if p.Other { // the figures are of what the filter did
		s.base = nil
	}
	for _, m := range x.marks.Here() {
		switch outline := m.In(p.View, p.Source.Geometry); m.Shape {
		case measure.Box:
			s.regions = append(s.regions, outline)
		case measure.Ellipse:
			s.rods = append(s.rods, outline)
		}
	}
	return s, true
}

func (s subject) same(o subject) bool {
	return s.source == o.source && s.base == o.base && s.result == o.result && s.view == o.view && s.index == o.index &&
		reflect.DeepEqual(s.regions, o.regions) && reflect.DeepEqual(s.rods, o.rods)
}

// Stop ends the work until it is asked for again.
func (x *Physics) Stop() {
	if w := x.work; w != nil {
		x.found = found{of: w.of, stopped: true}
		x.end()
		x.desk.Changed()
	}
}

// Start measures after a stop.
func (x *Physics) Start() {
	if x.desk.Doc != nil && x.work == nil {
		x.found = found{}
		x.Follow()
		x.desk.Changed()
	}
}

func (x *Physics) end() {
	if x.work != nil {
		x.work.end()
		x.work = nil
	}
}

// Follow measures the slice on the screen, or ends the work on one that is not any more.
func (x *Physics) Follow() {
	s, ok := x.subject()
	may := ok && x.watched && !x.desk.Tasks.Busy()
	if w := x.work; w != nil && (!may || !w.of.same(s)) {
		x.end()
	}
	if !may || x.work != nil || x.found.of.same(s) {
		return
	}
	w := &work{of: s}
	x.work = w
	picture, counted := x.desk.Picture, x.counted
	if picture.Other {
		picture = picture.Own()
	}
	var figures physics.Figures
	w.end = x.desk.Aside(x.desk.Voxels, 1, func(ctx context.Context) (err error) {
		figures, err = measured(ctx, picture, s, &counted)
		return err
	}, func(err error) {
		x.work, x.counted = nil, counted
		x.found = found{of: s, figures: &figures, picture: picture}
		if err != nil {
			x.found = found{of: s, problem: message.Of(err).Sentence()}
		}
		x.desk.Changed()
	})
}

// measured measures a picture. It finds the foreground if counted is that of another volume.
func measured(ctx context.Context, p *viewer.Picture, s subject, counted *foreground) (physics.Figures, error) {
	before, err := measure.SliceOf(p.Volume(p.Before), 0)
	if err != nil {
		return physics.Figures{}, err
	}
	after := before
	after.Values = p.After
	q := physics.Request{Before: []measure.Slice{before}, After: []measure.Slice{after}, Regions: s.regions, Rods: s.rods}
	if s.regions == nil {
		if counted.of != p.Source {
			counts, err := noise.Foreground(ctx, p.Source)
			if err != nil {
				return physics.Figures{}, err
			}
			*counted = foreground{of: p.Source, counts: counts}
		}
		if counts := counted.counts; counts != nil {
			q.Counts = func(i int) bool {
				v := p.View.Voxel(i%before.Width, i/before.Width, p.Index)
				return counts(p.Source.Index(v[0], v[1], v[2]))
			}
		}
	}
	return physics.Measure(ctx, q)
}
