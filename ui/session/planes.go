package session

import (
	"quell/ui/language"
	"quell/ui/newest"
	"quell/ui/viewer"
	"quell/volume"
)

// planes draws the three planes through one point, each in a pane of its own.
type planes struct {
	states [3]*viewer.State // by plane
	worker newest.Worker[planesJob, planesDrawn]
}

// planesJob is a frame of every plane: that of the denoised pane, which shows one side.
type planesJob [3]viewer.Job

type planesDrawn struct {
	of     *volume.Volume // that was drawn
	frames [3]viewer.Frame
	fresh  [3]bool // drawn anew
	err    error
}

func (s *Session) startPlanes() {
	var renderers [3]viewer.Renderer
	var last planesJob // that was drawn without an error
	var frames [3]viewer.Frame
	for p := range s.planes.states {
		s.planes.states[p] = s.state.In(volume.Plane(p))
	}
	s.planes.worker = newest.Worker[planesJob, planesDrawn]{
		Go: s.deps.Go, Do: s.deps.Do,
		Work: func(job planesJob) (d planesDrawn) {
			d.of = job[0].Source
			d.err = s.protect(func() error {
				for p := range job {
					if job[p] != last[p] { // a plane that has not changed keeps its frame
						_, drawn := renderers[p].Render(job[p])
						frames[p], last[p], d.fresh[p] = drawn[viewer.Denoised], job[p], true
					}
				}
				return nil
			})
			d.frames = frames
			return d
		},
		Done: func(d planesDrawn) {
			switch {
			case d.err != nil:
				s.message = language.Sentence(d.err.Error())
				s.listener.Changed()
			case s.doc != nil && d.of == s.doc.Series().Volume:
				s.listener.PlanesFramed(d.frames)
			default:
				for p := range d.fresh {
					if d.fresh[p] {
						renderers[p].Discard()
						last[p] = viewer.Job{}
					}
				}
			}
		},
	}
}

// Plane returns the state of the pane of a plane.
func (s *Session) Plane(p volume.Plane) *viewer.State { return s.planes.states[p] }

// PlanesShowResult says whether the planes show the denoised volume. Until the whole volume
// has been filtered with the current recipe, or while Space is held, they show side A.
func (s *Session) PlanesShowResult() bool {
	_, _, status := s.shown()
	return status == Whole && !s.holdBefore
}

// drawPlanes draws the planes with what they have in common with a job of the panes.
func (s *Session) drawPlanes(job viewer.Job) {
	if s.listener.PlanePanes == nil {
		return
	}
	panes := s.listener.PlanePanes()
	var jobs planesJob
	drawn := false // is shown
	job.Before, job.Compare, job.Last, job.Tints = !s.PlanesShowResult(), viewer.Comparison{}, nil, [viewer.Roles]*viewer.Tint{}
	if job.Before {
		job.Result, job.Part = nil, false
	}
	for p, pane := range panes {
		state := s.planes.states[p]
		job.View, job.Index, job.Zoom, job.Pan = state.View(), state.Index(), state.Zoom(), state.Pan()
		job.Panes = [viewer.Roles]viewer.Pane{viewer.Original: {Hidden: true}, viewer.Denoised: pane, viewer.Residual: {Hidden: true}}
		jobs[p] = job
		drawn = drawn || !pane.Hidden && pane.Width > 0
	}
	if drawn {
		s.planes.worker.Request(jobs)
	}
}
