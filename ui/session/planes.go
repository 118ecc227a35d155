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

func (sc *Screen) startPlanes() {
	var renderers [3]viewer.Renderer
	var last planesJob // that was drawn without an error
	var frames [3]viewer.Frame
	for p := range sc.planes.states {
		sc.planes.states[p] = sc.s.state.In(volume.Plane(p))
	}
	sc.planes.worker = newest.Worker[planesJob, planesDrawn]{
		Go: sc.s.deps.Go, Do: sc.s.deps.Do,
		Work: func(job planesJob) (d planesDrawn) {
			d.of = job[0].Source
			d.err = sc.s.protect(func() error {
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
				sc.s.Tasks.message = language.Sentence(d.err.Error())
				sc.s.listener.Changed()
			case sc.s.doc != nil && d.of == sc.s.doc.Series().Volume:
				sc.s.listener.PlanesFramed(d.frames)
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
func (sc *Screen) Plane(p volume.Plane) *viewer.State { return sc.planes.states[p] }

// PlanesShowResult says whether the planes show the denoised volume. Until the whole volume
// has been filtered with the current recipe, or while Space is held, they show side A.
func (sc *Screen) PlanesShowResult() bool {
	_, _, status := sc.s.Preview.shown()
	return status == Whole && !sc.holdBefore
}

// drawPlanes draws the planes with what they have in common with a job of the panes.
func (sc *Screen) drawPlanes(job viewer.Job) {
	if sc.s.listener.PlanePanes == nil {
		return
	}
	panes := sc.s.listener.PlanePanes()
	var jobs planesJob
	drawn := false // is shown
	job.Before, job.Compare, job.Last, job.Tints = !sc.PlanesShowResult(), viewer.Comparison{}, nil, [viewer.Roles]*viewer.Tint{}
	if job.Before {
		job.Result, job.Part = nil, false
	}
	for p, pane := range panes {
		state := sc.planes.states[p]
		job.View, job.Index, job.Zoom, job.Pan = state.View(), state.Index(), state.Zoom(), state.Pan()
		job.Panes = [viewer.Roles]viewer.Pane{viewer.Original: {Hidden: true}, viewer.Denoised: pane, viewer.Residual: {Hidden: true}}
		jobs[p] = job
		drawn = drawn || !pane.Hidden && pane.Width > 0
	}
	if drawn {
		sc.planes.worker.Request(jobs)
	}
}
