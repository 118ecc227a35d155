// Package newest runs work in the background of which only the newest result
// matters: a frame, a plot, the measures of a slice.
//
// It imports the standard library only.
package newest

import "time"

// Worker does one piece of work at a time. Of the requests that arrive meanwhile only
// the newest is done next, so that work never queues up and at most one call of Do
// is pending.
//
// Request is for the UI goroutine. Go runs a function on another goroutine and Do
// on the UI goroutine; tests pass queues and decide when functions run.
type Worker[In, Out any] struct {
	Go   func(func())
	Do   func(func())
	Work func(In) Out // called in functions passed to Go, one at a time
	Done func(Out)    // called in functions passed to Do

	busy    bool
	arrived chan Out // of the work in progress
	next    *In
}

// Busy says whether work is in progress; within Done it is not.
func (w *Worker[In, Out]) Busy() bool { return w.busy }

// Request schedules Work(in) in the place of a request that still waits.
func (w *Worker[In, Out]) Request(in In) {
	if w.busy {
		w.next = &in
		return
	}
	w.busy = true
	arrived := make(chan Out, 1)
	w.arrived = arrived
	w.Go(func() {
		arrived <- w.Work(in)
		w.Do(func() {
			select {
			case out := <-arrived:
				w.finish(out)
			default: // Await was faster
			}
		})
	})
}

// Await waits for the work in progress, at most until late is closed or receives, and calls
// Done before it returns. It is for the UI goroutine too: a result that is ready within a few
// milliseconds is shown at once, not after the events that are queued.
func (w *Worker[In, Out]) Await(late <-chan time.Time) {
	if !w.busy {
		return
	}
	select {
	case out := <-w.arrived:
		w.finish(out)
	case <-late:
	}
}

func (w *Worker[In, Out]) finish(out Out) {
	w.busy = false
	w.Done(out)
	if next := w.next; next != nil && !w.busy {
		w.next = nil
		w.Request(*next)
	}
}
