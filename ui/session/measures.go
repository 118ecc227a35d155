package session

import (
	"context"

	"quell/app"
	"quell/denoise"
	"quell/internal/parallel"
	"quell/series"
	"quell/ui/newest"
	"quell/ui/viewer"
)

// measureJob asks for the measures of a slice or of a run; one of preview and
// run is set.
type measureJob struct {
	ctx       context.Context // ends when the numbers are no longer needed
	preview   *app.Preview
	picture   *viewer.Picture // that shows the preview
	run       *app.Run
	engine    denoise.Engine // that judges the run
	reference *series.Series
}

// measuring is the work on one column of the panel. A verdict takes seconds of all
// cores, which a preview needs: it is cancelled when its result is no longer needed.
type measuring struct {
	worker   newest.Worker[measureJob, measured]
	newest   measureJob
	end      context.CancelFunc // of the newest job; nil before the first
	answered bool               // the newest job is
}

// request asks for numbers of what parent lives as long as.
func (m *measuring) request(parent context.Context, job measureJob) {
	m.stop()
	job.ctx, m.end = context.WithCancel(parallel.Sparing(parent, 1))
	m.newest, m.answered = job, false
	m.worker.Request(job)
}

// stop cancels the newest job, unless it is answered.
func (m *measuring) stop() {
	if m.end != nil && !m.answered {
		m.end()
	}
}

// stopped says whether the newest job was cancelled.
func (m *measuring) stopped() bool { return m.end != nil && m.newest.ctx.Err() != nil }

// take says whether an answer is that of the newest job and still asked for.
func (m *measuring) take(answer measured) bool {
	if answer.job.ctx.Err() != nil {
		return false
	}
	m.answered = true
	return true
}

// forget stops the newest job and is as before the first.
func (m *measuring) forget() {
	m.stop()
	m.newest, m.end, m.answered = measureJob{}, nil, false
}

// measured is the answer to a measureJob; ok is false before the first.
type measured struct {
	job      measureJob
	measures app.Measures
	err      error
	ok       bool
}

// Measures are the numbers of one column of the panel.
type Numbers struct {
	app.Measures
	Known   bool  // there are numbers
	Current bool  // they belong to the current recipe and what is shown
	Index   int   // of the slice that they belong to, which is another while those of the slice shown are coming
	Err     error // why there are no numbers
}

// Measures are the numbers of the slice on the screen, and of the run over the volume.
type Measures struct {
	s             *Session
	slice, volume measuring
	sliceNumbers  measured
}

// measure does one job.
func (ms *Measures) measure(job measureJob) measured {
	m := measured{job: job, ok: true}
	m.err = ms.s.protect(func() (err error) {
		if job.run != nil {
			if err = ms.s.Results.tooLarge(job.run.Source.Volume); err != nil {
				return err
			}
			m.measures, err = app.MeasureRun(job.ctx, job.engine, job.run, job.reference)
		} else {
			m.measures, err = app.MeasurePreview(job.ctx, *job.preview, job.reference)
		}
		return err
	})
	return m
}

// Slice returns the numbers of the slice on the screen, or of the one before it
// until those are there.
func (ms *Measures) Slice() Numbers {
	if ms.s.doc == nil || ms.s.Screen.picture == nil || !ms.sliceNumbers.ok {
		return Numbers{}
	}
	q := ms.sliceNumbers.job.preview.Request
	result, _, _ := ms.s.Preview.shown()
	coming := ms.s.Preview.asked != nil || result != nil
	if q.Series != ms.s.doc.Series() || q.Plane != ms.s.Screen.picture.View.Plane || ms.s.Screen.picture.Result == nil && !coming {
		return Numbers{}
	}
	here := q.Index == ms.s.Screen.picture.Index && ms.s.Screen.picture.Result != nil
	return Numbers{
		Measures: ms.sliceNumbers.measures, Known: ms.sliceNumbers.err == nil && (here || coming), Err: ms.sliceNumbers.err,
		Current: here && sameRequest(q, ms.s.Tuning.request()), Index: q.Index,
	}
}

