package engines

import (
	"time"

	"quell/gpu"
	"quell/internal/message"
)

// slowStart is how long a start of the GPU may take before it is told: usual ones take a second.
const slowStart = 3 * time.Second

// Await returns what wait returns, which starts an engine. If that takes longer than usual it says so, once, on the
// goroutine of the caller.
func Await[E any](wait func() (E, error), say func(message.Message)) (E, error) {
	type started struct {
		engine E
		err    error
	}
	done := make(chan started, 1)
	go func() {
		e, err := wait()
		done <- started{e, err}
	}()
	late := time.NewTimer(slowStart)
	defer late.Stop()
	select {
	case s := <-done:
		return s.engine, s.err
	case <-late.C:
		say(message.New(message.EngineDriver, "the GPU has not answered for %v; it is given up after %v", slowStart, gpu.StartLimit))
		s := <-done
		return s.engine, s.err
	}
}
