// Package lesions finds what the recipe leaves of virtual lesions in the series that is shown.
package lesions

import (
	"context"
	"errors"

	"fyne.io/fyne/v2/lang"

	"quell/app/job"
	"quell/app/judge"
	"quell/app/study"
	"quell/app/workbench"
	"quell/denoise/lesions"
	"quell/internal/message"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
)

// contrasts are those of the lesions, in sigmas: from what is lost in the noise to what stands out.
var contrasts = []judge.Contrast{{Value: 0.5, InSigmas: true}, {Value: 1, InSigmas: true}, {Value: 2, InSigmas: true}, {Value: 3, InSigmas: true}, {Value: 4, InSigmas: true}}

// Lesions are what the recipe leaves of virtual lesions.
type Lesions struct {
	desk    *desk.Desk
	preview *preview.Preview
	watched bool
	found   desk.Slot[found]
	work    *work // in progress, or nil
}

// found is what the last work on a document came to.
type found struct {
	of      workbench.PreviewRequest // the series with the recipe, maps and noise for which it holds
	panel   *lesions.Panel
	problem message.Message // why there is no panel; empty if there is one, or the work was stopped
	stopped bool            // by the user
}

// work is a panel that is being measured.
type work struct {
	of          workbench.PreviewRequest
	end         func()
	done, total int // lesions
}

// State is what is known for the present recipe. Nothing of an earlier recipe is in it.
type State struct {
	Panel       *lesions.Panel  // nil before it is measured
	Problem     message.Message // why there is none, a sentence
	Measuring   bool
	Done, Total int  // lesions, while it is measured
	Stopped     bool // the user stopped the work
}

// New returns the lesions of a desk.
func New(d *desk.Desk, p *preview.Preview) *Lesions {
	l := &Lesions{desk: d, preview: p, found: desk.Slot[found]{OfVoxels: true}}
	d.OnClear(l.end)
	return l
}

// Watch says whether the numbers are wanted: they are measured for every recipe in the background, and the work ends
// when they are wanted no more.
func (l *Lesions) Watch(on bool) {
	if l.watched == on {
		return
	}
	l.watched = on
	l.Follow()
}

// Now returns what is known for the present recipe.
func (l *Lesions) Now() State {
	if l.desk.Doc == nil {
		return State{}
	}
	q := l.request()
	if w := l.work; w != nil && desk.SameRequest(w.of, q) {
		return State{Measuring: true, Done: w.done, Total: w.total}
	}
	if f := l.found.Of(l.desk.Document); desk.SameRequest(f.of, q) {
		return State{Panel: f.panel, Problem: f.problem, Stopped: f.stopped}
	}
	return State{}
}

// request is the present recipe on the series, whichever slice is shown.
func (l *Lesions) request() workbench.PreviewRequest {
	q := l.desk.Request()
	q.Plane, q.Index = l.desk.Doc.Series().Volume.Acquired(), 0
	return q
}

// Stop ends the work on the present recipe until it is asked for again.
func (l *Lesions) Stop() {
	if w := l.work; w != nil {
		*l.found.Of(l.desk.Document) = found{of: w.of, stopped: true}
		l.end()
		l.desk.Changed()
	}
}

// Start measures after a stop.
func (l *Lesions) Start() {
	if l.desk.Doc != nil && l.work == nil {
		*l.found.Of(l.desk.Document) = found{}
		l.Follow()
		l.desk.Changed()
	}
}

func (l *Lesions) end() {
	if l.work != nil {
		l.work.end()
		l.work = nil
	}
}

// may says whether the numbers are wanted, and nothing is in progress that they would slow down: a task, or the slice
// on the screen.
func (l *Lesions) may() bool {
	if !l.watched || l.desk.Doc == nil || l.desk.Tasks.Busy() || l.preview.Running() {
		return false
	}
	_, known := l.desk.Doc.Facts()
	return known
}

// Follow measures for the present recipe, or ends the work for another one.
func (l *Lesions) Follow() {
	may := l.may()
	if w := l.work; w != nil && (!may || !desk.SameRequest(w.of, l.request())) {
		l.end()
	}
	if !may || l.work != nil {
		return
	}
	q, kept := l.request(), l.found.Of(l.desk.Document)
	if desk.SameRequest(kept.of, q) {
		return
	}
	facts, _ := l.desk.Doc.Facts()
	if unknown := facts.Noise.Sentence(); !unknown.IsZero() {
		*kept = found{of: q, problem: unknown}
		return
	}
	w := &work{of: q}
	l.work = w
	request := judge.LesionRequest{
		Series: q.Series, Recipe: q.Recipe, Maps: q.Maps, Facts: &facts, Engine: l.desk.Engine,
		Contrasts: contrasts, Seed: lesions.UsualSeed, Pictured: true,
		Progress: func(done, total int) {
			l.desk.Do(func() {
				w.done, w.total = done, total
				if l.work == w {
					l.desk.Changed()
				}
			})
		},
	}
	var panel lesions.Panel
	w.end = l.desk.Aside(l.desk.Voxels, 1, func(ctx context.Context) (err error) {
		panel, err = judge.Lesions(ctx, request)
		return err
	}, func(err error) {
		l.work = nil
		*kept = found{of: q, panel: &panel}
		if err != nil {
			*kept = found{of: q, problem: problemOf(err)}
		}
		l.desk.Changed()
	})
}

// problemOf returns the sentence on an error. The advice on an input is for the command line.
func problemOf(err error) message.Message {
	var in *job.InputError
	if errors.As(err, &in) {
		return in.Problem.Sentence()
	}
	return message.Of(err).Sentence()
}

// StudyRequest asks for a reader study of the series and recipe that are shown.
type StudyRequest struct {
	Size      float64 // of the lesion in mm
	Sigmas    float64 // its contrast, in sigmas of the noise
	Places    int
	Seed      uint64
	Path      string // of the page
	Overwrite bool
}

// CanMakeStudy says whether MakeStudy can start.
func (l *Lesions) CanMakeStudy() bool { return l.desk.Doc != nil && !l.desk.Tasks.Busy() }

// MakeStudy writes the page and the key of a study and then calls done. It does nothing during another task.
func (l *Lesions) MakeStudy(r StudyRequest, done func()) {
	if !l.CanMakeStudy() {
		return
	}
	q := l.request()
	request := judge.LesionRequest{
		Series: q.Series, Recipe: q.Recipe, Maps: q.Maps, Engine: l.desk.Engine, Seed: r.Seed,
		Sizes: []float64{r.Size}, Contrasts: []judge.Contrast{{Value: r.Sigmas, InSigmas: true}}, Places: r.Places,
	}
	if facts, known := l.desk.Doc.Facts(); known {
		request.Facts = &facts
	}
	t := l.desk.Tasks.Start(desk.Preparing, lang.L("Making the study"), "")
	l.desk.Tasks.Do(t, func() error {
		_, err := study.Write(t.Ctx, request, r.Path, r.Overwrite)
		return err
	}, func() {
		l.desk.Changed()
		done()
	})
}
