package session

import (
	"context"

	"quell/app"
	"quell/series"
)

// measureJob asks for the measures of a slice or of a run; one of the two is
// set.
type measureJob struct {
	preview   *app.Preview
	run       *app.Run
	reference *series.Series
}

// measured is an answer; ok is false before the first.
type measured struct {
	job measureJob
	is  app.Measures
	err error
	ok  bool
}

// Measures are the numbers for one of the two columns.
type Measures struct {
	app.Measures
	Known   bool  // there are numbers
	Current bool  // they belong to what is shown, with these parameters
	Err     error // why there are none
}

// measure does one job. It is not cancelled: a job that is not wanted any more
// is soon done and holds up nobody.
func measure(job measureJob) measured {
	m := measured{job: job, ok: true}
	if job.run != nil {
		m.is, m.err = app.MeasureRun(context.Background(), job.run, job.reference)
	} else {
		m.is, m.err = app.MeasurePreview(context.Background(), *job.preview, job.reference)
	}
	return m
}

// SliceMeasures returns the numbers of the slice on the screen.
func (s *Session) SliceMeasures() Measures {
	if s.doc == nil || s.picture == nil || s.picture.Result == nil || !s.sliceNumbers.ok {
		return Measures{}
	}
	q := s.sliceNumbers.job.preview.Request
	here := q.Series == s.doc.Series() && q.Plane == s.picture.View.Plane && q.Index == s.picture.Index
	_, _, status := s.shown()
	return Measures{
		Measures: s.sliceNumbers.is, Known: s.sliceNumbers.err == nil && here, Err: s.sliceNumbers.err,
		Current: here && (status == Slice || status == Whole),
	}
}

// VolumeMeasures returns the numbers of the run over the whole volume.
func (s *Session) VolumeMeasures() Measures {
	if s.doc == nil || s.doc.Run() == nil || !s.volumeNumbers.ok || s.volumeNumbers.job.run != s.doc.Run() {
		return Measures{}
	}
	return Measures{
		Measures: s.volumeNumbers.is, Known: s.volumeNumbers.err == nil, Err: s.volumeNumbers.err,
		Current: !s.doc.Stale(s.recipe),
	}
}

// measureSlice asks for the numbers of the picture that came onto the screen.
func (s *Session) measureSlice() {
	p := s.picture
	if p == nil || p.Result == nil {
		return
	}
	q := s.request()
	q.Plane, q.Index = p.View.Plane, p.Index
	part := p.Result
	if !p.Part {
		part = part.Crop(p.View.Region(p.Index))
	}
	s.sliceMeasures.Request(measureJob{preview: &app.Preview{Request: q, Part: part}, reference: s.doc.Reference()})
}

func (s *Session) measureVolume() {
	if run := s.doc.Run(); run != nil {
		s.volumeMeasures.Request(measureJob{run: run, reference: s.doc.Reference()})
	}
}

// measureAgain follows a change of the reference.
func (s *Session) measureAgain() {
	s.measureSlice()
	s.measureVolume()
	s.tell.Changed()
}
