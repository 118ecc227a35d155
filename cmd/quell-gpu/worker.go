//go:build cuda

package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	"quell/gpu/wire"
)

// worker is the state of the CUDA thread; no other thread accesses it.
type worker struct {
	shared    []byte // the segment
	out       *wire.Writer
	buffers   map[wire.Handle]buffer
	programs  map[wire.ProgramID]*program
	up        *queue // copies to the device
	down      *queue // copies from it
	lanes     [wire.LaneCount]*lane
	staging   cu.DevicePtr // device memory of the segment's size, for voxels that are widened on the device
	events    events
	maxShared int // bytes of shared memory of a block
}

// buffer is device memory allocated for the parent.
type buffer struct {
	at    cu.DevicePtr
	bytes int64
}

// The CUDA thread polls the device. It spins for spinTime, so that the result of a
// preview is not delayed, then sleeps between the polls, so that a long run leaves
// the core free. A sleep may take a millisecond, the shortest of an idle Go
// program.
const (
	spinTime  = 5 * time.Millisecond
	sleepTime = 50 * time.Microsecond
)

// work handles requests until a sticky error.
func (w *worker) work(requests <-chan wire.Request) {
	timer := time.NewTimer(sleepTime)
	always := make(chan time.Time)
	close(always)
	active := time.Now()
	for {
		// With nothing pending only a request can wake the thread.
		var wake <-chan time.Time
		if w.busy() {
			progress, sticky := w.complete()
			if sticky {
				return
			}
			if progress {
				active = time.Now()
			}
			if time.Since(active) < spinTime {
				runtime.Gosched()
				wake = always
			} else {
				timer.Reset(sleepTime)
				wake = timer.C
			}
		}
		select {
		case q := <-requests:
			active = time.Now()
			if f := w.handle(q); f != nil {
				w.reply(wire.Reply{ID: q.ID, Fault: f})
				if f.Kind == wire.Sticky {
					return
				}
			}
		case <-wake:
		}
	}
}

// reply sends one reply. The exit of the parent is noticed when requests are
// read, so an error is ignored here.
func (w *worker) reply(p wire.Reply) { _ = w.out.Send(p) }

// handle starts a request. The reply is sent here if the request is done already,
// by complete when the device has finished it, and by the caller if it failed.
func (w *worker) handle(q wire.Request) *wire.Fault {
	switch q.Op {
	case wire.Ping:
		free, _, err := cu.MemInfo()
		if err != nil {
			return fault("the device does not report its free memory", err)
		}
		w.reply(wire.Reply{ID: q.ID, Free: free})
		return nil
	case wire.Alloc:
		return w.alloc(q)
	case wire.Free:
		return w.release(q)
	case wire.Put:
		return w.put(q)
	case wire.Get:
		return w.get(q)
	case wire.Bind:
		return w.bind(q)
	case wire.Unbind:
		delete(w.programs, q.Program)
		w.reply(wire.Reply{ID: q.ID})
		return nil
	case wire.Run:
		return w.run(q)
	}
	return broken("unknown request %q", q.Op)
}

func broken(format string, args ...any) *wire.Fault {
	return &wire.Fault{Kind: wire.Broken, Text: fmt.Sprintf(format, args...)}
}

func (w *worker) alloc(q wire.Request) *wire.Fault {
	if _, taken := w.buffers[q.Buffer]; taken || q.Buffer == 0 || q.Bytes <= 0 {
		return broken("buffer %d of %d bytes cannot be allocated", q.Buffer, q.Bytes)
	}
	at, err := cu.MemAlloc(q.Bytes)
	if err != nil {
		return fault(fmt.Sprintf("%d MB of device memory", q.Bytes>>20), err)
	}
	w.buffers[q.Buffer] = buffer{at: at, bytes: q.Bytes}
	w.reply(wire.Reply{ID: q.ID})
	return nil
}

func (w *worker) release(q wire.Request) *wire.Fault {
	b, ok := w.buffers[q.Buffer]
	if !ok {
		return broken("there is no buffer %d", q.Buffer)
	}
	delete(w.buffers, q.Buffer)
	if err := cu.MemFree(b.at); err != nil {
		return fault("device memory cannot be freed", err)
	}
	w.reply(wire.Reply{ID: q.ID})
	return nil
}

