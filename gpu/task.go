package gpu

import (
	"context"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"quell/denoise"
	"quell/gpu/wire"
	"quell/volume"
)

// task filters a region on one session. It is laid out as a stream: while one
// block is filtered the next one's slices are read, packed and copied up, and
// the last one's result is copied down and out.
type task struct {
	s      *session
	recipe denoise.Recipe // resolved
	in     *volume.Volume
	out    func() []float32 // the region's voxels; waits for their memory
	region volume.Region
	layout layout
	lane   wire.Lane
	done   func(voxels int)                       // from any goroutine
	timed  func(voxels int, kernel time.Duration) // likewise, for every block
	finish func()                                 // called once, when the device has let go of everything

	ctx    context.Context // ends at the first error, which is its cause
	cancel context.CancelCauseFunc
	ahead  chan struct{}  // tokens of the runs that may be under way
	work   sync.WaitGroup // goroutines that wait for the device
}

// runsAhead is how many blocks are queued on the device: enough that it never
// waits, few enough that a cancelled run is soon off it.
const runsAhead = 2

// run filters the region. After a cancel it returns at once, and what the
// device still has under way is waited for in the background; after a fault it
// returns when nothing writes to out any more, so that another try may.
func (t *task) run(ctx context.Context) error {
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	t.ahead = make(chan struct{}, runsAhead)
	all := make(chan struct{})
	t.work.Go(t.feed)
	go func() {
		t.work.Wait()
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

// feed runs the slabs one after the other, two on the device at a time.
func (t *task) feed() {
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

// slab queues every block of a slab and closes finished when the last of its
// result has left the device.
func (t *task) slab(s slab, finished chan<- struct{}) error {
	result, err := t.s.result(s.results)
	if err != nil {
		close(finished)
		return err
	}
	var blocks sync.WaitGroup
	defer t.work.Go(func() {
		blocks.Wait()
		t.s.giveBack(result)
		close(finished)
	})
	at := int64(0)
	for _, b := range s.blocks {
		w, err := t.upload(s, b)
		if err != nil {
			return err
		}
		select {
		case t.ahead <- struct{}{}:
		case <-t.ctx.Done():
			t.s.leave(w)
			return context.Cause(t.ctx)
		}
		job := &wire.Job{
			Recipe: t.recipe, Space: t.in.Spacing, Dims: t.in.Dims,
			First: w.z0, Slices: w.z1 - w.z0, Region: b, In: w.in.handle, Out: result.handle, At: at,
		}
		if w.mask != nil {
			job.Mask = w.mask.handle
		}
		f := t.fetch(b, result, at)
		run, err := t.start(job, f)
		if err != nil {
			<-t.ahead
			t.s.leave(w)
			return err
		}
		blocks.Go(func() { t.block(b, w, run, f) })
		at += int64(b.Voxels())
	}
	return nil
}

// parallel calls f(0) to f(n-1) on all cores.
func parallel(n int, f func(i int)) {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		g.Go(func() error { f(i); return nil })
	}
	_ = g.Wait()
}
