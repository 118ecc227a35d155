package gpu

import (
	"context"
	"errors"
	"fmt"
	"time"

	"quell/denoise"
	"quell/gpu/wire"
	"quell/internal/message"
	"quell/kernels"
	"quell/volume"
)

// blockTime is the modelled time of one block on the device; two are queued when
// a run is cancelled. Measured times do not change it, so that the same run is
// always divided the same way.
const blockTime = 30 * time.Millisecond

// rungTime is blockTime for a rung of a ladder, as a benchmark is divided little, and for a
// 4-D series, as blocks compute the patches between them twice. No block may look like a worker
// that hangs.
const rungTime = time.Second

// maxDivisor is the divisor of the budget beyond which less memory does not help
// any more.
const maxDivisor = 64

// attempt is how a part of a region is tried.
type attempt struct {
	divisor int64 // of the memory budget
	alone   bool  // with no other run active, so that all memory is available
	fresh   bool  // with all slices uploaded anew
}

// filter runs a part of a region on this device into out. It recovers from what
// it can: slabs are made smaller if memory is short. An error for which transient is
// true may not come again.
func (d *device) filter(ctx context.Context, a attempt, r *run, region volume.Region, out *partOutput) error {
	for {
		err := d.try(ctx, a, r, region, out)
		var (
			fault *wire.Fault
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
			if a.fresh { // an input changes during the run
				return err
			}
			a.fresh = true
		case errors.As(err, &fault) && fault.Kind == wire.Unsupported:
			return unsupported(fmt.Errorf("%s: %w", fault.Text, denoise.ErrUnsupported))
		case (errors.Is(err, errMemoryInUse) || errors.As(err, &fault) && fault.Kind == wire.Memory) && !a.alone:
			a.alone = true
		case errors.As(err, &fault) && fault.Kind == wire.Memory && a.divisor < maxDivisor:
			a.divisor *= 2
		case transient(err):
			return err
		case errors.As(err, &short):
			return &deviceError{message.New(message.EngineMemory, "the GPU has too little memory: %v", err), err}
		default:
			return &deviceError{message.Text("the GPU failed at this run: %v", err), err}
		}
	}
}

// transient reports whether err is the loss of a worker that ran, or of its results:
// another attempt may succeed.
func transient(err error) bool {
	var lost *lostError
	return !errors.Is(err, ErrDevice) && (errors.As(err, &lost) || errors.Is(err, errNotFinite))
}

// try runs the part once.
func (d *device) try(ctx context.Context, a attempt, r *run, region volume.Region, out *partOutput) error {
	s, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	weight := int64(1)
	if a.alone {
		weight = exclusive
	}
	if err := s.slots.Acquire(ctx, weight); err != nil {
		d.release(s)
		return err
	}
	finish := func() {
		s.slots.Release(weight)
		d.release(s)
	}
	need := d.demand(r, region)
	if a.fresh {
		for _, in := range r.inputs {
			s.invalidateVolume(in.volume)
		}
	}
	if a.alone {
		s.updateBudget()
	}
	need.budget = s.capacity() / a.divisor
	l, err := planSlabs(need)
	if err != nil {
		finish()
		return err
	}
	t := &task{
		s: s, r: r, out: out.voxels, region: region, layout: l,
		done:   out.attempt(),
		timed:  func(n int, kernel time.Duration) { d.observe(r, n, kernel) },
		finish: finish,
	}
	// A run of one block, such as a preview, overtakes the volumes that are
	// being filtered. Volumes share the memory, so only one is filtered at a
	// time.
	if len(l.slabs) == 1 && len(l.slabs[0].blocks) == 1 {
		t.lane = wire.PreviewLane
		return t.run(ctx)
	}
	d.countVolumes(1)
	if _, err := take(ctx, s.volumeTurn); err != nil {
		d.countVolumes(-1)
		finish()
		return err
	}
	t.finish = func() {
		s.volumeTurn <- struct{}{}
		d.countVolumes(-1)
		finish()
	}
	return t.run(ctx)
}

func (d *device) countVolumes(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.volumes += n
}

// demand returns the demand of a region on this device. Its budget is the memory
// that was free when the worker started.
func (d *device) demand(r *run, region volume.Region) demand {
	d.mu.Lock()
	defer d.mu.Unlock()
	free := d.hello.Free
	if free == 0 {
		// No worker has started yet.
		free = d.hello.Device.Memory - segmentBytes/int64(d.stagingDivisor()) - previewResultCount*previewResultBytes - reserved
	}
	model := d.hello.Device
	if d.first != nil {
		model = d.first.model()
	}
	block := blockTime.Seconds()
	if r.rung != (kernels.Rung{}) || r.program.Series.Volumes > 0 {
		block = rungTime.Seconds() / r.rung.Slower()
	}
	return demand{
		dims: r.geometry.Dims, region: region, reach: r.program.Reach(),
		inputs: len(r.inputs), masked: r.masked, shared: r.shared, deepTiles: kernels.DeepTiles(r.program), intermediates: r.intermediates(),
		beside: func(dims [3]int) int64 { return r.rung.Scratch(r.program, r.geometry.Dims, dims) },
		block:  max(1, int(modelRate(model, r.program)*block)),
		budget: budget(free, d.options.Memory),
	}
}

// model returns the properties of the device.
func (d *device) model() wire.Device {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.hello.Device
}

// smoothing is the part of a new measurement in the speed of a device: a single block
// may share the device with a preview.
const smoothing = 0.25

// observe records the time of a block of n voxels for later estimates.
func (d *device) observe(r *run, n int, kernel time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy += kernel
	// The time of a short kernel is mostly the time of its launch.
	if kernel >= blockTime/10 {
		filter, now := r.program.Recipe.Filter, float64(n)/kernel.Seconds()/modelRate(d.hello.Device, r.program)
		if before, ok := d.speed[filter]; ok {
			now = smoothing*now + (1-smoothing)*before
		}
		d.speed[filter] = now
	}
}

// modelled returns the modelled time for a region.
func (d *device) modelled(r *run, region volume.Region) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	seconds := float64(region.Voxels()) / modelRate(d.hello.Device, r.program)
	return time.Duration(seconds * float64(time.Second))
}

// measured returns the device's speed at a run's filter, as a multiple of the modelled
// one; 0 if it is not known.
func (d *device) measured(r *run) float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.speed[r.program.Recipe.Filter]
}

// estimate returns the time for a region: the modelled one, corrected by the
// filter's last measurements, or the time of the copies if it is longer.
func (d *device) estimate(r *run, region volume.Region) time.Duration {
	kernels := d.modelled(r, region)
	if speed := d.measured(r); speed > 0 {
		kernels = time.Duration(float64(kernels) / speed)
	}
	copies := float64(4*(len(r.inputs)+1)*region.Voxels()) / busBytesPerSecond
	return max(kernels, time.Duration(copies*float64(time.Second)))
}
