package cpu_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
)

// A run polls its context every few milliseconds of work and does nothing more
// after the poll at which it is cancelled. Work is counted in polls and priced by
// the cost model, so that the test does not depend on the machine.
func TestCancelStopsTheWork(t *testing.T) {
	const mostNanoseconds = 5e6 // of one core between two polls
	v := phantom(t, [3]int{64, 48, 8})
	for filter, set := range map[string]string{
		"nlm":       "h=10 search-radius=4",
		"bilateral": "radius=4 sigma-range=50",
		"median":    "radius=2",
		"gaussian":  "sigma-spatial=4",
		"lpa":       "",
		"twopass":   "mean-radius=2",
	} {
		t.Run(filter, func(t *testing.T) {
			f, err := denoise.FilterByName(filter)
			if err != nil {
				t.Fatal(err)
			}
			r, err := f.Recipe(denoise.Case{Dims: f.Dims[len(f.Dims)-1], Set: set})
			if err != nil {
				t.Fatal(err)
			}
			if r, err = r.Resolve(v.Geometry, factsOf(t, v)); err != nil {
				t.Fatal(err)
			}
			in := enginetest.Input(t, r, v)
			run := func(n int) (polls int, err error) {
				ctx := enginetest.CancelAtPoll(t.Context(), n)
				out, err := cpu.New().Run(ctx, r, in, v.Bounds(), nil)
				if (out == nil) != (err != nil) {
					t.Errorf("the run returned %v, %v", out, err)
				}
				return int(ctx.Count()), err
			}
			all, err := run(math.MaxInt)
			if err != nil {
				t.Fatal(err)
			}
			p, err := r.Bind(v.Geometry)
			if err != nil {
				t.Fatal(err)
			}
			nanoseconds := 0.0
			for _, pass := range p.Passes {
				nanoseconds += pass.CPU.Nanoseconds * float64(v.Voxels())
			}
			if each := nanoseconds / float64(all); each > mostNanoseconds {
				t.Errorf("%d polls are %.1f ms of work apart", all, each/1e6)
			}
			for _, n := range []int{1, 2, 5, all / 10, all / 2, all * 9 / 10} {
				polls, err := run(n)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled at poll %d of %d the run returned %v", n, all, err)
				}
				// Each goroutine polls a few times until it returns.
				if after := polls - n; after > 10*runtime.GOMAXPROCS(0) {
					t.Errorf("cancelled at poll %d of %d the run polled %d times more", n, all, after)
				}
			}
		})
	}
}
