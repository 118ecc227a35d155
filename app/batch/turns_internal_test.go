package batch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"quell/app/job"
	"quell/denoise"
	"quell/volume"
)

// slowEngine takes a second for every run, of the clock of the test.
type slowEngine struct{ denoise.Engine }

func (slowEngine) Run(context.Context, denoise.Recipe, denoise.Input, volume.Region, denoise.Progress) (*volume.Volume, error) {
	time.Sleep(time.Second)
	return nil, nil //nolint:nilnil // nothing reads the result
}

// While another series has the engine, a series waits, which is no time of its filter.
func TestWaitForTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &batch{engine: "cpu", filter: semaphore.NewWeighted(1)}
		if err := b.filter.Acquire(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		go func() {
			time.Sleep(10 * time.Second)
			b.filter.Release(1)
		}()
		var r SeriesResult
		err := b.withEngine(task{}, &r, func(eng turns) error {
			started := time.Now()
			eng.Engine = slowEngine{}
			var g errgroup.Group
			for range 2 { // at once, as the search for a strength does
				g.Go(func() error {
					_, err := eng.Run(t.Context(), denoise.Recipe{}, denoise.Input{}, volume.Region{}, nil)
					return err
				})
			}
			err := g.Wait()
			r.Seconds.Filter = time.Since(started).Seconds()
			return err
		})
		if want := (job.Seconds{Wait: 10, Filter: 2}); err != nil || r.Seconds != want {
			t.Errorf("%+v, %v; want %+v", r.Seconds, err, want)
		}
		if !b.filter.TryAcquire(1) {
			t.Error("the engine was not given back")
		}
	})
}

// A series that waits for the engine heeds a cancel.
func TestCancelWhileWaitingForTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := semaphore.NewWeighted(1)
		if err := busy.Acquire(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		waited := time.Duration(0)
		_, err := turns{slowEngine{}, busy, semaphore.NewWeighted(1), &waited}.Run(ctx, denoise.Recipe{}, denoise.Input{}, volume.Region{}, nil)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}