// Volume returns the numbers of the run over the whole volume.
func (ms *Measures) Volume() Numbers {
	if ms.s.doc == nil {
		return Numbers{}
	}
	r := ms.s.Results.of(ms.s.doc.Run())
	if r == nil || !r.numbers.ok {
		return Numbers{}
	}
	return Numbers{Measures: r.numbers.measures, Known: r.numbers.err == nil, Err: r.numbers.err, Current: ms.s.Tuning.made(r.run)}
}

// sliceMeasured and volumeMeasured store an answer, unless it comes too late.
func (ms *Measures) sliceMeasured(m measured) {
	if ms.slice.take(m) {
		ms.sliceNumbers = m
		ms.s.Preview.filterAhead()
		ms.changed()
		ms.s.Documents.collect(true)
	}
}

func (ms *Measures) volumeMeasured(m measured) {
	if r := ms.s.Results.of(m.job.run); ms.volume.take(m) && r != nil {
		r.numbers = m
		ms.changed()
	}
}

func (ms *Measures) changed() {
	if ms.s.Structures.marked {
		ms.s.Screen.draw()
	}
	ms.s.listener.Changed()
}

// madeBy returns the request that made the result in a picture; false where the
// result is not kept any more.
func (ms *Measures) madeBy(p *viewer.Picture) (q app.PreviewRequest, ok bool) {
	for _, r := range ms.s.results {
		if r.run.Result == p.Result {
			q = ms.s.Tuning.request()
			q.Recipe, q.Maps, q.Plane, q.Index = r.run.Recipe, r.run.Maps, p.View.Plane, p.Index
			q.Facts = ms.s.Tuning.factsUnder(r.run.Maps)
			return q, true
		}
	}
	for _, preview := range ms.s.previews {
		if preview.Part == p.Result {
			return preview.Request, true
		}
	}
	return q, false
}

// follow cancels the measurements that a change made obsolete: those of a
// slice that is left, and those of a run when the recipe or what steers it is another.
// Numbers of a run that were ended so are asked for again when it is that of the recipe.
func (ms *Measures) follow() {
	if ms.s.doc == nil {
		return
	}
	if ms.s.Screen.picture != nil && !ms.s.Screen.isAsked(ms.s.Screen.picture) {
		ms.slice.stop()
	}
	run := ms.s.doc.Run()
	if !ms.s.Tuning.made(run) {
		ms.volume.stop()
		return
	}
	r := ms.s.Results.of(run)
	measured := r.numbers.ok && r.numbers.job.reference == ms.s.doc.Reference()
	if !measured && (ms.volume.newest.run != run || ms.volume.stopped()) {
		ms.measureVolume()
	}
}

// isAsked says whether a picture shows the slice that the user has chosen.
func (sc *Screen) isAsked(p *viewer.Picture) bool {
	return p.View.Plane == sc.s.state.View().Plane && p.Index == sc.s.state.Index()
}

// want asks for the numbers of the picture on the screen where it has none
// and stays: no preview takes its place. Slices that are filtered ahead may come first.
func (ms *Measures) want() {
	if ms.s.Screen.picture != nil && ms.s.Preview.asked == nil && !ms.s.Preview.ahead.beforeNumbers() && ms.s.Screen.isAsked(ms.s.Screen.picture) && (ms.slice.newest.picture != ms.s.Screen.picture || ms.slice.stopped()) {
		ms.measureSlice()
	}
}

// measureSlice asks for the numbers of the picture that is now on the screen. They
// are judged by the recipe and the maps that made it, which may be earlier ones.
func (ms *Measures) measureSlice() {
	p := ms.s.Screen.picture
	if p == nil || p.Result == nil {
		return
	}
	q, ok := ms.madeBy(p)
	if _, known := ms.s.doc.Facts(); !ok || !known {
		return
	}
	part := p.Result
	if !p.Part {
		part = part.Crop(p.View.Region(p.Index))
	}
	ms.slice.request(ms.s.voxels, measureJob{preview: &app.Preview{Request: q, Part: part}, picture: p, reference: ms.s.doc.Reference()})
}

func (ms *Measures) measureVolume() {
	if run := ms.s.doc.Run(); run != nil {
		ms.volume.request(ms.s.voxels, measureJob{run: run, engine: ms.s.deps.Engine, reference: ms.s.doc.Reference()})
	}
}

// again follows a change of the reference.
func (ms *Measures) again() {
	ms.measureSlice()
	ms.measureVolume()
	ms.s.listener.Changed()
}
