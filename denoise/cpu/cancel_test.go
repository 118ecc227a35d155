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

// A run looks at its context every few milliseconds of work, and does nothing more
// after the look at which it is cancelled. The work is counted in looks and priced
// by the model of Plan, so that the test does not depend on the machine.
func TestCancelStopsTheWork(t *testing.T) {
	const mostNanoseconds = 5e6 // of one core between two looks
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
			if r, err = r.Resolve(v.Geometry, denoise.FactsOf(v)); err != nil {
				t.Fatal(err)
			}
			in := enginetest.Input(t, r, v)
			run := func(n int) (looks int, err error) {
				ctx := enginetest.CancelAtLook(t.Context(), n)
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
				t.Errorf("%d looks are %.1f ms of work apart", all, each/1e6)
			}
			for _, n := range []int{1, 2, 5, all / 10, all / 2, all * 9 / 10} {
				looks, err := run(n)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled at look %d of %d the run returned %v", n, all, err)
				}
				// Each goroutine looks a few times on its way out.
				if after := looks - n; after > 10*runtime.GOMAXPROCS(0) {
					t.Errorf("cancelled at look %d of %d the run looked %d times more", n, all, after)
				}
			}
		})
	}
}
