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

// worker is the CUDA thread's state; nothing here is touched by another.
type worker struct {
	shared  []byte // the segment
	out     *wire.Writer
	buffers map[wire.Handle]buffer
	up      *queue // copies to the device
	down    *queue // copies from it
	lanes   [wire.Lanes]*lane
	staging cu.DevicePtr // the segment's mirror on the device, for voxels that are widened there
	events  events
}

// buffer is device memory under a handle of the parent's.
type buffer struct {
	at    cu.DevicePtr
	bytes int64
}

// How the CUDA thread waits for the device: it spins while the answer is
// likely to be a slice on screen, then naps, so that a long run leaves the core
// free. A nap may take a millisecond, which is Go's shortest where nothing else
// runs.
const (
	spin = 5 * time.Millisecond
	nap  = 50 * time.Microsecond
)

// work handles requests until a sticky fault.
func (w *worker) work(requests <-chan wire.Request) {
	timer := time.NewTimer(nap)
	always := make(chan time.Time)
	close(always)
	active := time.Now()
	for {
		// With nothing under way only a request can wake the thread.
		var wake <-chan time.Time
		if w.waiting() {
			progress, spoilt := w.reap()
			if spoilt {
				return
			}
			if progress {
				active = time.Now()
			}
			if time.Since(active) < spin {
				runtime.Gosched()
				wake = always
			} else {
				timer.Reset(nap)
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

// reply sends one answer. That the parent is gone is noticed where requests
// are read.
func (w *worker) reply(p wire.Reply) { _ = w.out.Send(p) }

// handle starts what q asks for. Its reply is sent here when it is already
// done, by reap when the device is, and by the caller when it failed.
func (w *worker) handle(q wire.Request) *wire.Fault {
	switch q.Op {
	case wire.Ping:
		free, _, err := cu.MemInfo()
		if err != nil {
			return fault("the device does not tell its memory", err)
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
	case wire.Run:
		return w.run(q)
	}
	return broken("the request %q is not known", q.Op)
}

func broken(format string, args ...any) *wire.Fault {
	return &wire.Fault{Kind: wire.Broken, Text: fmt.Sprintf(format, args...)}
}

func (w *worker) alloc(q wire.Request) *wire.Fault {
	if _, taken := w.buffers[q.Buffer]; taken || q.Buffer == 0 || q.Bytes <= 0 {
		return broken("buffer %d of %d bytes cannot be made", q.Buffer, q.Bytes)
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
		return broken("buffer %d is not there", q.Buffer)
	}
	delete(w.buffers, q.Buffer)
	if err := cu.MemFree(b.at); err != nil {
		return fault("device memory cannot be given back", err)
	}
	w.reply(wire.Reply{ID: q.ID})
	return nil
}

// span returns the device address of elements of a buffer, if they lie in it.
func (w *worker) span(h wire.Handle, offset, count, size int64) (cu.DevicePtr, *wire.Fault) {
	b, ok := w.buffers[h]
	if !ok {
		return 0, broken("buffer %d is not there", h)
	}
	if offset < 0 || count < 0 || offset > b.bytes/size || count > b.bytes/size-offset {
		return 0, broken("elements %d to %d reach outside buffer %d", offset, offset+count, h)
	}
	return b.at + cu.DevicePtr(offset*size), nil
}

// segment returns the part of the shared segment that q copies.
func (w *worker) segment(q wire.Request) ([]byte, *wire.Fault) {
	n := q.Count * q.Format.Size()
	if q.Shared < 0 || q.Count <= 0 || q.Shared > int64(len(w.shared)) || n > int64(len(w.shared))-q.Shared {
		return nil, broken("%d bytes at %d reach outside the shared segment", n, q.Shared)
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
	if q.Behind {
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
	if i < 0 || i >= wire.Lanes {
		return nil, broken("lane %d is not there", i)
	}
	return w.lanes[i], nil
}

// finish has the reply to request id sent when queue q has come this far.
// start, where given, was recorded before the request's kernels.
func (w *worker) finish(q *queue, id uint64, start *cu.Event) *wire.Fault {
	end, err := w.events.take()
	if err == nil {
		err = end.Record(q.stream)
	}
	if err == nil {
		err = q.mark.Record(q.stream)
	}
	if err != nil {
		return fault("the device takes no events", err)
	}
	q.waiting = append(q.waiting, pending{id: id, start: start, end: end})
	return nil
}

// waiting says whether the device owes an answer.
func (w *worker) waiting() bool {
	for _, q := range w.queues() {
		if len(q.waiting) > 0 {
			return true
		}
	}
	return false
}

func (w *worker) queues() [2 + wire.Lanes]*queue {
	all := [2 + wire.Lanes]*queue{w.up, w.down}
	for i, l := range w.lanes {
		all[2+i] = l.compute
	}
	return all
}

// reap answers the requests that the device has finished. It says whether
// there were any and whether a fault spoilt the process.
func (w *worker) reap() (progress, spoilt bool) {
	for _, q := range w.queues() {
		for len(q.waiting) > 0 {
			p := q.waiting[0]
			err := p.end.Query()
			if errors.Is(err, cu.NotReady) {
				break
			}
			r := wire.Reply{ID: p.id}
			if err == nil && p.start != nil {
				r.Millis, err = p.start.Elapsed(p.end)
			}
			if err != nil {
				// Work that was accepted and then failed leaves nothing to
				// rely on, whatever the code says.
				r.Fault = fault("the GPU failed", err)
				r.Fault.Kind = wire.Sticky
				w.reply(r)
				return true, true
			}
			w.reply(r)
			w.events.give(p)
			q.waiting = q.waiting[1:]
			progress = true
		}
	}
	return progress, false
}

func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }
