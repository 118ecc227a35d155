package gpu

import (
	"context"
	"sync"
	"time"

	"quell/gpu/wire"
	"quell/volume"
)

// download copies the result of one block from the device, in chunks. The
// first chunks may be requested together with the run.
type download struct {
	from   *buffer
	at     int64 // of the block's first voxel in from
	voxels int
	chunk  int // voxels per chunk; the last may have fewer
	early  []chunkDownload
}

// chunkDownload is a requested chunk and the staging buffer it is copied into.
type chunkDownload struct {
	staging int64
	get     *future
}

func newDownload(b volume.Region, from *buffer, at int64) *download {
	return &download{from: from, at: at, voxels: b.Voxels(), chunk: chunkVoxels(b.Voxels())}
}

// request returns the request for chunk i.
func (d *download) request(i int, staging int64) *wire.Request {
	first := i * d.chunk
	return &wire.Request{
		Op: wire.Get, Buffer: d.from.handle, Offset: d.at + int64(first),
		Count: int64(min(d.chunk, d.voxels-first)), Shared: staging, Format: wire.Float32,
	}
}

// start sends a run, the first one together with the binding of its program. In the
// preview lane the requests for its result go with it,
// as far as staging buffers are free, which saves a round trip; in the volume
// lane they would occupy the buffers while the run is queued.
func (t *task) start(args *wire.RunArgs, d *download) (*future, error) {
	requests := []*wire.Request{{Op: wire.Run, Lane: t.lane, Program: t.program, Run: args}}
	bind := t.bound == nil
	var staging []int64
	for i := 0; t.lane == wire.PreviewLane && i*d.chunk < d.voxels; i++ {
		select {
		case offset := <-t.s.downloads:
			get := d.request(i, offset)
			get.Lane, get.AfterRun = t.lane, true
			requests, staging = append(requests, get), append(staging, offset)
			continue
		default:
		}
		break
	}
	if bind {
		p, g := t.r.program, t.r.geometry
		requests = append([]*wire.Request{{
			Op: wire.Bind, Program: t.program,
			Binding: &wire.Binding{Recipe: p.Recipe, Spacing: g.Spacing, Dims: g.Dims, UsualSigma: p.UsualSigma, Last: p.Last, Rung: t.r.rung.Name, Block: t.r.rung.Block, Shapes: t.r.shapes, Series: p.Series},
		}}, requests...)
	}
	futures, err := t.s.request(requests...)
	if err != nil {
		for _, offset := range staging {
			t.s.downloads <- offset
		}
		return nil, err
	}
	if bind {
		t.bound, futures = futures[0], futures[1:]
		// Not before: large memory may start a garbage collection, on all cores.
		go t.out()
	}
	for i, offset := range staging {
		d.early = append(d.early, chunkDownload{staging: offset, get: futures[1+i]})
	}
	return futures[0], nil
}

// finishBlock waits for a run and downloads its result.
func (t *task) finishBlock(b volume.Region, inputs []*residentSlab, run *future, d *download) {
	local, dims := b.Offset(t.region.Min), t.region.Dims()
	first := (local.Min[2]*dims[1] + local.Min[1]) * dims[0]
	var chunks sync.WaitGroup
	defer chunks.Wait()
	receive := func(i int, c chunkDownload) {
		from := first + i*d.chunk
		to := min(from+d.chunk, first+d.voxels)
		chunks.Go(func() { t.receive(from, to, run, c) })
	}
	for i, c := range d.early {
		receive(i, c)
	}
	r, err := run.wait(context.Background())
	<-t.queued
	t.release(inputs)
	if _, bindErr := t.bound.wait(context.Background()); bindErr != nil {
		err = bindErr // the cause of the run's fault
	}
	if err != nil {
		t.cancel(err)
		return
	}
	t.timed(d.voxels, time.Duration(r.Millis*float64(time.Millisecond)))
	for i := len(d.early); i*d.chunk < d.voxels; i++ {
		staging, err := take(t.ctx, t.s.downloads)
		if err != nil {
			return
		}
		futures, err := t.s.request(d.request(i, staging))
		if err != nil {
			t.s.downloads <- staging
			t.cancel(err)
			return
		}
		receive(i, chunkDownload{staging: staging, get: futures[0]})
	}
}

// receive waits for a chunk and copies it to voxels from..to of the region.
func (t *task) receive(from, to int, run *future, c chunkDownload) {
	_, err := c.get.wait(context.Background())
	defer func() { t.s.downloads <- c.staging }()
	if err != nil {
		t.cancel(err)
		return
	}
	// Ignore the data of a failed run; finishBlock reports its error.
	if _, err := run.wait(t.ctx); err != nil {
		return
	}
	if err := decode(t.out()[from:to], t.s.staging(c.staging)); err != nil {
		t.cancel(err)
		return
	}
	t.done(from, to)
}
