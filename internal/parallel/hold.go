package parallel

import (
	"context"
	"sync"
	"time"
)

// held is the state of Hold.
var held struct {
	sync.Mutex
	by       int           // active holds
	released chan struct{} // closed by the last release
}

// Hold pauses the loops that run under Sparing until release is called or limit has passed. It is for the milliseconds in which
// the user waits for a picture on the same cores. Indices in progress are finished. Hold and release are safe for concurrent
// use; only the first call of release counts.
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

// awaitRelease blocks while a hold is active, and returns early if ctx is done.
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
