package filter_test

import (
	"math"
	"runtime"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// A worker takes no more memory than its pass states, whatever the filter's options: the
// memory of a run is announced before it starts.
func TestWorkersStayWithinTheirMemory(t *testing.T) {
	g := volume.NewGeometry([3]int{256, 64, 16}, [3]float64{1, 1, 1})
	v := volume.New(g)
	for i := range v.Data {
		v.Data[i] = float32(noise.Normal(1, uint64(i), 0))
	}
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = i%7 != 0
	}
	for _, f := range denoise.Filters() {
		for _, c := range f.Cases {
			r, err := f.Recipe(c)
			if err != nil {
				t.Fatal(err)
			}
			if r, err = r.Resolve(g, denoise.Facts{Lo: -5, Hi: 5, Noise: noise.Known(1)}); err != nil {
				t.Fatal(err)
			}
			p, err := r.Bind(g)
			if err != nil {
				t.Fatal(err)
			}
			for _, pass := range p.Passes {
				inputs := make([]denoise.Field, len(pass.Inputs))
				for i := range inputs {
					inputs[i] = denoise.FieldOf(v)
				}
				var tile volume.Region
				for c, n := range pass.CPU.Tile {
					tile.Max[c] = min(n, g.Dims[c])
				}
				newWorker := pass.CPU.Start(inputs, denoise.FieldOf(v.Clone()))
				// The counter is the process's: what the runtime takes apart from the worker only adds to it, so the
				// least of some runs counts.
				took := int64(math.MaxInt64)
				for range 5 {
					rows := 0 // the memory is there after the first
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					newWorker()(tile, func() bool { rows++; return rows > 2 })
					runtime.ReadMemStats(&after)
					took = min(took, int64(after.TotalAlloc-before.TotalAlloc))
					if took <= pass.CPU.Scratch {
						break
					}
				}
				if took > pass.CPU.Scratch {
					t.Errorf("%s, pass %s: a worker took %d bytes; %d are stated", r, pass.Name, took, pass.CPU.Scratch)
				}
			}
		}
	}
}
