package measure

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls do(0) to do(n-1) from all cores, each once, until the context
// ends; it returns the context's error. Callers keep one result per call and add
// them in order, so that the sum does not depend on who was faster.
func parallel(ctx context.Context, n int, do func(i int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				do(i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}
