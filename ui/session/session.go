package session

import (
	"context"
	"time"

	"quell/app"
	"quell/denoise"
	"quell/series"
	"quell/ui/newest"
	"quell/ui/viewer"
	"quell/volume"
)

// Deps is what a session needs of the program around it.
type Deps struct {
	Go     func(func()) // starts work on another goroutine
	Do     func(func()) // runs a function on the UI goroutine, later
	Engine denoise.Engine
	Now    func() time.Time
	// Remembered returns the recipe last used for each filter, Remember keeps
	// one; both are called on the UI goroutine.
	Remembered func() map[string]denoise.Recipe
	Remember   func(denoise.Recipe)
}

// Listener is told what happened, on the UI goroutine. Every field must be set.
type Listener struct {
	Changed func()                                              // something that panels show changed
	Framed  func(*viewer.Picture, [viewer.Roles]viewer.Frame)   // new pictures
	Panes   func() [viewer.Roles]viewer.Pane                    // asks for the panes' sizes
	Choose  func(c *app.Catalog, pick func(i int), drop func()) // several series were found
	Opened  func(path string)                                   // a series is shown; "" for the bundled one
	Failed  func(err error)                                     // an errand ended in an error, told once
}

// Session is the workbench's state. Create it with New.
type Session struct {
	deps  Deps
	tell  Listener
	state viewer.State

	catalog *app.Catalog
	doc     *app.Document
	recipe  denoise.Recipe // as on the sliders; the history holds the settled ones

	previewer   *app.Previewer
	previews    previews
	asked       *app.PreviewRequest // the newest preview asked for and not yet answered
	failed      *app.PreviewRequest // the request that ended in failure, so that it is not repeated
	failure     error
	autoPreview bool

	frames     newest.Worker[viewer.Job, drawn]
	picture    *viewer.Picture
	holdBefore bool

	sliceMeasures  newest.Worker[measureJob, measured]
	volumeMeasures newest.Worker[measureJob, measured]
	sliceNumbers   measured
	volumeNumbers  measured

	undone  func()  // what the engine failed at and another could do; told once
	errand  *errand // what runs and can be cancelled, or nil
	message string  // how the last errand ended
}

type drawn struct {
	picture *viewer.Picture
	frames  [viewer.Roles]viewer.Frame
}

// New returns a session without a series.
func New(deps Deps, tell Listener) *Session {
	if deps.Now == nil {
		deps.Now = time.Now
	}
	s := &Session{deps: deps, tell: tell, autoPreview: true}
	s.state.Changed = s.viewChanged
	s.state.Pointed = tell.Changed
	s.recipe, _ = denoise.NewRecipe(denoise.Filters()[0].Name, 0)

	renderer := &viewer.Renderer{}
	s.frames = newest.Worker[viewer.Job, drawn]{
		Go: deps.Go, Do: deps.Do,
		Work: func(job viewer.Job) drawn {
			picture, frames := renderer.Render(job)
			return drawn{picture, frames}
		},
		Done: s.framed,
	}
	s.sliceMeasures = newest.Worker[measureJob, measured]{
		Go: deps.Go, Do: deps.Do, Work: measure,
		Done: func(m measured) { s.sliceNumbers = m; s.tell.Changed() },
	}
	s.volumeMeasures = newest.Worker[measureJob, measured]{
		Go: deps.Go, Do: deps.Do, Work: measure,
		Done: func(m measured) { s.volumeNumbers = m; s.tell.Changed() },
	}
	s.previewer = app.NewPreviewer(deps.Engine, func(p app.Preview) {
		deps.Do(func() { s.previewed(p) })
	})
	return s
}

// Close stops everything that runs. The session must not be used afterwards.
func (s *Session) Close() {
	s.Cancel()
	s.previewer.Close()
	if s.catalog != nil {
		s.catalog.Close()
	}
}

// State returns what the panes share.
func (s *Session) State() *viewer.State { return &s.state }

// Document returns the open series' document, or nil.
func (s *Session) Document() *app.Document { return s.doc }

// Series returns the series that is shown, or nil.
func (s *Session) Series() *series.Series {
	if s.doc == nil {
		return nil
	}
	return s.doc.Series()
}