// span returns the device address of elements of a buffer. It is a fault if they
// exceed the buffer.
func (w *worker) span(h wire.Handle, offset, count, size int64) (cu.DevicePtr, *wire.Fault) {
	b, ok := w.buffers[h]
	if !ok {
		return 0, broken("there is no buffer %d", h)
	}
	if offset < 0 || count < 0 || offset > b.bytes/size || count > b.bytes/size-offset {
		return 0, broken("elements %d to %d exceed buffer %d", offset, offset+count, h)
	}
	return b.at + cu.DevicePtr(offset*size), nil
}

// segment returns the part of the shared segment that q copies from or to.
func (w *worker) segment(q wire.Request) ([]byte, *wire.Fault) {
	n := q.Count * q.Format.Size()
	if q.Shared < 0 || q.Count <= 0 || q.Shared > int64(len(w.shared)) || n > int64(len(w.shared))-q.Shared {
		return nil, broken("%d bytes at %d exceed the shared segment", n, q.Shared)
	}
	return w.shared[q.Shared : q.Shared+n], nil
}

func (w *worker) put(q wire.Request) *wire.Fault {
	host, f := w.segment(q)
	if f != nil {
		return f
	}
	size := int64(4)
	if q.Format == wire.Bytes {
		size = 1
	}
	to, f := w.span(q.Buffer, q.Offset, q.Count, size)
	if f != nil {
		return f
	}
	if q.Format == wire.Int16 {
		f = w.widen(q, host, to)
	} else if err := cu.MemcpyHtoDAsync(to, pointer(host), int64(len(host)), w.up.stream); err != nil {
		f = fault("voxels cannot be copied to the device", err)
	}
	if f != nil {
		return f
	}
	return w.finish(w.up, q.ID, nil)
}

func (w *worker) get(q wire.Request) *wire.Fault {
	host, f := w.segment(q)
	if f != nil {
		return f
	}
	from, f := w.span(q.Buffer, q.Offset, q.Count, q.Format.Size())
	if f != nil {
		return f
	}
	if q.AfterRun {
		l, f := w.lane(q.Lane)
		if f != nil {
			return f
		}
		if err := w.down.after(l.compute); err != nil {
			return fault("copies cannot be ordered", err)
		}
	}
	if err := cu.MemcpyDtoHAsync(pointer(host), from, int64(len(host)), w.down.stream); err != nil {
		return fault("voxels cannot be copied from the device", err)
	}
	return w.finish(w.down, q.ID, nil)
}

func (w *worker) lane(i wire.Lane) (*lane, *wire.Fault) {
	if i < 0 || i >= wire.LaneCount {
		return nil, broken("there is no lane %d", i)
	}
	return w.lanes[i], nil
}

// finish arranges that request id is replied to when queue q has done everything
// queued so far. start, if not nil, was recorded before the request's kernels.
func (w *worker) finish(q *queue, id uint64, start *cu.Event) *wire.Fault {
	end, err := w.events.take()
	if err == nil {
		err = end.Record(q.stream)
	}
	if err == nil {
		err = q.last.Record(q.stream)
	}
	if err != nil {
		return fault("an event cannot be recorded", err)
	}
	q.pending = append(q.pending, pending{id: id, start: start, end: end})
	return nil
}

// busy reports whether the device has unfinished requests.
func (w *worker) busy() bool {
	for _, q := range w.queues() {
		if len(q.pending) > 0 {
			return true
		}
	}
	return false
}

func (w *worker) queues() [2 + wire.LaneCount]*queue {
	all := [2 + wire.LaneCount]*queue{w.up, w.down}
	for i, l := range w.lanes {
		all[2+i] = l.compute
	}
	return all
}

// complete replies to the requests that the device has finished. It reports
// whether there were any and whether one failed, after which the process must end.
func (w *worker) complete() (progress, sticky bool) {
	for _, q := range w.queues() {
		for len(q.pending) > 0 {
			p := q.pending[0]
			err := p.end.Query()
			if errors.Is(err, cu.NotReady) {
				break
			}
			r := wire.Reply{ID: p.id}
			if err == nil && p.start != nil {
				r.Millis, err = p.start.Elapsed(p.end)
			}
			if err != nil {
				// After a failure of work in progress the process cannot be
				// relied on, whatever the error code.
				r.Fault = fault("the GPU failed", err)
				r.Fault.Kind = wire.Sticky
				w.reply(r)
				return true, true
			}
			w.reply(r)
			w.events.release(p)
			q.pending = q.pending[1:]
			progress = true
		}
	}
	return progress, false
}

func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
