package gpu

import (
	"context"
	"slices"
	"testing"
	"time"

	"quell/denoise"
	"quell/denoise/enginetest"
	"quell/internal/parallel"
	"quell/volume"
)

// realEngine returns an engine on the machine's GPU, with the worker that LocateWorker
// finds. Without one it skips the test.
func realEngine(t testing.TB, o Options) *Engine {
	t.Helper()
	e, err := New(context.Background(), o)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// The conformance suite on the machine's GPU.
func TestConformance(t *testing.T) {
	e := realEngine(t, Options{})
	t.Logf("%+v", e.Status())
	enginetest.Run(t, e)
}

// Series on the machine's GPU, and larger ones as on the processor, with matrices in shared memory and beside it.
func TestSeries(t *testing.T) {
	e := realEngine(t, Options{})
	enginetest.Series(t, e)
	for _, volumes := range []int{67, 120, 160} {
		in, g, r := benchSeries(t, [3]int{33, 30, 10}, volumes)
		slab := denoise.Slab{To: 10, End: 10}
		got, err := e.RunSeries(t.Context(), r, g, in, slab, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.BindSeries(g, volumes)
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.Run(t.Context(), in, slab, nil)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi, _ := in.Joined().Range(t.Context())
		m, err := enginetest.Agree(got.Joined(), want.Joined(), float64(hi-lo))
		if err != nil || !slices.Equal(got.Restored, want.Restored) {
			t.Errorf("%d volumes: %v, %v restored, want %v", volumes, err, got.Restored, want.Restored)
		}
		t.Logf("%d volumes used %.2g of the tolerance, %.2g of the RMS tolerance", volumes, m.Max, m.RMS)
	}
}

// Random recipes over all parameters of all filters, on the machine's GPU.
func TestRandomRecipes(t *testing.T) {
	e := realEngine(t, Options{})
	enginetest.Random(t, e, 0, 500, 3e8)
}

// A launch is short for blocks of any size: a worker that gives no answer for two seconds is killed.
func TestBlocksOfAnySizeAnswer(t *testing.T) {
	e := realEngine(t, Options{Stall: 2 * time.Second})
	v := noisy([3]int{127, 181, 12})
	for radius := range 5 {
		for step := 1; step <= radius+1; step++ {
			for _, search := range []int{1, 5, 32} {
				for _, candidates := range []string{"quarter", "all"} {
					r := recipe(t, "bnlm", 3, map[string]denoise.Value{
						"h": denoise.Number(20), "block-radius": denoise.Number(float64(radius)), "block-step": denoise.Number(float64(step)),
						"search-radius": denoise.Number(float64(search)), "candidates": denoise.Word(candidates),
					})
					region := v.Bounds()
					if search > 5 {
						region = volume.Region{Min: [3]int{0, 90, 11}, Max: [3]int{127, 100, 12}}
					}
					if _, err := e.Run(t.Context(), r, denoise.Input{Volume: v}, region, nil); err != nil {
						t.Errorf("%s: %v", r, err)
					}
				}
			}
		}
	}
	if s := e.Status(); s.Starts != 1 {
		t.Errorf("the worker was started %d times: %s", s.Starts, s.Reason)
	}
}

// noisy returns a volume of whole numbers like the values of a CT.
func noisy(dims [3]int) *volume.Volume {
	v := volume.New(volume.NewGeometry(dims, [3]float64{0.7, 0.7, 1}))
	plane := v.SliceVoxels()
	_ = parallel.For(context.Background(), dims[2], func(z int) error {
		for i := z * plane; i < (z+1)*plane; i++ {
			x, y := i%dims[0], i/dims[0]%dims[1]
			n := uint64(i+1) * 0x9e3779b97f4a7c15
			n ^= n >> 29
			n *= 0xbf58476d1ce4e5b9
			// The sum of four bytes is approximately Gaussian.
			noise := int(n&255+n>>8&255+n>>16&255+n>>24&255) - 510
			v.Data[i] = float32(100*((x/37+y/29+z/11)%5) - 200 + noise/12)
		}
		return nil
	})
	return v
}
