package measures

import (
	"context"

	"quell/app/judge"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/measure"
	"quell/series"
	"quell/ui/newest"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
	"quell/ui/viewer"
	"quell/volume"
)

// Within measures how much changed of the slice on the screen within the window that shows it.
type Within struct {
	desk    *desk.Desk
	preview *preview.Preview
	worker  newest.Worker[withinJob, withinAnswer]
	asked   shownPart
	end     context.CancelFunc // of the requested slice
	found   withinAnswer
}

// shownPart is what the numbers are of.
type shownPart struct {
	source, result *volume.Volume
	reference      *series.Series // or nil
	view           volume.View
	index          int
	window         volume.Window
}

type withinJob struct {
	ctx     context.Context
	picture *viewer.Picture
	of      shownPart
}

type withinAnswer struct {
	*Clipped
	of  shownPart
	err error
}

// Clipped are measures of values that are clipped to the ends of a window.
type Clipped struct {
	Change       measure.Comparison  // of the result, against the original
	Start, Truth *measure.Comparison // of original and result against the reference; nil without one
}

// NewWithin returns the measures within the window of a desk.
func NewWithin(d *desk.Desk, p *preview.Preview) *Within {
	x := &Within{desk: d, preview: p}
	x.worker = newest.Worker[withinJob, withinAnswer]{Go: d.Go, Do: d.Do, Work: x.measure, Done: x.measured}
	d.OnClear(func() {
		x.stop()
		x.asked, x.found = shownPart{}, withinAnswer{}
	})
	return x
}

// Now returns the window on the screen, and the measures of the picture on the screen within it; nil until they are known. Numbers
// of another picture or window are never returned.
func (x *Within) Now() (volume.Window, *Clipped) {
	of, _, ok := x.shown()
	if !ok || x.found.of != of || x.found.err != nil {
		return of.window, nil
	}
	return of.window, x.found.Clipped
}

// shown returns the slice on the screen; false while its result is to come.
func (x *Within) shown() (of shownPart, p *viewer.Picture, ok bool) {
	if x.desk.Doc != nil {
		of.window = x.desk.State.Windows.Current()
	}
	if p, ok = x.preview.Settled(); !ok {
		return of, nil, false
	}
	of.source, of.result, of.reference, of.view, of.index = p.Source, p.Result, x.desk.Doc.Reference(), p.View, p.Index
	return of, p, true
}

// Want asks for the numbers of the slice on the screen, unless they are known or coming.
func (x *Within) Want() {
	of, p, ok := x.shown()
	if !ok {
		x.stop()
		return
	}
	if of == x.asked {
		return
	}
	x.stop()
	job := withinJob{picture: p, of: of}
	job.ctx, x.end = context.WithCancel(parallel.Sparing(x.desk.Voxels, 1))
	x.asked = of
	x.worker.Request(job)
}

// stop ends requests that are not answered yet.
func (x *Within) stop() {
	if x.end != nil {
		x.end()
		x.end = nil
	}
	if x.asked != x.found.of {
		x.asked = shownPart{}
	}
}

func (x *Within) measure(job withinJob) (out withinAnswer) {
	out.of, out.Clipped = job.of, &Clipped{}
	out.err = x.desk.Protect(func() (err error) {
		p := job.picture.Own() // side A may be an earlier run or another series
		before, after := p.Volume(p.Before), p.Volume(p.After)
		if out.Change, err = judge.Within(job.ctx, before, after, job.of.window); err != nil || job.of.reference == nil {
			return err
		}
		reference := p.Volume(p.View.Extract(nil, job.of.reference.Volume, p.Index))
		start, err := judge.Within(job.ctx, reference, before, job.of.window)
		if err != nil {
			return err
		}
		truth, err := judge.Within(job.ctx, reference, after, job.of.window)
		out.Start, out.Truth = &start, &truth
		return err
	})
	return out
}

func (x *Within) measured(a withinAnswer) {
	if a.of == x.asked {
		x.found = a
		x.desk.Changed()
	}
}

// Structure holds the places at which the residual on the screen shows more than
// noise.
type Structure struct {
	Why   message.Message // the reason of the verdict on it, a sentence
	Place tune.Place
	Any   bool // there is structure, worst at Place

	Tint *viewer.Tint // over the residual
}

// Structures marks structure in the residual.
type Structures struct {
	desk     *desk.Desk
	measures *Measures
}

// NewStructures returns the structure of the measured slice.
func NewStructures(d *desk.Desk, ms *Measures) *Structures { return &Structures{desk: d, measures: ms} }

// structureScale is the structure, in sigmas, that is marked most strongly.
const structureScale = 2

// Toggle marks structure in the residual, or stops marking it.
func (sx *Structures) Toggle() {
	sx.measures.marked = !sx.measures.marked
	sx.desk.Draw()
	sx.desk.Changed()
}

// Marked says whether structure in the residual is marked.
func (sx *Structures) Marked() bool { return sx.measures.marked }

// Here returns the figures of the structure in the residual on the screen;
// nil while it is not judged.
func (sx *Structures) Here() *Structure {
	p := sx.desk.Picture
	if sx.desk.Doc == nil || p == nil || p.Result == nil {
		return nil
	}
	if r := sx.desk.ResultOf(sx.desk.Doc.Run()); r != nil && r.Run.Result == p.Result && r.Numbers.Known && r.Numbers.Err == nil {
		return structureOf(r.Numbers.Measures, false)
	}
	m := sx.measures.sliceNumbers
	if !m.Known || m.Err != nil || m.job.preview == nil {
		return nil
	}
	q := m.job.preview.Request
	if made, ok := sx.measures.preview.MadeBy(p); !ok || !desk.SameRequest(made, q) {
		return nil
	}
	return structureOf(m.Measures, true)
}

// structureOf returns the structure of measured numbers; part says that they are of
// one slice alone.
func structureOf(m judge.Measures, part bool) *Structure {
	if m.Map == nil {
		return nil
	}
	out := &Structure{Why: m.Why, Tint: &viewer.Tint{
		Values: m.Map, Part: part, Unit: "σ", Colors: volume.Tint{Hi: structureScale, Marks: true},
	}}
	out.Place, out.Any = PlaceOf(m)
	return out
}

// PlaceOf returns the place at which a residual shows the most structure; false if it shows
// none.
func PlaceOf(m judge.Measures) (p tune.Place, ok bool) {
	if m.Place == nil {
		return p, false
	}
	return *m.Place, true
}
