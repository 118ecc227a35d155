// Package measures measures the slice on the screen and the run over the volume, judges the slices
// one by one, and finds what the filter chose around a voxel.
package measures

import (
	"context"
	"fmt"

	"fyne.io/fyne/v2/lang"

	"quell/app/executor"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise"
	"quell/internal/parallel"
	"quell/series"
	"quell/ui/language"
	"quell/ui/newest"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
	"quell/ui/viewer"
	"quell/volume"
)

// measureJob asks for the measures of a slice or of a run; one of preview and run is set.
type measureJob struct {
	ctx       context.Context // ends when the numbers are no longer needed
	preview   *workbench.Preview
	picture   *viewer.Picture // that shows the preview
	run       *run.Run
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

// runs says whether the newest job is neither answered nor cancelled.
func (m *measuring) runs() bool { return m.end != nil && !m.answered && !m.stopped() }

// take says whether an answer is from the newest job and still asked for.
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

// measured is the answer to a measureJob; it is not known before the first.
type measured struct {
	desk.Measured
	job measureJob
}

// Numbers are the numbers of one column of the panel.
type Numbers struct {
	judge.Measures
	Known   bool  // there are numbers
	Current bool  // they belong to the current recipe and the shown slice
	Index   int   // of the slice that they belong to, which is another while the numbers of the slice shown are coming
	Err     error // why there are no numbers
	Run     int   // number of the run that they are of; 0 for a slice
}

// Measures are the numbers of the slice on the screen, and of the run over the volume.
type Measures struct {
	desk          *desk.Desk
	preview       *preview.Preview
	slice, volume measuring
	sliceNumbers  measured
	marked        bool                                         // structure in the residual is
	word          func(z int, own judge.Verdict) judge.Verdict // see [Strip.words]
}

// New returns the measures of a desk.
func New(d *desk.Desk, p *preview.Preview) *Measures {
	ms := &Measures{desk: d, preview: p}
	ms.slice.worker = newest.Worker[measureJob, measured]{Go: d.Go, Do: d.Do, Work: ms.measure, Done: ms.sliceMeasured}
	ms.volume.worker = newest.Worker[measureJob, measured]{Go: d.Go, Do: d.Do, Work: ms.measure, Done: ms.volumeMeasured}
	d.OnClear(func() {
		ms.sliceNumbers = measured{}
		ms.slice.forget()
		ms.volume.forget()
	})
	return ms
}

// Running says whether numbers of the slice on the screen, and of the run, are being computed.
func (ms *Measures) Running() (slice, volume bool) { return ms.slice.runs(), ms.volume.runs() }

// Stop ends the measurement of the slice on the screen.
func (ms *Measures) Stop() { ms.slice.stop() }

// Known says whether a result that is on the screen is measured.
func (ms *Measures) Known(result *volume.Volume) bool {
	return ms.slice.answered && ms.slice.newest.picture.Result == result
}

// measure does one job.
func (ms *Measures) measure(job measureJob) measured {
	m := measured{desk.Measured{Reference: job.reference, Known: true}, job}
	m.Err = ms.desk.Protect(func() (err error) {
		if job.run != nil {
			if err = ms.tooLarge(job.run.Source.Volume); err != nil {
				return err
			}
			m.Measures, err = judge.Measure(job.ctx, job.engine, job.run, job.reference)
		} else {
			m.Measures, err = workbench.MeasurePreview(job.ctx, *job.preview, job.reference)
		}
		return err
	})
	return m
}

// tooLarge returns why a result cannot be judged as a whole: an error that says so if the
// memory does not suffice.
func (ms *Measures) tooLarge(v *volume.Volume) error {
	if need, free := executor.JudgeMemory(v), ms.desk.Available(); free > 0 && need > free {
		return fmt.Errorf(lang.L("the result is not judged as a whole: that takes up to %s of memory and %s is free"), language.Number(job.Bytes(need)), language.Number(job.Bytes(free)))
	}
	return nil
}

// Slice returns the numbers of the slice on the screen, or of the one before it
// until those are there. It has the verdict of the strip.
func (ms *Measures) Slice() Numbers {
	if ms.desk.Doc == nil || ms.desk.Picture == nil || !ms.sliceNumbers.Known {
		return Numbers{}
	}
	q := ms.sliceNumbers.job.preview.Request
	result, _, _ := ms.preview.Shown()
	coming := ms.preview.Running() || result != nil
	if q.Series != ms.desk.Doc.Series() || q.Plane != ms.desk.Picture.View.Plane || ms.desk.Picture.Result == nil && !coming {
		return Numbers{}
	}
	here := q.Index == ms.desk.Picture.Index && ms.desk.Picture.Result != nil
	n := Numbers{
		Measures: ms.sliceNumbers.Measures, Known: ms.sliceNumbers.Err == nil && (here || coming), Err: ms.sliceNumbers.Err,
		Current: here && desk.SameRequest(q, ms.desk.Request()), Index: q.Index,
	}
	if n.Current {
		z := -1
		if view := q.Series.Volume.View(q.Plane); q.Plane == q.Series.Volume.Acquired() {
			z = view.Voxel(0, 0, q.Index)[2]
		}
		n.Verdict = ms.word(z, n.Verdict)
	}
	return n
}

// Volume returns the numbers of the run over the whole volume.
func (ms *Measures) Volume() Numbers {
	if ms.desk.Doc == nil {
		return Numbers{}
	}
	r := ms.desk.ResultOf(ms.desk.Doc.Run())
	if r == nil || !r.Numbers.Known {
		return Numbers{}
	}
	return Numbers{Measures: r.Numbers.Measures, Known: r.Numbers.Err == nil, Err: r.Numbers.Err, Current: ms.desk.Made(r.Run), Run: r.Number}
}

// SliceRecipe returns the recipe that the numbers of the slice are of, with its automatic values as numbers; none without them.
func (ms *Measures) SliceRecipe() denoise.Recipe {
	if !ms.Slice().Known {
		return denoise.Recipe{}
	}
	q := ms.sliceNumbers.job.preview.Request
	if facts, known := ms.desk.Doc.Facts(); known {
		if resolved, err := q.Recipe.Resolve(q.Series.Volume.Geometry, facts); err == nil {
			return resolved
		}
	}
	return q.Recipe
}

// sliceMeasured and volumeMeasured store an answer, unless it comes too late.
func (ms *Measures) sliceMeasured(m measured) {
	if ms.slice.take(m) {
		ms.sliceNumbers = m
		ms.preview.FilterAhead()
		ms.changed()
		ms.desk.Collect(true)
	}
}

func (ms *Measures) volumeMeasured(m measured) {
	if r := ms.desk.ResultOf(m.job.run); ms.volume.take(m) && r != nil {
		r.Numbers = m.Measured
		ms.changed()
	}
}

func (ms *Measures) changed() {
	if ms.marked {
		ms.desk.Draw()
	}
	ms.desk.Changed()
}

// Follow cancels the measurements that a change made obsolete: measurements of a slice
// that is left, and of a run when the recipe or what steers it is another. Numbers of a
// run that were ended so are asked for again when it is the run of the recipe.
func (ms *Measures) Follow() {
	if ms.desk.Doc == nil {
		return
	}
	if ms.desk.Picture != nil && !ms.desk.IsAsked(ms.desk.Picture) {
		ms.slice.stop()
	}
	run := ms.desk.Doc.Run()
	if !ms.desk.Made(run) {
		ms.volume.stop()
		return
	}
	r := ms.desk.ResultOf(run)
	measured := r.Numbers.Known && r.Numbers.Reference == ms.desk.Doc.Reference()
	if !measured && (ms.volume.newest.run != run || ms.volume.stopped()) {
		ms.measureVolume()
	}
}

// Want asks for the numbers of the picture on the screen if it has none and stays: no
// preview takes its place. Slices that are filtered ahead may come first.
func (ms *Measures) Want() {
	_, first := ms.preview.Ahead()
	if ms.desk.Picture != nil && !ms.preview.Running() && !first && ms.desk.IsAsked(ms.desk.Picture) && (ms.slice.newest.picture != ms.desk.Picture || ms.slice.stopped()) {
		ms.MeasureSlice()
	}
}

// MeasureSlice asks for the numbers of the picture that is now on the screen. They
// are judged by the recipe and the maps that made it, which may be earlier ones.
func (ms *Measures) MeasureSlice() {
	p := ms.desk.Picture
	if p == nil {
		return
	}
	made := *p
	if p.Unfiltered() { // the numbers are of the filter, whatever is compared
		made.Result, made.Part, _ = ms.preview.Shown()
	}
	if made.Result == nil {
		return
	}
	q, ok := ms.preview.MadeBy(&made)
	if _, known := ms.desk.Doc.Facts(); !ok || !known {
		return
	}
	part := made.Result
	if !made.Part {
		part = part.Crop(p.View.Region(p.Index))
	}
	ms.slice.request(ms.desk.Voxels, measureJob{preview: &workbench.Preview{Request: q, Part: part}, picture: p, reference: ms.desk.Doc.Reference()})
}

func (ms *Measures) measureVolume() {
	if run := ms.desk.Doc.Run(); run != nil {
		ms.volume.request(ms.desk.Voxels, measureJob{run: run, engine: ms.desk.Engine, reference: ms.desk.Doc.Reference()})
	}
}

// Again follows a change of the reference.
func (ms *Measures) Again() {
	ms.MeasureSlice()
	ms.measureVolume()
	ms.desk.Changed()
}
