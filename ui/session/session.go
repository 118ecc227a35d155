package session

import (
	"fmt"
	"reflect"

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
// Each part holds its own state and knows the parts that its New takes. Create it with New.
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
	s.desk = d
	assemble(s,
		func() (*desk.Desk, *desk.Tasks) { return d, d.Tasks },
		tuning.New, tuning.NewNoise, tuning.NewStrength, tuning.NewGalleries, tuning.NewSamples, tuning.NewDial,
		results.New, preview.New,
		measures.New, measures.NewWithin, measures.NewStructures, measures.NewNeighbourhoods, measures.NewStrip,
		lesions.New,
		proposals.New,
		func(p *proposals.Proposals, dial *tuning.Dial) { p.Learned = dial.Learn },
		func(p *preview.Preview, m *measures.Measures, strip *measures.Strip) {
			p.Measuring = preview.Measuring{Stop: m.Stop, Want: m.Want, Known: m.Known, Idle: strip.Follow}
		},
		screen.New, marks.New, physics.New, documents.New,
		func(ds *documents.Documents, m *marks.Marks) { ds.Leaving = m.Drop },
		documents.NewReader, exports.New,
		func(t *tuning.Tuning, m *marks.Marks) *History { return &History{desk: d, tuning: t, marks: m} },
	)
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

// assemble makes the parts of a session and sets the fields of the struct that whole points to, each by its type. A maker
// is a function that takes parts, and returns one or connects them; it is called once the parts that it takes are there,
// the first of the list first. Assemble panics if no maker returns a part that is taken, or one for an exported field.
func assemble(whole any, makers ...any) {
	parts := map[reflect.Type]reflect.Value{}
	for len(makers) > 0 {
		var waiting []any
		for _, m := range makers {
			f := reflect.ValueOf(m)
			var takes []reflect.Value
			for t := range f.Type().Ins() {
				if part, made := parts[t]; made {
					takes = append(takes, part)
				}
			}
			if len(takes) < f.Type().NumIn() {
				waiting = append(waiting, m)
				continue
			}
			for _, part := range f.Call(takes) {
				parts[part.Type()] = part
			}
		}
		if len(waiting) == len(makers) {
			panic(missing(waiting, parts))
		}
		makers = waiting
	}
	v := reflect.ValueOf(whole).Elem()
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue
		}
		part, made := parts[v.Field(i).Type()]
		if !made {
			panic(fmt.Sprintf("session: nothing makes %v", v.Field(i).Type()))
		}
		v.Field(i).Set(part)
	}
}

// missing says why none of the makers can be called.
func missing(makers []any, parts map[reflect.Type]reflect.Value) string {
	promised := map[reflect.Type]bool{}
	for _, m := range makers {
		for t := range reflect.TypeOf(m).Outs() {
			promised[t] = true
		}
	}
	for _, m := range makers {
		for t := range reflect.TypeOf(m).Ins() {
			if _, made := parts[t]; !made && !promised[t] {
				return fmt.Sprintf("session: nothing makes %v", t)
			}
		}
	}
	return "session: parts take each other"
}
