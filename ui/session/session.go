package session

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/internal/parallel"
	"quell/series"
	"quell/ui/language"
	"quell/ui/newest"
	"quell/ui/viewer"
	"quell/volume"
)

// Deps are the functions and objects that a session uses.
type Deps struct {
	Go     func(func()) // runs a function on another goroutine
	Do     func(func()) // runs a function on the UI goroutine, later
	Engine denoise.Engine
	Now    func() time.Time                                             // nil: time.Now
	Scan   func(ctx context.Context, path string) (*app.Catalog, error) // nil: app.Scan
	// Panicked receives every panic of background work, on any goroutine. The
	// work itself ends with an error. nil ignores it.
	Panicked func(*parallel.Panic)
	// SaveRun keeps a finished run for the next start after a crash; false where it
	// does not. It is called on another goroutine. nil keeps none.
	SaveRun func(ctx context.Context, run *app.Run) (app.SavedRun, bool, error)
	// Remembered returns the recipe last used for each filter, Remember stores
	// one. Both are called on the UI goroutine.
	Remembered func() map[string]denoise.Recipe
	Remember   func(denoise.Recipe)
	Filter     string // of the first series; "" for the first filter
	// Bundled loads the series that has no path, and LoadRun a run that SaveRun kept.
	// They are called on other goroutines, for documents that are opened again.
	Bundled func(ctx context.Context) (*series.Series, error)
	LoadRun func(ctx context.Context, saved app.SavedRun, of *series.Series) (*app.Run, error)
	Memory  int64 // in bytes, for the series that are open; 0: half of this machine's
	// FreeMemory returns memory that is not used to the system; it is called on another
	// goroutine. nil: debug.FreeOSMemory.
	FreeMemory func()
	// Available returns the bytes of memory that can still be had, 0 where that is not known;
	// it may be called from any goroutine. nil: app.AvailableMemory.
	Available func() int64
}

// Listener receives the session's events on the UI goroutine. Every field must
// be set.
type Listener struct {
	Changed func()                                            // something that panels show has changed
	Framed  func(*viewer.Picture, [viewer.Roles]viewer.Frame) // new pictures
	Panes   func() [viewer.Roles]viewer.Pane                  // returns the sizes of the panes
	// PlanePanes returns the sizes of panes of the three planes, PlanesFramed gets their
	// pictures; both are nil where there are no such panes.
	PlanePanes   func() [3]viewer.Pane
	PlanesFramed func([3]viewer.Frame)
	Choose       func(c *app.Catalog, pick func(i int), drop func()) // several series were found; call one of the two
	// Damaged is called if broken files keep a series from being read, err names one: open opens
	// the rest of its slices, drop does not; call one of the two.
	Damaged func(err error, rest int, open, drop func())
	Opened  func(path string) // a series is shown; "" for the bundled one
	Failed  func(err error)   // a task failed; called once for each failure
}

// Session is the workbench's state: the open series, of which one is shown, and the work
// on them, in parts. Create it with New.
type Session struct {
	Tasks          *Tasks
	Documents      *Documents
	Reader         *Reader
	History        *History
	Tuning         *Tuning
	Noise          *Noise
	Strength       *Strength
	Results        *Results
	Exports        *Exports
	Preview        *Preview
	Screen         *Screen
	Measures       *Measures
	Structures     *Structures
	Strip          *Strip
	Neighbourhoods *Neighbourhoods
	Marks          *Marks
	Galleries      *Galleries

	deps      Deps
	listener  Listener
	state     viewer.State
	working   sync.WaitGroup // functions passed to deps.Go
	inFlight  int            // functions of background that have not ended
	*document                // that is shown; an empty one before the first is open
	retry     func()         // repeats on another engine what the engine failed at; nil after a success
}

// Screen draws the pictures.
type Screen struct {
	s        *Session
	renderer viewer.Renderer
	frames   newest.Worker[viewer.Job, drawn]
	planes   planes
	picture  *viewer.Picture
	last     *viewer.Picture // the newest with a result; nil before
	settled  *viewer.Picture // the newest with a fine result; nil before
	kept     *viewer.Picture // of another slice, in the panes of the result; nil for none

	holdBefore bool
	relativeOf *volume.Volume // of relative; nil before
	relative   []volume.Window
}

// drawn is one set of frames, or why there is none.
type drawn struct {
	picture *viewer.Picture
	kept    *viewer.Picture // that the panes of the result show instead; nil for none
	frames  [viewer.Roles]viewer.Frame
	err     error
}

