package desk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app/engines"
	"quell/denoise"
	"quell/internal/parallel"
)

// Tasks holds the one task that is in progress, and how the last one ended.
type Tasks struct {
	desk    *Desk
	now     *Task // in progress, or nil
	message string
}

// Task is background work that shows its progress and that the user can cancel. There is at most
// one.
type Task struct {
	Kind     TaskKind
	Unit     string // of Done and Total
	Ctx      context.Context
	Done     int64
	Total    int64
	Slices   int64          // in which a run is counted; 0: Done and Total are
	Recipe   denoise.Recipe // of a run
	Document *Document      // that it works on; nil if it opens one
	Again    func()         // repeats it on another engine; nil if no engine is used

	name    string // "Reading", "Filtering", ...
	cancel  context.CancelFunc
	started time.Time
}

// TaskKind is the kind of a task.
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
	Dialling                  // for the strength that keeps visible objects
)

// Start begins a task in the place of the one in progress.
func (ts *Tasks) Start(kind TaskKind, name, unit string) *Task {
	ts.Cancel()
	t := &Task{Kind: kind, name: name, Unit: unit, started: ts.desk.Now()}
	t.Ctx, t.cancel = context.WithCancel(parallel.Sparing(context.Background(), 0))
	if kind != Loading {
		t.Document = ts.desk.Document
	}
	ts.now, ts.message = t, ""
	ts.desk.Changed()
	return t
}

// Finish ends a task and reports its error. It returns false if the task failed, and if it
// was cancelled or replaced before: its result must be dropped then.
func (ts *Tasks) Finish(t *Task, err error) bool {
	t.cancel()
	if ts.now != t {
		return false
	}
	ts.now = nil
	if t.Again != nil && t.Document == ts.desk.Document {
		switch {
		case err == nil:
			ts.desk.Retry = nil
		case errors.Is(err, engines.ErrFailed):
			ts.desk.Retry = t.Again
		}
	}
	if err == nil {
		return true
	}
	ts.desk.Failed(err)
	ts.desk.Changed()
	return false
}

// Do does the work of a task in the background and then calls done, if the task has neither failed
// nor been cancelled or replaced.
func (ts *Tasks) Do(t *Task, work func() error, done func()) {
	ts.desk.Background(work, func(err error) {
		if ts.Finish(t, err) {
			done()
		}
	})
}

// Goes says whether a task has neither ended nor been cancelled or replaced.
func (ts *Tasks) Goes(t *Task) bool { return ts.now == t }

// Busy says whether a task is in progress.
func (ts *Tasks) Busy() bool { return ts.now != nil }

// Kind returns what the task in progress does.
func (ts *Tasks) Kind() TaskKind {
	if ts.now == nil {
		return Idle
	}
	return ts.now.Kind
}

// On returns the task in progress if it works on a document, else nil.
func (ts *Tasks) On(d *Document) *Task {
	if ts.now == nil || ts.now.Document != d {
		return nil
	}
	return ts.now
}

// Runs says whether a run on a document is in progress.
func (ts *Tasks) Runs(d *Document) bool { return ts.Kind() == Applying && ts.now.Document == d }

// Cancel stops the task in progress, if there is one.
func (ts *Tasks) Cancel() {
	if ts.now == nil {
		return
	}
	ts.now.cancel()
	ts.message = fmt.Sprintf(lang.L("%s cancelled."), ts.now.name)
	ts.now = nil
	ts.desk.Changed()
}

// Message says how the last task ended, for the status bar.
func (ts *Tasks) Message() string { return ts.message }

// Say sets the message.
func (ts *Tasks) Say(message string) { ts.message = message }

// Show sets the message and shows it.
func (ts *Tasks) Show(message string) {
	ts.message = message
	ts.desk.Changed()
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

// Loss returns the losses when another task takes the place of the one in progress.
func (ts *Tasks) Loss() Loss {
	switch {
	case ts.Kind() == Applying:
		return LosesRun
	case ts.Kind() == Exporting:
		return LosesExport
	case ts.Kind() == Sending:
		return LosesSend
	}
	return NoLoss
}
