package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/internal/parallel"
)

// Tasks holds the one task that is in progress, and how the last one ended.
type Tasks struct {
	s       *Session
	now     *task  // in progress, or nil
	message string // how the last task ended
}

// task is background work that shows its progress and that the user can cancel.
// There is at most one.
type task struct {
	kind    TaskKind
	name    string // "Reading", "Filtering", ...
	unit    string // of done and total
	ctx     context.Context
	cancel  context.CancelFunc
	started time.Time
	done    int64
	total   int64
	slices  int64          // in which a run is counted; 0: done and total are
	recipe  denoise.Recipe // of a run

	document *document // that it works on; nil where it opens one
	arriving *Arriving // that it opens; nil before it is known
}

// TaskKind is what a task does.
type TaskKind int

// The kinds of tasks.
const (
	Idle      TaskKind = iota // there is no task
	Loading                   // a series
	Applying                  // the recipe to the volume
	Exporting                 // the run
	Sending                   // an export to a PACS
	Preparing                 // noise or a reference
	Mapping                   // the noise
	Searching                 // for the best strength
	Comparing                 // every filter
)

// start begins a task in the place of the one in progress.
func (ts *Tasks) start(kind TaskKind, name, unit string) *task {
	ts.Cancel()
	t := &task{kind: kind, name: name, unit: unit, started: ts.s.deps.Now()}
	t.ctx, t.cancel = context.WithCancel(parallel.Sparing(context.Background(), 0))
	if kind != Loading {
		t.document = ts.s.document
	}
	ts.now, ts.message = t, ""
	ts.s.listener.Changed()
	return t
}

// finish ends a task and reports its error. It returns false where the task
// failed, and where it was cancelled or replaced before: its result must be
// dropped then.
func (ts *Tasks) finish(t *task, err error) bool {
	t.cancel()
	if ts.now != t {
		return false
	}
	ts.now = nil
	if err == nil {
		return true
	}
	if t.kind == Applying && t.document == ts.s.document && errors.Is(err, app.ErrEngineFailed) {
		ts.s.retry = ts.s.Results.Apply
	}
	ts.s.listener.Failed(err)
	ts.s.listener.Changed()
	return false
}

// Busy says whether a task is in progress.
func (ts *Tasks) Busy() bool { return ts.now != nil }

// Cancel stops the task in progress, if there is one.
func (ts *Tasks) Cancel() {
	if ts.now == nil {
		return
	}
	ts.now.cancel()
	ts.message = fmt.Sprintf(lang.L("%s cancelled."), ts.now.name)
	ts.now = nil
	ts.s.listener.Changed()
}

// background runs work on another goroutine and then done on the UI goroutine.
// A panic in work becomes the error that done receives.
func (s *Session) background(work func() error, done func(error)) {
	s.inFlight++
	s.deps.Go(func() {
		err := s.protect(work)
		s.deps.Do(func() {
			s.inFlight--
			done(err)
			s.Documents.collect(false)
		})
	})
}

// protect calls work and turns a panic into an error, which is also reported.
func (s *Session) protect(work func() error) error {
	err := parallel.Protect(work)
	s.reportPanic(err)
	return err
}

// reportPanic passes the panic behind an error on, if there is one.
func (s *Session) reportPanic(err error) {
	var p *parallel.Panic
	if s.deps.Panicked != nil && errors.As(err, &p) {
		s.deps.Panicked(p)
	}
}

// Wait blocks until all background work has ended. Its results may still be
// queued for the UI goroutine.
func (s *Session) Wait() {
	s.working.Wait()
	s.Preview.previewer.Wait()
}

// Loss is work of the user that is lost when a series is closed, or all are.
type Loss int

// What can be lost.
const (
	NoLoss      Loss = iota
	LosesRun         // the recipe is being applied to the volume
	LosesExport      // an export is being written
	LosesSend        // an export is being sent
	LosesResult      // a result has not been exported
	LosesGone        // the files that a result was exported to are gone
)

// Loss returns what is lost when another task takes the place of the one in progress.
func (ts *Tasks) Loss() Loss {
	switch {
	case ts.now != nil && ts.now.kind == Applying:
		return LosesRun
	case ts.now != nil && ts.now.kind == Exporting:
		return LosesExport
	case ts.now != nil && ts.now.kind == Sending:
		return LosesSend
	}
	return NoLoss
}

// VoxelsLoss returns what is lost when the series that is shown gets other voxels.
func (ds *Documents) VoxelsLoss() Loss { return ds.lossOf(ds.s.document) }

// LossOf returns what is lost when document i is closed.
func (ds *Documents) LossOf(i int) Loss {
	if i < 0 || i >= len(ds.open) {
		return NoLoss
	}
	return ds.lossOf(ds.open[i])
}

func (ds *Documents) lossOf(d *document) Loss {
	if ds.s.Tasks.now != nil && ds.s.Tasks.now.document == d && ds.s.Tasks.Loss() != NoLoss {
		return ds.s.Tasks.Loss()
	}
	return ds.lossOfResults(d)
}

// Loss returns what is lost when all series are closed now.
func (ds *Documents) Loss() Loss {
	if loss := ds.s.Tasks.Loss(); loss != NoLoss {
		return loss
	}
	return ds.lossOfResults(ds.open...)
}

// lossOfResults returns whether a result of the documents has not been exported, or was in vain.
func (ds *Documents) lossOfResults(documents ...*document) (loss Loss) {
	for _, d := range documents {
		for _, exports := range d.exports() {
			switch {
			case len(exports) == 0:
				return LosesResult
			case !ds.s.Exports.stand(exports):
				loss = LosesGone
			}
		}
	}
	return loss
}