// New returns a session without a series.
func New(deps Deps, listener Listener) *Session {
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Scan == nil {
		deps.Scan = app.Scan
	}
	if deps.FreeMemory == nil {
		deps.FreeMemory = debug.FreeOSMemory
	}
	if deps.Available == nil {
		deps.Available = app.AvailableMemory
	}
	if deps.Memory == 0 {
		deps.Memory = app.SeriesMemory()
	}
	s := &Session{document: newDocument()}
	s.Tasks, s.Documents, s.Reader, s.History = &Tasks{s: s}, &Documents{s: s}, &Reader{s: s}, &History{s: s}
	s.Tuning, s.Noise, s.Strength = &Tuning{s: s}, &Noise{s: s}, &Strength{s: s}
	s.Results, s.Exports, s.Galleries = &Results{s: s}, &Exports{s: s}, &Galleries{s: s}
	s.Preview, s.Screen, s.Marks = &Preview{s: s, auto: true}, &Screen{s: s}, &Marks{s: s}
	s.Measures, s.Structures, s.Strip, s.Neighbourhoods = &Measures{s: s}, &Structures{s: s}, &Strip{s: s}, &Neighbourhoods{s: s}
	changed := listener.Changed
	listener.Changed = func() {
		s.Strip.follow() // every change may let it begin, or end it
		changed()
	}
	s.listener = listener
	start := deps.Go
	deps.Go = func(f func()) { // counted for Wait
		s.working.Add(1)
		start(func() {
			defer s.working.Done()
			f()
		})
	}
	s.deps = deps
	s.state.Changed = s.viewChanged
	s.state.Pointed = s.pointed
	s.state.Chosen = s.History.chosen
	filter := denoise.Filters()[0].Name
	if _, err := denoise.FilterByName(deps.Filter); err == nil {
		filter = deps.Filter
	}
	s.recipe, _ = denoise.NewRecipe(filter, 0)

	s.Screen.frames = newest.Worker[viewer.Job, drawn]{
		Go: deps.Go, Do: deps.Do,
		Work: func(job viewer.Job) (d drawn) {
			d.err = s.protect(func() error {
				d.picture, d.frames = s.Screen.renderer.Render(job)
				d.kept = job.Last
				return nil
			})
			return d
		},
		Done: s.Screen.framed,
	}
	s.Screen.startPlanes()
	s.Measures.slice.worker = newest.Worker[measureJob, measured]{Go: deps.Go, Do: deps.Do, Work: s.Measures.measure, Done: s.Measures.sliceMeasured}
	s.Measures.volume.worker = newest.Worker[measureJob, measured]{Go: deps.Go, Do: deps.Do, Work: s.Measures.measure, Done: s.Measures.volumeMeasured}
	s.Neighbourhoods.worker = newest.Worker[app.PreviewRequest, neighbourhoods]{Go: deps.Go, Do: deps.Do, Work: s.Neighbourhoods.find, Done: s.Neighbourhoods.found}
	s.Preview.previewer = app.NewPreviewer(deps.Engine, func(p app.Preview) {
		deps.Do(func() { s.Preview.answered(p) })
	})
	return s
}

// Close cancels all work and waits for its end, so that nothing is left half
// written. The session must not be used afterwards.
func (s *Session) Close() {
	s.Strip.judges = false
	s.Tasks.Cancel()
	s.endVoxels()
	for _, d := range s.Documents.open {
		d.endVoxels()
	}
	s.Preview.previewer.Close()
	s.working.Wait()
	for _, d := range s.Documents.open {
		closeCatalog(d.catalog)
	}
}

// State returns the state that the panes share.
func (s *Session) State() *viewer.State { return &s.state }

// Document returns the open series' document, or nil.
func (s *Session) Document() *app.Document { return s.doc }

// Series returns the current series, or nil.
func (s *Session) Series() *series.Series {
	if s.doc == nil {
		return nil
	}
	return s.doc.Series()
}

// Example says whether the current series is the bundled one and nothing was done on it.
func (ds *Documents) Example() bool { return ds.s.doc != nil && ds.s.spare() }

// Picture returns the slice on the screen, or nil.
func (sc *Screen) Picture() *viewer.Picture { return sc.picture }

// Engine describes the current engine.
func (s *Session) Engine() denoise.Info { return s.deps.Engine.Info() }

// SetEngine changes the engine. A preview that the last engine failed at is
// requested again.
func (s *Session) SetEngine(e denoise.Engine) {
	s.deps.Engine, s.retry, s.Preview.failed = e, nil, nil
	s.Preview.previewer.SetEngine(e)
	s.viewChanged()
}

// ContinueWith changes the engine and repeats what the last one failed at.
func (s *Session) ContinueWith(e denoise.Engine) {
	retry := s.retry
	s.SetEngine(e)
	if retry != nil {
		retry()
	}
}

