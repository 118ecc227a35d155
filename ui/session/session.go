package session

import (
	"quell/app/workbench"
	"quell/denoise"
	"quell/series"
	"quell/ui/session/desk"
	"quell/ui/session/documents"
	"quell/ui/session/exports"
	"quell/ui/session/lesions"
	"quell/ui/session/marks"
	"quell/ui/session/measures"
	"quell/ui/session/physics"
	"quell/ui/session/preview"
	"quell/ui/session/proposals"
	"quell/ui/session/results"
	"quell/ui/session/screen"
	"quell/ui/session/tuning"
	"quell/ui/viewer"
)

// Session is the workbench's state: the open series, one of which is shown, and the work on them.
// Each part holds its own state and knows the parts that are named before it. Create it with New.
type Session struct {
	Tasks          *desk.Tasks
	Tuning         *tuning.Tuning
	Noise          *tuning.Noise
	Strength       *tuning.Strength
	Dial           *tuning.Dial
	Galleries      *tuning.Galleries
	Samples        *tuning.Samples
	Results        *results.Results
	Preview        *preview.Preview
	Measures       *measures.Measures
	Within         *measures.Within
	Structures     *measures.Structures
	Strip          *measures.Strip
	Neighbourhoods *measures.Neighbourhoods
	Lesions        *lesions.Lesions
	Proposals      *proposals.Proposals
	Screen         *screen.Screen
	Marks          *marks.Marks
	Physics        *physics.Physics
	Documents      *documents.Documents
	Reader         *documents.Reader
	Exports        *exports.Exports
	History        *History

	desk *desk.Desk
}

// New returns a session without a series.
func New(deps desk.Deps, listener desk.Listener) *Session {
	s := &Session{}
	changed := listener.Changed
	listener.Changed = func() {
		s.Lesions.Follow() // every change may let it begin, or end it
		s.Physics.Follow()
		s.Strip.Follow()
		s.Proposals.Follow()
		changed()
	}
	d := desk.New(deps, listener)
	s.desk, s.Tasks = d, d.Tasks
	s.Tuning, s.Noise = tuning.New(d), tuning.NewNoise(d)
	s.Strength, s.Galleries, s.Samples = tuning.NewStrength(d, s.Tuning), tuning.NewGalleries(d, s.Tuning), tuning.NewSamples(d)
	s.Dial = tuning.NewDial(d, s.Tuning)
	s.Results = results.New(d, s.Tuning)
	s.Preview = preview.New(d)
	s.Measures = measures.New(d, s.Preview)
	s.Within = measures.NewWithin(d, s.Preview)
	s.Structures, s.Neighbourhoods = measures.NewStructures(d, s.Measures), measures.NewNeighbourhoods(d)
	s.Strip = measures.NewStrip(d, s.Preview, s.Measures)
	s.Lesions = lesions.New(d, s.Preview)
	s.Proposals = proposals.New(d, s.Tuning, s.Noise, s.Preview)
	s.Proposals.Learned = s.Dial.Learn
	s.Preview.Measuring = preview.Measuring{Stop: s.Measures.Stop, Want: s.Measures.Want, Known: s.Measures.Known, Idle: s.Strip.Follow}
	s.Screen = screen.New(d, s.Preview, s.Measures, s.Structures, s.Results)
	s.Marks = marks.New(d, s.Preview)
	s.Physics = physics.New(d, s.Preview, s.Marks)
	s.Documents = documents.New(d, s.Results)
	s.Documents.Leaving = s.Marks.Drop
	s.Reader = documents.NewReader(d, s.Documents, s.Tuning, s.Measures, s.Screen, s.Results)
	s.Exports = exports.New(d, s.Documents, s.Results, s.Marks)
	s.History = &History{desk: d, tuning: s.Tuning, marks: s.Marks}
	d.ViewChanged = s.viewChanged
	d.State.Changed, d.State.Pointed, d.State.Chosen = s.viewChanged, s.pointed, s.History.chosen
	return s
}

// Close cancels all work and waits for its end, so that nothing is left half written. The session
// must not be used afterwards.
func (s *Session) Close() {
	s.Strip.Judge(false)
	s.Lesions.Watch(false)
	s.Physics.Watch(false)
	s.Tasks.Cancel()
	s.Documents.End()
	s.Preview.Close()
	s.desk.Wait()
	s.Documents.Release()
}

// Wait blocks until all background work has ended. Its results may still be queued for the UI
// goroutine.
func (s *Session) Wait() {
	s.desk.Wait()
	s.Preview.Wait()
}

// State returns the state that the panes share.
func (s *Session) State() *viewer.State { return s.desk.State }

// Document returns the open series' document, or nil.
func (s *Session) Document() *workbench.Document { return s.desk.Doc }

// Series returns the current series, or nil.
func (s *Session) Series() *series.Series { return s.desk.Series() }

// Engine describes the current engine.
func (s *Session) Engine() denoise.Info { return s.desk.Engine.Info() }

// SetEngine changes the engine. A preview that the last engine failed at is requested again.
func (s *Session) SetEngine(e denoise.Engine) {
	s.desk.Engine, s.desk.Retry = e, nil
	s.Preview.SetEngine(e)
	s.viewChanged()
}

// ContinueWith changes the engine and repeats what the last one failed at.
func (s *Session) ContinueWith(e denoise.Engine) {
	retry := s.desk.Retry
	s.SetEngine(e)
	if retry != nil {
		retry()
	}
}

// viewChanged follows every change of slice, zoom, window or recipe.
func (s *Session) viewChanged() {
	s.Results.ShowMade()
	s.Measures.Follow()
	s.Preview.Want()
	s.Screen.Redraw()
	s.desk.Changed()
}

// pointed follows the pointer.
func (s *Session) pointed() {
	if s.desk.State.Magnifies() {
		s.Screen.Redraw()
	}
	s.desk.Changed()
}
