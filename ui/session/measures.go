package session

import (
	"context"

	"quell/app"
	"quell/denoise"
	"quell/series"
	"quell/ui/viewer"
)

// measureJob asks for the measures of a slice or of a run; one of preview and
// run is set.
type measureJob struct {
	ctx       context.Context // ends with the voxels that are measured
	preview   *app.Preview
	run       *app.Run
	reference *series.Series
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
	Err     error // why there are no numbers
}

// measure does one job.
func (s *Session) measure(job measureJob) measured {
	m := measured{job: job, ok: true}
	m.err = s.protect(func() (err error) {
		if job.run != nil {
			m.measures, err = app.MeasureRun(job.ctx, job.run, job.reference)
		} else {
			m.measures, err = app.MeasurePreview(job.ctx, *job.preview, job.reference)
		}
		return err
	})
	return m
}

// SliceMeasures returns the numbers of the slice on the screen.
func (s *Session) SliceMeasures() Measures {
	if s.doc == nil || s.picture == nil || s.picture.Result == nil || !s.sliceNumbers.ok {
		return Measures{}
	}
	q := s.sliceNumbers.job.preview.Request
	here := q.Series == s.doc.Series() && q.Plane == s.picture.View.Plane && q.Index == s.picture.Index
	return Measures{
		Measures: s.sliceNumbers.measures, Known: s.sliceNumbers.err == nil && here, Err: s.sliceNumbers.err,
		Current: here && q.Recipe.Equal(s.recipe) && s.steering.equal(q.Maps),
	}
}

// VolumeMeasures returns the numbers of the run over the whole volume.
func (s *Session) VolumeMeasures() Measures {
	if s.doc == nil || s.doc.Run() == nil || !s.volumeNumbers.ok || s.volumeNumbers.job.run != s.doc.Run() {
		return Measures{}
	}
	return Measures{
		Measures: s.volumeNumbers.measures, Known: s.volumeNumbers.err == nil, Err: s.volumeNumbers.err,
		Current: s.made(s.doc.Run()),
	}
}

// sliceMeasured and volumeMeasured store an answer, unless its voxels are gone.
func (s *Session) sliceMeasured(m measured) {
	if m.job.ctx.Err() == nil {
		s.sliceNumbers = m
		s.measuresChanged()
	}
}

func (s *Session) volumeMeasured(m measured) {
	if m.job.ctx.Err() == nil {
		s.volumeNumbers = m
		s.measuresChanged()
	}
}

func (s *Session) measuresChanged() {
	if s.marksStructure {
		s.draw()
	}
	s.listener.Changed()
}

// recipeOf returns the recipe that made the result in a picture; false where the
// result is not kept any more.
func (s *Session) recipeOf(p *viewer.Picture) (denoise.Recipe, bool) {
	if run := s.doc.Run(); run != nil && run.Result == p.Result {
		return run.Recipe, true
	}
	for _, preview := range s.previews {
		if preview.Part == p.Result {
			return preview.Request.Recipe, true
		}
	}
	return denoise.Recipe{}, false
}

// measureSlice asks for the numbers of the picture that is now on the screen. They
// are judged by the recipe that made it, which may be an earlier one.
func (s *Session) measureSlice() {
	p := s.picture
	if p == nil || p.Result == nil {
		return
	}
	recipe, ok := s.recipeOf(p)
	if !ok {
		return
	}
	q := s.request()
	q.Recipe, q.Plane, q.Index = recipe, p.View.Plane, p.Index
	part := p.Result
	if !p.Part {
		part = part.Crop(p.View.Region(p.Index))
	}
	s.stopMeasuring()
	s.sliceJob, s.endSliceJob = context.WithCancel(s.voxels)
	s.sliceMeasures.Request(measureJob{ctx: s.sliceJob, preview: &app.Preview{Request: q, Part: part}, reference: s.doc.Reference()})
}

// stopMeasuring cancels the work on the numbers of a slice. A verdict takes seconds
// of all cores, which a preview needs.
func (s *Session) stopMeasuring() {
	if s.endSliceJob != nil {
		s.endSliceJob()
	}
}

// measuringEnded says whether the picture on the screen is not measured because a
// preview was asked for that did not come.
func (s *Session) measuringEnded() bool {
	return s.sliceJob != nil && s.sliceJob.Err() != nil && s.asked == nil
}

func (s *Session) measureVolume() {
	if run := s.doc.Run(); run != nil {
		s.volumeMeasures.Request(measureJob{ctx: s.voxels, run: run, reference: s.doc.Reference()})
	}
}

// measureAgain follows a change of the reference.
func (s *Session) measureAgain() {
	s.measureSlice()
	s.measureVolume()
	s.listener.Changed()
}
