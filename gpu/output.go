package gpu

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"quell/denoise"
	"quell/volume"
)

// output is the result of a run, which is made in parts.
type output struct {
	voxels func() []float32 // allocated by the first call, for which the others wait

	mu      sync.Mutex
	begin   func() *volume.Arrival // nil once it was called
	arrival *volume.Arrival        // nil before, and if no one follows it
}

// newOutput returns the output of a run into v, with voxels that are allocated when they are
// needed.
func newOutput(ctx context.Context, v *volume.Volume) *output {
	o := &output{voxels: sync.OnceValue(func() []float32 {
		v.Data = uncleared(v.Voxels())
		return v.Data
	})}
	o.begin = func() *volume.Arrival { return denoise.BeginArrival(ctx, v) }
	return o
}

// final makes voxels final, which are in memory.
func (o *output) final(from, to int) {
	o.mu.Lock()
	if o.begin != nil {
		o.arrival, o.begin = o.begin(), nil
	}
	a := o.arrival
	o.mu.Unlock()
	a.Add(from, to)
}

// end ends the arrival of the voxels; if it has not begun it does not any more: after a
// cancel the device may still be at work in the background.
func (o *output) end(err error) {
	o.mu.Lock()
	a := o.arrival
	o.begin = nil
	o.mu.Unlock()
	a.End(err)
}

// partOutput is the output of a part of a run.
type partOutput struct {
	*output
	from, to int              // its voxels
	report   func(done int64) // gets the voxels done, which start at 0 again with each attempt
	tried    bool
}

// voxels returns the voxels of the part.
func (o *partOutput) voxels() []float32 { return o.output.voxels()[o.from:o.to] }

// errRepeated ends the arrival of voxels that are computed again.
var errRepeated = errors.New("the GPU computes voxels again")

// attempt begins to compute the part, once more if that failed before, and returns what is
// called for voxels of the part that are final.
func (o *partOutput) attempt() (final func(from, to int)) {
	if o.tried {
		o.end(errRepeated)
	}
	o.tried = true
	var done atomic.Int64
	return func(from, to int) {
		o.final(o.from+from, o.from+to)
		o.report(done.Add(int64(to - from)))
	}
}
