package gpu

import (
	"context"
	"errors"
	"sync"
	"time"

	"quell/gpu/wire"
	"quell/volume"
)

// fetch is what has to be copied out of the device after a run: its result in
// chunks, of which the first may have been asked for together with the run.
type fetch struct {
	from   *buffer
	at     int64 // of the block's first voxel in from
	voxels int
	chunk  int
	early  []chunkGet
}

// chunkGet is a get under way: of the i-th chunk, into a slot.
type chunkGet struct {
	slot int64
	get  *future
}

func (t *task) fetch(b volume.Region, from *buffer, at int64) *fetch {
	return &fetch{from: from, at: at, voxels: b.Voxels(), chunk: chunkOf(b.Voxels())}
}

// request asks for chunk i into a slot.
func (f *fetch) request(i int, slot int64) *wire.Request {
	first := i * f.chunk
	return &wire.Request{
		Op: wire.Get, Buffer: f.from.handle, Offset: f.at + int64(first),
		Count: int64(min(f.chunk, f.voxels-first)), Shared: slot, Format: wire.Float32,
	}
}

// start sends a run. For a slice on screen the gets go with it, as far as
// there are slots, which spares a turn between the processes; in the bulk lane
// they would hold slots while the run is still queued.
func (t *task) start(job *wire.Job, f *fetch) (*future, error) {
	requests := []*wire.Request{{Op: wire.Run, Lane: t.lane, Job: job}}
	var slots []int64
	for i := 0; t.lane == wire.Urgent && i*f.chunk < f.voxels; i++ {
		select {
		case slot := <-t.s.down:
			get := f.request(i, slot)
			get.Lane, get.Behind = t.lane, true
			requests, slots = append(requests, get), append(slots, slot)
			continue
		default:
		}
		break
	}
	futures, err := t.s.request(requests...)
	if err != nil {
		for _, slot := range slots {
			t.s.down <- slot
		}
		return nil, err
	}
	for i, slot := range slots {
		f.early = append(f.early, chunkGet{slot: slot, get: futures[1+i]})
	}
	return futures[0], nil
}

// block waits for a run and fetches its result.
func (t *task) block(b volume.Region, w *window, run *future, f *fetch) {
	local, dims := b.Offset(t.region.Min), t.region.Dims()
	first := (local.Min[2]*dims[1] + local.Min[1]) * dims[0]
	var gets sync.WaitGroup
	defer gets.Wait()
	collect := func(i int, g chunkGet) {
		from := first + i*f.chunk
		to := min(from+f.chunk, first+f.voxels)
		gets.Go(func() { t.collect(from, to, run, g) })
	}
	for i, g := range f.early {
		collect(i, g)
	}
	r, err := run.wait(context.Background())
	<-t.ahead
	t.s.leave(w)
	if err != nil {
		t.cancel(err)
		return
	}
	t.timed(f.voxels, time.Duration(r.Millis*float64(time.Millisecond)))
	for i := len(f.early); i*f.chunk < f.voxels; i++ {
		slot, err := take(t.ctx, t.s.down)
		if err != nil {
			return
		}
		futures, err := t.s.request(f.request(i, slot))
		if err != nil {
			t.s.down <- slot
			t.cancel(err)
			return
		}
		collect(i, chunkGet{slot: slot, get: futures[0]})
	}
}

// errNotFinite is a fault of the device: kernels give finite results for
// finite voxels.
var errNotFinite = errors.New("the GPU returned values that are no numbers")

// collect waits for a get behind a run and copies it into the region's voxels
// from..to.
func (t *task) collect(from, to int, run *future, g chunkGet) {
	_, err := g.get.wait(context.Background())
	defer func() { t.s.down <- g.slot }()
	if err != nil {
		t.cancel(err)
		return
	}
	// What a failed run left is nobody's business; block tells of the failure.
	if _, err := run.wait(t.ctx); err != nil {
		return
	}
	if !decode(t.out()[from:to], t.s.bytes(g.slot)) {
		t.cancel(errNotFinite)
		return
	}
	t.done(to - from)
}
