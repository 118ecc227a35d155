package parallel_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"quell/internal/parallel"
)

func TestForCallsEveryIndexOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		calls := make([]atomic.Int32, n)
		if err := parallel.For(t.Context(), n, func(i int) error { calls[i].Add(1); return nil }); err != nil {
			t.Fatal(err)
		}
		for i := range calls {
			if c := calls[i].Load(); c != 1 {
				t.Errorf("n = %d: index %d was called %d times", n, i, c)
			}
		}
	}
}

func TestForStopsAfterAnError(t *testing.T) {
	wrong := errors.New("wrong")
	var calls atomic.Int32
	err := parallel.ForWorkers(t.Context(), 1000, 1, func() func(int) error {
		return func(i int) error {
			calls.Add(1)
			if i == 3 {
				return wrong
			}
			return nil
		}
	})
	if !errors.Is(err, wrong) || calls.Load() != 4 {
		t.Errorf("error %v after %d calls; want %v after 4", err, calls.Load(), wrong)
	}
}

func TestForStopsAfterACancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int32
	err := parallel.ForWorkers(ctx, 1000, 1, func() func(int) error {
		return func(i int) error {
			if calls.Add(1) == 5 {
				cancel()
			}
			return nil
		}
	})
	if !errors.Is(err, context.Canceled) || calls.Load() != 5 {
		t.Errorf("error %v after %d calls; want a cancel after 5", err, calls.Load())
	}
}

func TestForReturnsAPanicAsAnError(t *testing.T) {
	var p *parallel.Panic
	err := parallel.For(t.Context(), 3, func(i int) error { panic("odd") })
	if !errors.As(err, &p) || p.Value != "odd" || len(p.Stack) == 0 || err.Error() != "internal error: odd" {
		t.Errorf("error %v", err)
	}
}

func TestProtectPassesErrorsOn(t *testing.T) {
	wrong := errors.New("wrong")
	if err := parallel.Protect(func() error { return wrong }); !errors.Is(err, wrong) {
		t.Errorf("error %v; want %v", err, wrong)
	}
	if err := parallel.Protect(func() error { return nil }); err != nil {
		t.Errorf("error %v; want none", err)
	}
}

func TestForWorkersHasOneStatePerGoroutine(t *testing.T) {
	var workers atomic.Int32
	if err := parallel.ForWorkers(t.Context(), 100, 3, func() func(int) error {
		workers.Add(1)
		return func(int) error { return nil }
	}); err != nil || workers.Load() != 3 {
		t.Errorf("%d workers, error %v; want 3", workers.Load(), err)
	}
}

// Under a context that spares cores every loop is smaller, but has one goroutine.
func TestSparedCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for _, c := range []struct{ spared, limit, want int }{{0, 9, 9}, {1, 9, 3}, {1, 2, 2}, {3, 9, 1}, {4, 9, 1}, {9, 9, 1}} {
		var workers atomic.Int32
		err := parallel.ForWorkers(parallel.Sparing(t.Context(), c.spared), 100, c.limit, func() func(int) error {
			workers.Add(1)
			return func(int) error { return nil }
		})
		if err != nil || int(workers.Load()) != c.want {
			t.Errorf("%d workers of %d without %d, error %v; want %d", workers.Load(), c.limit, c.spared, err, c.want)
		}
	}
}

func TestCounterReportsEverySum(t *testing.T) {
	var got []int64
	c := parallel.NewCounter(6, func(done, total int64) { got = append(got, done, total) })
	c.Add(2)
	c.Add(4)
	if want := []int64{2, 6, 6, 6}; !slices.Equal(got, want) {
		t.Errorf("reported %v; want %v", got, want)
	}
	parallel.NewCounter(6, nil).Add(1)
}

// After an error no goroutine takes another index; a loop that went on would not end.
func TestAnErrorStopsEveryGoroutine(t *testing.T) {
	wrong := errors.New("wrong")
	err := parallel.ForWorkers(t.Context(), 1<<50, 4, func() func(int) error {
		return func(i int) error {
			if i == 9 {
				return wrong
			}
			return nil
		}
	})
	if !errors.Is(err, wrong) {
		t.Errorf("error %v; want %v", err, wrong)
	}
}

// A goroutine that ends without an error does not hide the later error of another one.
func TestALateErrorIsReturned(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	wrong := errors.New("wrong")
	done := make(chan struct{})
	err := parallel.ForWorkers(t.Context(), 2, 2, func() func(int) error {
		return func(i int) error {
			if i == 1 {
				close(done)
				return nil
			}
			<-done
			return wrong
		}
	})
	if !errors.Is(err, wrong) {
		t.Errorf("error %v; want %v", err, wrong)
	}
}

// The limit counts from one, and no goroutine is started without an index.
func TestForWorkersLimit(t *testing.T) {
	for _, c := range []struct{ n, limit, want int32 }{{5, 0, 1}, {5, -2, 1}, {5, 1, 1}, {2, 7, 2}, {0, 3, 0}} {
		var workers, calls atomic.Int32
		err := parallel.ForWorkers(t.Context(), int(c.n), int(c.limit), func() func(int) error {
			workers.Add(1)
			return func(int) error { calls.Add(1); return nil }
		})
		if err != nil || workers.Load() != c.want || calls.Load() != c.n {
			t.Errorf("%d indices, limit %d: %d workers, %d calls, %v", c.n, c.limit, workers.Load(), calls.Load(), err)
		}
	}
}