// Expected says how long filtering the volume is expected to take on another engine, and how many
// times as long as on the present one, if that is known and at least 2; "" if nothing is.
func (rs *Results) Expected(on denoise.Engine) string {
	if rs.s.doc == nil {
		return ""
	}
	recipe, _ := rs.s.Tuning.Resolved() // the recipe itself, if its automatic values are not known
	takes, times := app.Slowdown(rs.s.deps.Engine, on, recipe, rs.s.doc.Series().Volume.Geometry, 1)
	switch {
	case takes == 0:
		return ""
	case times == 0:
		return fmt.Sprintf(lang.L("On the CPU the volume is expected to take %s."), Duration(takes))
	}
	return fmt.Sprintf(lang.L("On the CPU the volume is expected to take %s, about %.0f times as long."), Duration(takes), times)
}

// HoldBefore shows the original in the denoised pane while on is true.
func (sc *Screen) HoldBefore(on bool) {
	if sc.holdBefore != on {
		sc.holdBefore = on
		sc.draw()
		sc.s.listener.Changed()
	}
}

// HoldsBefore says whether the denoised pane shows the original.
func (sc *Screen) HoldsBefore() bool { return sc.holdBefore }

// OwnWindow returns the window width and level stored in the series; a width of
// 0 where it has none.
func (sc *Screen) OwnWindow() volume.Window {
	if series := sc.s.Series(); series != nil && len(series.Windows) > 0 {
		return series.Windows[0]
	}
	return volume.Window{}
}

// WindowPresets returns the windows that suit the series: those of CT, or else by
// percentiles of its voxels.
func (sc *Screen) WindowPresets() []volume.Window {
	if sc.s.doc == nil {
		return nil
	}
	of := sc.s.Series()
	if ct := volume.Presets(of.Modality); ct != nil {
		return ct
	}
	if sc.relativeOf != of.Volume {
		sc.relativeOf, sc.relative = of.Volume, volume.RelativeWindows(of.Volume)
	}
	return slices.Clone(sc.relative)
}

// viewChanged follows every change of slice, zoom, window or recipe.
func (s *Session) viewChanged() {
	s.Results.showMade()
	s.Measures.follow()
	s.Preview.want()
	s.Screen.draw()
	s.listener.Changed()
}

// pointed follows the pointer.
func (s *Session) pointed() {
	if s.state.Magnifies() {
		s.Screen.draw()
	}
	s.listener.Changed()
}

// Drawing says whether new frames are on their way. Changed is called when they are there.
func (sc *Screen) Drawing() bool { return sc.frames.Busy() }

// Await shows the frames that are on their way before it returns, unless it is late
// before they are drawn.
func (sc *Screen) Await(late <-chan time.Time) { sc.frames.Await(late) }

// Redraw requests new frames, after the panes changed their size.
func (sc *Screen) Redraw() { sc.draw() }

func (sc *Screen) draw() {
	if sc.s.doc == nil {
		return
	}
	result, part, _ := sc.s.Preview.shown()
	facts, _ := sc.s.doc.Facts()
	job := viewer.Job{
		Source: sc.s.doc.Series().Volume, View: sc.s.state.View(), Index: sc.s.state.Index(),
		Base: sc.s.Results.baseVolume(), Result: result, Part: part, Last: sc.keeps(), Compare: sc.s.state.Comparison(), Lens: sc.s.state.Lens(),
		Zoom: sc.s.state.Zoom(), Pan: sc.s.state.Pan(),
		Window: sc.s.state.WindowOf(viewer.Original), Second: sc.s.state.Second(), Invert: sc.s.state.Inverted(),
		Limit: sc.s.state.Sigmas() * facts.Noise.Sigma, Pixelated: sc.s.state.Pixelated(),
		Before: sc.holdBefore, Tints: sc.tints(result), Panes: sc.s.listener.Panes(),
	}
	sc.frames.Request(job)
	sc.drawPlanes(job)
}

// framed takes new frames, on the UI goroutine; those of a previous series are
// dropped.
func (sc *Screen) framed(d drawn) {
	if d.err != nil { // a dialog for every frame would block the view
		sc.s.Tasks.message = language.Sentence(d.err.Error())
		sc.s.Preview.release()
		sc.s.listener.Changed()
		return
	}
	if sc.s.doc == nil || d.picture.Source != sc.s.doc.Series().Volume {
		sc.renderer.Discard()
		sc.s.listener.Changed()
		return
	}
	sc.picture, sc.kept = d.picture, d.kept
	if sc.picture.Result != nil {
		sc.last = sc.picture
		if _, fine := sc.s.Measures.madeBy(sc.picture); fine {
			sc.settled = sc.picture
		}
	}
	if sc.isAsked(sc.picture) {
		sc.s.Preview.release()
	}
	sc.s.Measures.want()
	sc.s.listener.Framed(d.picture, d.frames)
	sc.s.listener.Changed()
	sc.s.Documents.collect(false)
}
