package denoise

import (
	"context"
	"errors"

	"quell/internal/parallel"
)

// eachSlice calls f(0) ... f(n-1) on all cores and waits for them. After a cancel
// it leaves the rest out; callers check the context.
func eachSlice(ctx context.Context, n int, f func(z int)) {
	err := parallel.For(ctx, n, func(z int) error {
		f(z)
		return nil
	})
	if p := (*parallel.Panic)(nil); errors.As(err, &p) {
		panic(p)
	}
}
