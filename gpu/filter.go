package gpu

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"quell/denoise"
	"quell/gpu/wire"
	"quell/volume"
)

// blockTime is how long one run may take on the device by the model: two are
// under way when a run is cancelled. What blocks really take is left out of it,
// so that the same run is always cut the same way.
const blockTime = 30 * time.Millisecond

// smallestShare is the part of the budget, as its inverse, below which less
// memory does not help any more.
const smallestShare = 64

// attempt is how a part of a region is tried.
type attempt struct {
	share int64 // of the memory, as its inverse
	alone bool  // with nothing else under way, so that all of the memory can be had
}

// filter runs a part of a region on this device into out, and heals what can
// be healed: a second try with another worker, smaller slabs where memory was
// short. progress is told the voxels done, which fall back with a new try.
func (d *device) filter(ctx context.Context, r denoise.Recipe, in *volume.Volume, region volume.Region, out func() []float32, progress func(done int64)) error {
	a, lost, stale := attempt{share: 1}, false, false
	for {
		err := d.try(ctx, a, r, in, region, out, progress)
		var (
			fault *wire.Fault
			gone  *lostError
			short *memoryError
		)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrDevice):
			return err
		case errors.Is(err, errStale):
			if stale { // with slices sent just now
				return err
			}
			stale = true
		case errors.As(err, &fault) && fault.Kind == wire.Unsupported:
			return fmt.Errorf("%s: %s: %w", r.Filter, fault.Text, denoise.ErrUnsupported)
		case (errors.Is(err, errTaken) || errors.As(err, &fault) && fault.Kind == wire.Memory) && !a.alone:
			a.alone = true
		case errors.As(err, &fault) && fault.Kind == wire.Memory && a.share < smallestShare:
			a.share *= 2
		case errors.As(err, &gone), errors.Is(err, errNotFinite):
			if lost {
				return &deviceError{text: fmt.Sprintf("the GPU failed twice at this run: %v", err), cause: err}
			}
			lost = true
			a = attempt{share: min(2*a.share, smallestShare), alone: true}
		case errors.As(err, &short):
			return &deviceError{text: fmt.Sprintf("the GPU has too little memory: %v", err), cause: err}
		default:
			return &deviceError{text: fmt.Sprintf("the GPU failed at this run: %v", err), cause: err}
		}
	}
}

// try runs the part once.
func (d *device) try(ctx context.Context, a attempt, r denoise.Recipe, in *volume.Volume, region volume.Region, out func() []float32, progress func(done int64)) error {
	s, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	crew := int64(1)
	if a.alone {
		crew = everyone
	}
	if err := s.crew.Acquire(ctx, crew); err != nil {
		d.release(s)
		return err
	}
	finish := func() {
		s.crew.Release(crew)
		d.release(s)
	}
	need := d.demand(r, in.Geometry, region, in.Mask != nil)
	if a.alone {
		s.measure()
	}
	need.budget = s.capacity() / a.share
	l, err := cut(need)
	if err != nil {
		finish()
		return err
	}
	var done atomic.Int64
	t := &task{
		s: s, recipe: r, in: in, out: out, region: region, layout: l,
		done:   func(n int) { progress(done.Add(int64(n))) },
		timed:  func(n int, kernel time.Duration) { d.observe(r, in.Geometry, n, kernel) },
		finish: finish,
	}
	// A slice goes in front of the volumes that are under way; those share the
	// memory, and so go one after the other.
	if len(l.slabs) == 1 && len(l.slabs[0].blocks) == 1 {
		t.lane = wire.Urgent
		return t.run(ctx)
	}
	if _, err := take(ctx, s.bulk); err != nil {
		finish()
		return err
	}
	t.finish = func() {
		s.bulk <- struct{}{}
		finish()
	}
	return t.run(ctx)
}

// demand is what a region takes on this device, with the memory that was free
// when its worker started.
func (d *device) demand(r denoise.Recipe, g volume.Geometry, region volume.Region, masked bool) demand {
	d.mu.Lock()
	defer d.mu.Unlock()
	free := d.hello.Free
	if free == 0 {
		// Its worker has not run yet.
		free = d.hello.Device.Memory - segmentBytes - smallCount*smallBytes - reserved
	}
	return demand{
		dims: g.Dims, region: region, reach: bind(r, g).Reach(), masked: masked,
		block:  max(1, int(modelRate(d.hello.Device, r, g)*blockTime.Seconds())),
		budget: budget(free, d.options.Memory),
	}
}

// observe notes what a block of n voxels took, for the estimates to come.
func (d *device) observe(r denoise.Recipe, g volume.Geometry, n int, kernel time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy += kernel
	// A short kernel tells of its start, not of its rate.
	if kernel >= blockTime/10 {
		d.speed[r.Filter] = float64(n) / kernel.Seconds() / modelRate(d.hello.Device, r, g)
	}
}

// modelled is the time for a region by the model.
func (d *device) modelled(r denoise.Recipe, g volume.Geometry, region volume.Region) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	seconds := float64(region.Voxels()) / modelRate(d.hello.Device, r, g)
	return time.Duration(seconds * float64(time.Second))
}

// estimate is the modelled time, corrected by what the filter last took, or
// that of the copies where they take longer.
func (d *device) estimate(r denoise.Recipe, g volume.Geometry, region volume.Region) time.Duration {
	kernels := d.modelled(r, g, region)
	d.mu.Lock()
	defer d.mu.Unlock()
	if speed, ok := d.speed[r.Filter]; ok {
		kernels = time.Duration(float64(kernels) / speed)
	}
	copies := float64(8*region.Voxels()) / busBytesPerSecond
	return max(kernels, time.Duration(copies*float64(time.Second)))
}
