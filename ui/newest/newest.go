// Package newest runs work that is only worth its newest answer (a frame, a
// plot, the measures of a slice) away from the UI goroutine.
//
// It imports nothing.
package newest

// Worker does one piece of work at a time. However many requests arrive
// meanwhile, only the newest of them is done next, so work never queues up and
// never more than one call of Do is pending.
//
// Request is for the UI goroutine. Go starts a function elsewhere and Do brings
// one back to the UI goroutine; a test passes queues of its own and decides
// when they run.
type Worker[In, Out any] struct {
	Go   func(func())
	Do   func(func())
	Work func(In) Out // called by Go's functions, never by two at once
	Done func(Out)    // called by Do's functions

	busy bool
	next *In
}

// Request asks for Work(in); a request that still waits is forgotten.
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
