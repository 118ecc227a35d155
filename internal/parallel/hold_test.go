package parallel_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"quell/internal/parallel"
)

// calls runs a loop over ten indices and returns the number of calls and its error.
func calls(ctx context.Context) (int32, error) {
	var n atomic.Int32
	err := parallel.For(ctx, 10, func(int) error { n.Add(1); return nil })
	return n.Load(), err
}

// watched is a context that closes asked at the first call of Done.
type watched struct {
	context.Context
	asked chan struct{}
}

func (w watched) Done() <-chan struct{} {
	close(w.asked)
	return w.Context.Done()
}

// Hold pauses loops under Sparing until the last release; other loops run.
func TestHoldStopsLoopsThatSpareOthers(t *testing.T) {
	first, second := parallel.Hold(time.Hour), parallel.Hold(time.Hour)
	if n, err := calls(t.Context()); n != 10 || err != nil {
		t.Errorf("a loop that spares nobody took %d indices of 10: %v", n, err)
	}
	waiting := func(holders string) {
		ctx, cancel := context.WithCancel(parallel.Sparing(t.Context(), 0))
		defer cancel()
		var n atomic.Int32
		asked, done := make(chan struct{}), make(chan error, 1)
		go func() {
			done <- parallel.ForWorkers(watched{ctx, asked}, 10, 1, func() func(int) error {
				return func(int) error { n.Add(1); return nil }
			})
		}()
		select {
		case <-asked:
			cancel()
		case err := <-done:
			t.Fatalf("%s: a loop did not wait: %v", holders, err)
		}
		if err := <-done; !errors.Is(err, context.Canceled) || n.Load() != 0 {
			t.Errorf("%s: %d indices were taken: %v", holders, n.Load(), err)
		}
	}
	waiting("two hold")
	first()
	first() // counts once
	waiting("one holds")
	second()
	if n, err := calls(parallel.Sparing(t.Context(), 0)); n != 10 || err != nil {
		t.Errorf("after the release %d indices of 10 were taken: %v", n, err)
	}
}

// A paused loop continues after the release and calls every index once.
func TestLoopsGoOnAfterTheRelease(t *testing.T) {
	var release func()
	var n atomic.Int32
	held := make(chan struct{})
	done := make(chan error)
	go func() {
		done <- parallel.ForWorkers(parallel.Sparing(t.Context(), 0), 10, 1, func() func(int) error {
			return func(i int) error {
				if n.Add(1); i == 3 {
					release = parallel.Hold(time.Hour)
					close(held)
				}
				return nil
			}
		})
	}()
	<-held
	release()
	if err := <-done; err != nil || n.Load() != 10 {
		t.Errorf("%d indices of 10 were taken: %v", n.Load(), err)
	}
}

// A hold without a release ends after its limit, and a late release does not end another hold.
func TestAHoldHasALimit(t *testing.T) {
	release := parallel.Hold(time.Millisecond)
	if n, err := calls(parallel.Sparing(t.Context(), 0)); n != 10 || err != nil {
		t.Errorf("%d indices of 10 were taken: %v", n, err)
	}
	release() // counts no more
	other := parallel.Hold(time.Hour)
	release()
	ctx, cancel := context.WithTimeout(parallel.Sparing(t.Context(), 0), time.Millisecond)
	defer cancel()
	if n, _ := calls(ctx); n != 0 {
		t.Errorf("a late release ended the hold of another: %d indices were taken", n)
	}
	other()
}
