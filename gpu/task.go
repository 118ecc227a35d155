package gpu

import (
	"context"
	"sync"
	"time"

	"quell/gpu/wire"
	"quell/volume"
)

// task filters a region on one session, as a pipeline: while one block is
// filtered, the slices of the next are read, packed and uploaded, and the result
// of the last is downloaded.
type task struct {
	s      *session
	r      *run
	out    func() []float32 // returns the region's voxels; may wait for their allocation
	region volume.Region
	layout layout
	lane   wire.Lane
	done   func(from, to int)                     // reports that voxels of the region are final, from any goroutine
	timed  func(voxels int, kernel time.Duration) // reports the time of every block, from any goroutine
	finish func()                                 // called once, when the device uses nothing of the task any more

	ctx     context.Context // ends at the first error, which is its cause
	cancel  context.CancelCauseFunc
	queued  chan struct{}  // holds a token for every block on the device
	work    sync.WaitGroup // goroutines that wait for the device
	program wire.ProgramID
	bound   *future // of the bind request, which is sent with the first run
	scratch *buffer // for the intermediate results of the blocks, which run one after the other; may be nil
}

// maxQueued is how many blocks are queued on the device: enough that it is never
// idle, few enough that a cancelled run ends soon.
const maxQueued = 2

// run filters the region. After a cancel it returns at once and waits in the
// background for work that is still on the device. After a fault it returns when
// nothing writes to out any more, so that the run can be tried again.
func (t *task) run(ctx context.Context) error {
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	t.queued = make(chan struct{}, maxQueued)
	t.program = wire.ProgramID(t.s.lastProgram.Add(1))
	all := make(chan struct{})
	t.work.Go(t.feed)
	go func() {
		t.work.Wait()
		t.cleanUp()
		t.finish()
		close(all)
	}()
	select {
	case <-all:
	case <-t.ctx.Done():
		if ctx.Err() == nil {
			<-all
		}
	}
	err := context.Cause(t.ctx)
	t.cancel(nil)
	return err
}

// cleanUp frees what the task has on the device.
func (t *task) cleanUp() {
	if t.bound != nil {
		// The reply is not needed: a lost worker has forgotten the program.
		_, _ = t.s.request(&wire.Request{Op: wire.Unbind, Program: t.program})
	}
	if t.scratch != nil {
		t.s.releaseResult(t.scratch)
	}
}

// feed runs the slabs one after the other, two on the device at a time.
func (t *task) feed() {
	if t.layout.scratch > 0 {
		var err error
		if t.scratch, err = t.s.result(t.layout.scratch); err != nil {
			t.cancel(err)
			return
		}
	}
	finished := make([]chan struct{}, len(t.layout.slabs))
	for i, s := range t.layout.slabs {
		if i >= 2 {
			if _, err := take(t.ctx, finished[i-2]); err != nil {
				return
			}
		}
		finished[i] = make(chan struct{})
		if err := t.slab(s, finished[i]); err != nil {
			t.cancel(err)
			return
		}
	}
}

// slab queues every block of a slab. It closes finished when the whole result
// has left the device.
func (t *task) slab(s slab, finished chan<- struct{}) error {
	result, err := t.s.result(4 * s.results)
	if err != nil {
		close(finished)
		return err
	}
	var blocks sync.WaitGroup
	defer t.work.Go(func() {
		blocks.Wait()
		t.s.releaseResult(result)
		close(finished)
	})
	at := int64(0)
	for _, b := range s.blocks {
		inputs, err := t.uploadAll(s, b)
		if err != nil {
			return err
		}
		select {
		case t.queued <- struct{}{}:
		case <-t.ctx.Done():
			t.release(inputs)
			return context.Cause(t.ctx)
		}
		d := newDownload(b, result, at)
		run, err := t.start(t.arguments(inputs, b, result, at), d)
		if err != nil {
			<-t.queued
			t.release(inputs)
			return err
		}
		blocks.Go(func() { t.finishBlock(b, inputs, run, d) })
		at += int64(b.Voxels())
	}
	return nil
}

// arguments returns the run of a block with a result that begins at element at of a
// buffer.
func (t *task) arguments(inputs []*residentSlab, b volume.Region, result *buffer, at int64) *wire.RunArgs {
	args := &wire.RunArgs{Inputs: map[string]wire.Slices{}, Region: b, Out: result.handle, At: at}
	for i, s := range inputs {
		args.Inputs[t.r.inputs[i].name] = wire.Slices{Buffer: s.voxels.handle, First: s.z0, Count: s.z1 - s.z0}
		if s.mask != nil {
			args.Inputs[wire.Mask] = wire.Slices{Buffer: s.mask.handle, First: s.z0, Count: s.z1 - s.z0}
		}
	}
	if t.scratch != nil {
		args.Scratch = t.scratch.handle
	}
	return args
}

// release ends the use of a block's inputs.
func (t *task) release(inputs []*residentSlab) {
	for _, s := range inputs {
		t.s.releaseSlab(s)
	}
}
