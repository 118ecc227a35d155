package denoise

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// parallelSlices calls f(0) ... f(n-1) on all cores and waits for them. After a
// cancel it leaves the rest out.
func parallelSlices(ctx context.Context, n int, f func(z int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for z := int(next.Add(1)) - 1; z < n && ctx.Err() == nil; z = int(next.Add(1)) - 1 {
				f(z)
			}
		})
	}
	wg.Wait()
}
