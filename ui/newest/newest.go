// Package newest runs work in the background of which only the newest result
// matters: a frame, a plot, the measures of a slice.
//
// It imports nothing.
package newest

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

	busy bool
	next *In
}

// Request schedules Work(in) in the place of a request that still waits.
func (w *Worker[In, Out]) Request(in In) {
	if w.busy {
		w.next = &in
		return
	}
	w.busy = true
	w.Go(func() {
		out := w.Work(in)
		w.Do(func() {
			w.busy = false
			w.Done(out)
			if next := w.next; next != nil && !w.busy {
				w.next = nil
				w.Request(*next)
			}
		})
	})
}
