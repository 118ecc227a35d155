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
func (s *Session) start(kind TaskKind, name, unit string) *task {
	s.Cancel()
	t := &task{kind: kind, name: name, unit: unit, started: s.deps.Now()}
	t.ctx, t.cancel = context.WithCancel(parallel.Sparing(context.Background(), 0))
	if kind != Loading {
		t.document = s.document
	}
	s.task, s.message = t, ""
	s.listener.Changed()
	return t
}

// finish ends a task and reports its error. It returns false where the task
// failed, and where it was cancelled or replaced before: its result must be
// dropped then.
func (s *Session) finish(t *task, err error) bool {
	t.cancel()
	if s.task != t {
		return false
	}
	s.task = nil
	if err == nil {
		return true
	}
	if t.kind == Applying && t.document == s.document && errors.Is(err, app.ErrEngineFailed) {
		s.retry = s.Apply
	}
	s.listener.Failed(err)
	s.listener.Changed()
	return false
}

// Busy says whether a task is in progress.
func (s *Session) Busy() bool { return s.task != nil }

// Cancel stops the task in progress, if there is one.
func (s *Session) Cancel() {
	if s.task == nil {
		return
	}
	s.task.cancel()
	s.message = fmt.Sprintf(lang.L("%s cancelled."), s.task.name)
	s.task = nil
	s.listener.Changed()
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
			s.collect(false)
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
	s.previewer.Wait()
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

// TaskLoss returns what is lost when another task takes the place of the one in progress.
func (s *Session) TaskLoss() Loss {
	switch {
	case s.task != nil && s.task.kind == Applying:
		return LosesRun
	case s.task != nil && s.task.kind == Exporting:
		return LosesExport
	case s.task != nil && s.task.kind == Sending:
		return LosesSend
	}
	return NoLoss
}

// VoxelsLoss returns what is lost when the series that is shown gets other voxels.
func (s *Session) VoxelsLoss() Loss { return s.lossOf(s.document) }

// DocumentLoss returns what is lost when document i is closed.
func (s *Session) DocumentLoss(i int) Loss {
	if i < 0 || i >= len(s.documents) {
		return NoLoss
	}
	return s.lossOf(s.documents[i])
}

func (s *Session) lossOf(d *document) Loss {
	if s.task != nil && s.task.document == d && s.TaskLoss() != NoLoss {
		return s.TaskLoss()
	}
	return s.lossOfResults(d)
}

// Loss returns what is lost when all series are closed now.
func (s *Session) Loss() Loss {
	if loss := s.TaskLoss(); loss != NoLoss {
		return loss
	}
	return s.lossOfResults(s.documents...)
}

// lossOfResults returns whether a result of the documents has not been exported, or was in vain.
func (s *Session) lossOfResults(documents ...*document) (loss Loss) {
	for _, d := range documents {
		for _, exports := range d.exports() {
			switch {
			case len(exports) == 0:
				return LosesResult
			case !s.exported(exports):
				loss = LosesGone
			}
		}
	}
	return loss
}
