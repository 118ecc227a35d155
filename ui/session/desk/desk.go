// Package desk is what the parts of a session share: the series and the slice that are shown, the
// engine, the task in progress, and the way to other goroutines and back.
//
// All of it belongs to the UI goroutine.
package desk

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise"
	"quell/internal/parallel"
	"quell/series"
	"quell/ui/viewer"
)

// Deps are the functions and objects that a session uses.
type Deps struct {
	Go     func(func()) // runs a function on another goroutine
	Do     func(func()) // runs a function on the UI goroutine, later
	Engine denoise.Engine
	Now    func() time.Time                                              // nil: time.Now
	Scan   func(ctx context.Context, path string) (*open.Catalog, error) // nil: open.Scan
	// Panicked receives every panic of background work, on any goroutine. The
	// work itself ends with an error. nil ignores it.
	Panicked func(*parallel.Panic)
	// SaveRun keeps a finished run for the next start after a crash; false if it
	// does not. It is called on another goroutine. nil keeps none.
	SaveRun func(ctx context.Context, run *run.Run) (workbench.SavedRun, bool, error)
	// Remembered returns the recipe last used for each filter, Remember stores
	// one. Both are called on the UI goroutine.
	Remembered func() map[string]denoise.Recipe
	Remember   func(r denoise.Recipe, filter string) // filter is Filter at the time
	// Filter is the one that the user chose last, for the next series; "" if that takes the one that is proposed.
	Filter string
	// Propose finds the filter that is expected to gain most; it is called on another goroutine. nil proposes none.
	Propose func(ctx context.Context, q run.ProposalRequest) (run.Proposal, error)
	// Bundled loads the series that has no path, and LoadRun a run that SaveRun kept.
	// They are called on other goroutines, for documents that are opened again.
	Bundled func(ctx context.Context) (*series.Series, error)
	LoadRun func(ctx context.Context, saved workbench.SavedRun, of *series.Series) (*run.Run, error)
	Memory  int64 // in bytes, for the series that are open; 0: half of this machine's
	// FreeMemory returns memory that is not used to the system; it is called on another
	// goroutine. nil: debug.FreeOSMemory.
	FreeMemory func()
	// Available returns the bytes of memory that can still be had, 0 if that is not known;
	// it may be called from any goroutine. nil: job.AvailableMemory.
	Available func() int64
}

// Listener receives the session's events on the UI goroutine. Every field must be set.
type Listener struct {
	Changed func() // something that panels show has changed
	// Framed gets new pictures; a nil picture clears the panes. What panels show may have changed with a picture:
	// Changed is not called too.
	Framed func(*viewer.Picture, [viewer.Roles]viewer.Frame)
	Panes  func() [viewer.Roles]viewer.Pane // returns the sizes of the panes
	// PlanePanes returns the sizes of panes of the three planes, PlanesFramed gets their
	// pictures; both are nil if there are no such panes.
	PlanePanes   func() [3]viewer.Pane
	PlanesFramed func([3]viewer.Frame)
	Choose       func(c *open.Catalog, pick func(i int), drop func()) // several series were found; call one of the two
	// Damaged is called if broken files keep a series from being read, err names one: open opens
	// the rest of its slices, drop does not; call one of the two.
	Damaged func(err error, rest int, open, drop func())
	Opened  func(path string) // a series is shown; "" for the bundled one
	Failed  func(err error)   // a task failed; called once for each failure
}

// Desk is what the parts of a session share.
type Desk struct {
	Deps
	Listener
	Tasks *Tasks

	*Document // that is shown; an empty one before the first is open
	State     *viewer.State
	Picture   *viewer.Picture // on the screen; nil before it is drawn
	Pair      *Pair           // that the next blind comparison shows; nil for original and result
	Retry     func()          // repeats on another engine what the engine failed at; nil after a success

	// ViewChanged follows every change of slice, zoom, window or recipe, Draw draws the pictures
	// again.
	ViewChanged, Draw func()
	cleared           []func()

	working  sync.WaitGroup // functions passed to Go
	inFlight int            // functions of Background that have not ended
	garbage  int            // how often memory is to be returned to the system
}

// New returns a desk without a series.
func New(deps Deps, listener Listener) *Desk {
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Scan == nil {
		deps.Scan = open.Scan
	}
	if deps.FreeMemory == nil {
		deps.FreeMemory = debug.FreeOSMemory
	}
	if deps.Available == nil {
		deps.Available = job.AvailableMemory
	}
	if deps.Memory == 0 {
		deps.Memory = job.SeriesMemory()
	}
	d := &Desk{Deps: deps, Listener: listener, Document: NewDocument(), State: viewer.New()}
	d.Go = func(f func()) { // counted for Wait
		d.working.Add(1)
		deps.Go(func() {
			defer d.working.Done()
			f()
		})
	}
	d.Tasks = &Tasks{desk: d}
	return d
}