// Picture returns the slice on the screen, or nil.
func (s *Session) Picture() *viewer.Picture { return s.picture }

// Engine returns the engine that filters.
func (s *Session) Engine() denoise.Info { return s.deps.Engine.Info() }

// SetEngine filters with another engine from now on; what the last one could not
// preview is asked for again.
func (s *Session) SetEngine(e denoise.Engine) {
	s.deps.Engine, s.undone, s.failed = e, nil, nil
	s.previewer.SetEngine(e)
	s.wantPreview()
	s.tell.Changed()
}

// GoOnWith takes another engine and does with it what the last one failed at.
func (s *Session) GoOnWith(e denoise.Engine) {
	again := s.undone
	s.SetEngine(e)
	if again != nil {
		again()
	}
}

// HoldBefore shows the original in the denoised pane while on.
func (s *Session) HoldBefore(on bool) {
	if s.holdBefore != on {
		s.holdBefore = on
		s.draw()
		s.tell.Changed()
	}
}

// HoldsBefore says whether the denoised pane shows the original.
func (s *Session) HoldsBefore() bool { return s.holdBefore }

// OwnWindow returns the window the series was stored with; a width of 0 where
// it has none.
func (s *Session) OwnWindow() volume.Window {
	if series := s.Series(); series != nil && len(series.Windows) > 0 {
		return series.Windows[0]
	}
	return volume.Window{}
}

// viewChanged follows every scroll, zoom and change of window.
func (s *Session) viewChanged() {
	s.wantPreview()
	s.draw()
	s.tell.Changed()
}

// Redraw asks for new frames, after the panes changed their size.
func (s *Session) Redraw() { s.draw() }

func (s *Session) draw() {
	if s.doc == nil {
		return
	}
	result, part, _ := s.shown()
	facts, _ := s.doc.Facts()
	s.frames.Request(viewer.Job{
		Source: s.doc.Series().Volume, View: s.state.View(), Index: s.state.Index(),
		Result: result, Part: part,
		Zoom: s.state.Zoom(), Pan: s.state.Pan(),
		Window: s.state.Window(), Invert: s.state.Inverted(),
		Limit: s.state.Sigmas() * facts.Sigma, Pixelated: s.state.Pixelated(),
		Before: s.holdBefore, Panes: s.tell.Panes(),
	})
}

func (s *Session) framed(d drawn) {
	if s.doc == nil || d.picture.Source != s.doc.Series().Volume {
		return // of the series before
	}
	if s.picture != d.picture {
		s.picture = d.picture
		s.measureSlice()
	}
	s.tell.Framed(d.picture, d.frames)
	s.tell.Changed()
}

// errand is one thing that runs beside the window, shows its progress and can
// be cancelled. There is at most one: starting another cancels it.
type errand struct {
	kind    ErrandKind
	what    string // "Reading", "Filtering", ...
	cancel  context.CancelFunc
	started time.Time
	done    int64
	total   int64
	unit    string
}

// ErrandKind tells errands apart.
type ErrandKind int

// The errands.
const (
	Idle ErrandKind = iota
	Loading
	Applying
	Exporting
	Preparing // noise, a reference
)

// start begins an errand and returns its context and a way to report progress
// from any goroutine.
func (s *Session) start(kind ErrandKind, what, unit string) (*errand, context.Context) {
	s.Cancel()
	ctx, cancel := context.WithCancel(context.Background())
	e := &errand{kind: kind, what: what, cancel: cancel, started: s.deps.Now(), unit: unit}
	s.errand, s.message = e, ""
	s.tell.Changed()
	return e, ctx
}

// end closes an errand; false says that it was cancelled or replaced and that
// its result must be dropped.
func (s *Session) end(e *errand, err error) bool {
	e.cancel()
	if s.errand != e {
		return false
	}
	s.errand = nil
	if err != nil {
		s.tell.Failed(err)
		s.tell.Changed()
		return false
	}
	return true
}

// Cancel stops the errand in progress, if there is one.
func (s *Session) Cancel() {
	if s.errand == nil {
		return
	}
	s.errand.cancel()
	s.message = s.errand.what + " cancelled."
	s.errand = nil
	s.tell.Changed()
}
