package screen

import (
	"quell/ui/language"
	"quell/ui/newest"
	"quell/ui/session/desk"
	"quell/ui/viewer"
	"quell/volume"
)

// planesJob is a frame of every plane: the frame of the denoised pane, which shows one
// side.
type planesJob [3]viewer.Job

type planesDrawn struct {
	of     *volume.Volume // that was drawn
	frames [3]viewer.Frame
	fresh  [3]bool // drawn anew
	err    error
}

// planes draws the three planes through one point, each in a pane of its own.
type planes struct {
	desk   *desk.Desk
	worker newest.Worker[planesJob, planesDrawn]
}

func newPlanes(d *desk.Desk) *planes {
	var renderers [3]viewer.Renderer
	var last planesJob // that was drawn without an error
	var frames [3]viewer.Frame
	ps := &planes{desk: d}
	ps.worker = newest.Worker[planesJob, planesDrawn]{
		Go: d.Go, Do: d.Do,
		Work: func(job planesJob) (out planesDrawn) {
			out.of = job[0].Source
			out.err = d.Protect(func() error {
				for p := range job {
					if job[p] != last[p] { // a plane that has not changed keeps its frame
						_, drawn := renderers[p].Render(job[p])
						frames[p], last[p], out.fresh[p] = drawn[viewer.Denoised], job[p], true
					}
				}
				return nil
			})
			out.frames = frames
			return out
		},
		Done: func(out planesDrawn) {
			switch {
			case out.err != nil:
				d.Tasks.Say(language.Error(out.err))
				d.Changed()
			case d.Doc != nil && out.of == d.Doc.Series().Volume:
				d.PlanesFramed(out.frames)
			default:
				for p := range out.fresh {
					if out.fresh[p] {
						renderers[p].Discard()
						last[p] = viewer.Job{}
					}
				}
			}
		},
	}
	return ps
}

// draw draws the planes with what they have in common with a job of the panes.
func (ps *planes) draw(job viewer.Job, result bool) {
	if ps.desk.PlanePanes == nil {
		return
	}
	panes := ps.desk.PlanePanes()
	var jobs planesJob
	drawn := false // is shown
	job.Before, job.Compare, job.Last, job.Tints = !result, viewer.Comparison{}, nil, [viewer.Roles]*viewer.Tint{}
	if job.Before {
		job.Result, job.Part = nil, false
	}
	for p, pane := range panes {
		cut := ps.desk.State.In(volume.Plane(p))
		job.View, job.Index, job.Zoom, job.Pan = cut.View(), cut.Index(), cut.Zoom(), cut.Pan()
		job.Panes = [viewer.Roles]viewer.Pane{viewer.Original: {Hidden: true}, viewer.Denoised: pane, viewer.Residual: {Hidden: true}}
		jobs[p] = job
		drawn = drawn || !pane.Hidden && pane.Width > 0
	}
	if drawn {
		ps.worker.Request(jobs)
	}
}