// OnClear registers a function that ends the work on the screen's series, and drops it.
func (d *Desk) OnClear(f func()) { d.cleared = append(d.cleared, f) }

// Clear ends all work on the screen's series, and drops it.
func (d *Desk) Clear() {
	for _, f := range d.cleared {
		f()
	}
	d.Picture, d.Pair, d.Retry = nil, nil, nil
}

// IsAsked says whether a picture shows the slice that the user has chosen.
func (d *Desk) IsAsked(p *viewer.Picture) bool {
	return p.View.Plane == d.State.Cut().View().Plane && p.Index == d.State.Cut().Index()
}

// Request describes the slice on the screen and the current recipe.
func (d *Desk) Request() workbench.PreviewRequest {
	q := workbench.PreviewRequest{
		Series: d.Doc.Series(), Recipe: d.Recipe, Maps: d.Maps, Facts: d.FactsUnder(d.Maps),
		Plane: d.State.Cut().View().Plane, Index: d.State.Cut().Index(),
		Volume: d.Volume,
	}
	if q.Volume.Added, _ = d.Doc.Noise(); d.Doc.GivenNoise() != nil {
		q.Volume.Given = &q.Facts
	}
	return q
}

// SameRequest says whether two requests have the same answer.
func SameRequest(a, b workbench.PreviewRequest) bool {
	return a.Series == b.Series && a.Plane == b.Plane && a.Index == b.Index && a.Recipe.Equal(b.Recipe) && a.Maps.Noise == b.Maps.Noise && sameNoise(a.Facts, b.Facts)
}

// Background runs work on another goroutine and then done on the UI goroutine. A panic in work
// becomes the error that done receives.
func (d *Desk) Background(work func() error, done func(error)) {
	d.inFlight++
	d.Go(func() {
		err := d.Protect(work)
		d.Do(func() {
			d.inFlight--
			done(err)
			d.Collect(false)
		})
	})
}

// Aside runs work that the user does not wait for, on all cores but sparing of them and with a low priority, until ctx ends
// or end is called. done runs on the UI goroutine, unless end was called before, which is for that goroutine too.
func (d *Desk) Aside(ctx context.Context, sparing int, work func(ctx context.Context) error, done func(error)) (end func()) {
	ctx, cancel := context.WithCancel(parallel.Sparing(ctx, sparing))
	ended := false
	d.Background(func() error { return work(ctx) }, func(err error) {
		cancel()
		if !ended {
			done(err)
		}
	})
	return func() {
		ended = true
		cancel()
	}
}

// Protect calls work and turns a panic into an error, which is also reported.
func (d *Desk) Protect(work func() error) error {
	err := parallel.Protect(work)
	d.ReportPanic(err)
	return err
}

// ReportPanic passes the panic behind an error on, if there is one.
func (d *Desk) ReportPanic(err error) {
	var p *parallel.Panic
	if d.Panicked != nil && errors.As(err, &p) {
		d.Panicked(p)
	}
}

// Wait blocks until all background work has ended. Its results may still be queued for the UI
// goroutine.
func (d *Desk) Wait() { d.working.Wait() }

// FreeLater returns memory that is no longer used to the system, which the runtime does only when
// it needs more: once when nothing that was begun for another document is left and a new picture
// is drawn, and once more after the next measures, as the measures of the document that gave way
// may take a while to end.
func (d *Desk) FreeLater() { d.garbage = 2 }

// Collect returns memory after FreeLater, as soon as it can; measured says that a slice was
// measured.
func (d *Desk) Collect(measured bool) {
	if d.garbage == 0 || d.inFlight > 0 || d.Doc != nil && d.Picture == nil || d.garbage == 1 && !measured {
		return
	}
	d.garbage--
	d.Go(func() {
		d.FreeMemory()
		d.Do(d.Changed) // the memory that is shown is less now
	})
}

// WithView returns a step with the windows and places that are shown.
func (d *Desk) WithView(e workbench.Edit) workbench.Edit {
	e.Window, e.Second, e.Places = d.State.Windows.Of(viewer.Original), d.State.Windows.Second(), PlacesOf(d.State.Placed())
	return e
}

// PlacesOf returns how pictures are placed, as a step of the history keeps it.
func PlacesOf(planes [3]viewer.Placed) (out [3]workbench.Framing) {
	for p, placed := range planes {
		out[p] = workbench.Framing(placed)
	}
	return out
}
