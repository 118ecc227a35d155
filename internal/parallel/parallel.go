// Package parallel holds the one parallel loop and the one progress counter of
// the project.
//
// The package imports only the standard library, so that every other package
// may use it.
package parallel

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"quell/internal/message"
)

// For calls f(0) to f(n-1), each once, on at most GOMAXPROCS goroutines, and
// waits for them. Indices are handed out in rising order. After the first error,
// or when ctx ends, no further index is handed out; calls in progress finish.
//
// The error is the first that f returned, else the context's. A panic in f is
// returned as a *Panic, so that one failing task does not end the program.
//
// To get the same floating-point sum on any number of cores, store one partial
// result per index and add them in order afterwards.
func For(ctx context.Context, n int, f func(i int) error) error {
	return ForWorkers(ctx, n, runtime.GOMAXPROCS(0), func() func(int) error { return f })
}

// ForWorkers is For on at most limit goroutines, each with state of its own:
// newWorker is called once on every goroutine and returns the function that it
// calls with its indices.
func ForWorkers(ctx context.Context, n, limit int, newWorker func() func(i int) error) error {
	var (
		next  atomic.Int64
		wg    sync.WaitGroup
		once  sync.Once
		first error
		stop  atomic.Bool
	)
	fail := func(err error) {
		once.Do(func() { first = err })
		stop.Store(true)
	}
	spared, behind := ctx.Value(sparing{}).(int)
	if spared > 0 {
		limit = min(limit, runtime.GOMAXPROCS(0)-spared)
	}
	more := func() bool {
		if behind {
			awaitRelease(ctx)
		}
		return !stop.Load() && ctx.Err() == nil
	}
	for range min(max(limit, 1), n) {
		wg.Go(func() {
			if behind {
				yieldToOthers()
			}
			err := Protect(func() error {
				work := newWorker()
				for more() {
					i := int(next.Add(1)) - 1
					if i >= n {
						return nil
					}
					if err := work(i); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				fail(err)
			}
		})
	}
	wg.Wait()
	if first != nil {
		return first
	}
	return ctx.Err()
}

type sparing struct{}

// Sparing returns a context under which loops leave n of the cores to others, as long as
// they have one themselves. Their goroutines have a lower priority than the rest of the
// program if the system gives threads one of their own (Linux), whatever n is. Hold pauses them.
func Sparing(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, sparing{}, n)
}

// Protect returns the error of f, or a *Panic if f panicked.
func Protect(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &Panic{Value: p, Stack: debug.Stack()}
		}
	}()
	return f()
}

// Panic is the error of a task that panicked.
type Panic struct {
	Value any    // what the task panicked with
	Stack []byte // of the goroutine, for a crash log
}

// Error names the value; the stack is for the crash log.
func (p *Panic) Error() string { return p.AsMessage().String() }

// AsMessage returns the value in words.
func (p *Panic) AsMessage() message.Message {
	return message.New(message.InternalFault, "internal error: %v", p.Value)
}

// Counter adds up the work of several goroutines and reports the sum. Its zero
// value counts and reports nothing.
type Counter struct {
	mu          sync.Mutex
	done, total int64
	report      func(done, total int64)
}

// NewCounter returns a counter that calls report after every Add, never from two
// goroutines at once. report may be nil and must return quickly.
func NewCounter(total int64, report func(done, total int64)) *Counter {
	return &Counter{total: total, report: report}
}

// Add counts n more units of work as done.
func (c *Counter) Add(n int64) {
	if c.report == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	c.report(c.done, c.total)
}
