package parallel

import (
	"context"
	"sync"
	"time"
)

// held counts those that hold.
var held struct {
	sync.Mutex
	by       int
	released chan struct{} // closed when none of them holds any longer
}

// Hold keeps loops that spare others (see Sparing) from taking another index until release is called, or the limit has
// passed: for the milliseconds in which the user waits for a picture on the same cores. Calls in progress go on. Hold and
// release may be called on any goroutine, release again and again.
func Hold(limit time.Duration) (release func()) {
	held.Lock()
	defer held.Unlock()
	if held.by++; held.by == 1 {
		held.released = make(chan struct{})
	}
	end := sync.OnceFunc(func() {
		held.Lock()
		defer held.Unlock()
		if held.by--; held.by == 0 {
			close(held.released)
		}
	})
	late := time.AfterFunc(limit, end)
	return func() {
		late.Stop()
		end()
	}
}

// awaitRelease waits until nobody holds, or ctx ends.
func awaitRelease(ctx context.Context) {
	held.Lock()
	by, released := held.by, held.released
	held.Unlock()
	if by == 0 {
		return
	}
	select {
	case <-released:
	case <-ctx.Done():
	}
}
