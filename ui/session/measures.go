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
type Measures struct {
	app.Measures
	Known   bool  // there are numbers
	Current bool  // they belong to the current recipe and what is shown
	Index   int   // of the slice that they belong to, which is another while those of the slice shown are coming
	Err     error // why there are no numbers
}

// measure does one job.
func (s *Session) measure(job measureJob) measured {
	m := measured{job: job, ok: true}
	m.err = s.protect(func() (err error) {
		if job.run != nil {
			if err = s.tooLarge(job.run.Source.Volume); err != nil {
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

// SliceMeasures returns the numbers of the slice on the screen, or of the one before it
// until those are there.
func (s *Session) SliceMeasures() Measures {
	if s.doc == nil || s.picture == nil || !s.sliceNumbers.ok {
		return Measures{}
	}
	q := s.sliceNumbers.job.preview.Request
	result, _, _ := s.shown()
	coming := s.asked != nil || result != nil
	if q.Series != s.doc.Series() || q.Plane != s.picture.View.Plane || s.picture.Result == nil && !coming {
		return Measures{}
	}
	here := q.Index == s.picture.Index && s.picture.Result != nil
	return Measures{
		Measures: s.sliceNumbers.measures, Known: s.sliceNumbers.err == nil && (here || coming), Err: s.sliceNumbers.err,
		Current: here && sameRequest(q, s.request()), Index: q.Index,
	}
}

// VolumeMeasures returns the numbers of the run over the whole volume.
func (s *Session) VolumeMeasures() Measures {
	if s.doc == nil {
		return Measures{}
	}
	r := s.resultOf(s.doc.Run())
	if r == nil || !r.numbers.ok {
		return Measures{}
	}
	return Measures{Measures: r.numbers.measures, Known: r.numbers.err == nil, Err: r.numbers.err, Current: s.made(r.run)}
}

// sliceMeasured and volumeMeasured store an answer, unless it comes too late.
func (s *Session) sliceMeasured(m measured) {
	if s.slice.take(m) {
		s.sliceNumbers = m
		s.filterAhead()
		s.measuresChanged()
		s.collect(true)
	}
}

func (s *Session) volumeMeasured(m measured) {
	if r := s.resultOf(m.job.run); s.volume.take(m) && r != nil {
		r.numbers = m
		s.measuresChanged()
	}
}

func (s *Session) measuresChanged() {
	if s.marksStructure {
		s.draw()
	}
	s.listener.Changed()
}

// madeBy returns the request that made the result in a picture; false where the
// result is not kept any more.
func (s *Session) madeBy(p *viewer.Picture) (q app.PreviewRequest, ok bool) {
	for _, r := range s.results {
		if r.run.Result == p.Result {
			q = s.request()
			q.Recipe, q.Maps, q.Plane, q.Index = r.run.Recipe, r.run.Maps, p.View.Plane, p.Index
			q.Facts = s.factsUnder(r.run.Maps)
			return q, true
		}
	}
	for _, preview := range s.previews {
		if preview.Part == p.Result {
			return preview.Request, true
		}
	}
	return q, false
}

// followMeasures cancels the measurements that a change made obsolete: those of a
// slice that is left, and those of a run when the recipe or what steers it is another.
// Numbers of a run that were ended so are asked for again when it is that of the recipe.
func (s *Session) followMeasures() {
	if s.doc == nil {
		return
	}
	if s.picture != nil && !s.isAsked(s.picture) {
		s.slice.stop()
	}
	run := s.doc.Run()
	if !s.made(run) {
		s.volume.stop()
		return
	}
	r := s.resultOf(run)
	measured := r.numbers.ok && r.numbers.job.reference == s.doc.Reference()
	if !measured && (s.volume.newest.run != run || s.volume.stopped()) {
		s.measureVolume()
	}
}

// isAsked says whether a picture shows the slice that the user has chosen.
func (s *Session) isAsked(p *viewer.Picture) bool {
	return p.View.Plane == s.state.View().Plane && p.Index == s.state.Index()
}

// wantMeasures asks for the numbers of the picture on the screen where it has none
// and stays: no preview takes its place. Slices that are filtered ahead may come first.
func (s *Session) wantMeasures() {
	if s.picture != nil && s.asked == nil && !s.ahead.beforeNumbers() && s.isAsked(s.picture) && (s.slice.newest.picture != s.picture || s.slice.stopped()) {
		s.measureSlice()
	}
}

// measureSlice asks for the numbers of the picture that is now on the screen. They
// are judged by the recipe and the maps that made it, which may be earlier ones.
func (s *Session) measureSlice() {
	p := s.picture
	if p == nil || p.Result == nil {
		return
	}
	q, ok := s.madeBy(p)
	if _, known := s.doc.Facts(); !ok || !known {
		return
	}
	part := p.Result
	if !p.Part {
		part = part.Crop(p.View.Region(p.Index))
	}
	s.slice.request(s.voxels, measureJob{preview: &app.Preview{Request: q, Part: part}, picture: p, reference: s.doc.Reference()})
}

func (s *Session) measureVolume() {
	if run := s.doc.Run(); run != nil {
		s.volume.request(s.voxels, measureJob{run: run, engine: s.deps.Engine, reference: s.doc.Reference()})
	}
}

// measureAgain follows a change of the reference.
func (s *Session) measureAgain() {
	s.measureSlice()
	s.measureVolume()
	s.listener.Changed()
}
