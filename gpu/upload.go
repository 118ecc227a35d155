package gpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"quell/gpu/wire"
	"quell/volume"
)

// errStale says that the device holds slices that are not the volume's any
// more. They are not used again: another try sends them anew.
var errStale = errors.New("the volume changed while it was filtered")

// upload returns a window that holds the slices that block b reads. leave must
// follow.
func (t *task) upload(s slab, b volume.Region) (*window, error) {
	reads := b.Grow(t.layout.reach, t.in.Geometry)
	w, err := t.s.window(t.in, s.z0, s.z1, t.layout.whole)
	if err != nil {
		return nil, err
	}
	if known := w.known(reads.Min[2], reads.Max[2]); known != nil {
		// As a rule they are still the volume's, so that the device can begin
		// while they are compared; the run waits for the answer before it ends.
		t.work.Go(func() {
			if !unchanged(t.in, reads, known) {
				t.s.forget(w)
				t.cancel(errStale)
			}
		})
		return w, nil
	}
	if err := t.fill(w, reads.Min[2], fingerprints(t.in, reads.Min[2], reads.Max[2])); err != nil {
		t.s.forget(w)
		t.s.leave(w)
		return nil, err
	}
	return w, nil
}

// fill puts the slices from z0 on that w does not have; those that it has must
// be the volume's still.
func (t *task) fill(w *window, z0 int, prints [][]uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := 0; i < len(prints); {
		if have, ok := w.prints[z0+i]; ok {
			if !slices.Equal(have, prints[i]) {
				return errStale
			}
			i++
			continue
		}
		n := 1
		for i+n < len(prints) && !w.has(z0+i+n) {
			n++
		}
		if err := t.put(w, z0+i, z0+i+n); err != nil {
			return err
		}
		for range n {
			w.prints[z0+i] = prints[i]
			i++
		}
	}
	return nil
}

// put packs slices z0 to z1 into slots, on all cores, and sends them up.
func (t *task) put(w *window, z0, z1 int) error {
	plane := t.in.SliceVoxels()
	to := int64(z0-w.z0) * int64(plane)
	first, last := z0*plane, z1*plane
	chunk := chunkOf(last - first)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := first; i < last; i += chunk {
		n := min(chunk, last-i)
		at := to + int64(i-first)
		g.Go(func() error {
			return t.send(w.in, at, n, func(slot []byte) wire.Format { return encode(slot, t.in.Data[i:i+n]) })
		})
		if w.mask != nil {
			g.Go(func() error {
				return t.send(w.mask, at, n, func(slot []byte) wire.Format { return encodeMask(slot, t.in.Mask[i:i+n]) })
			})
		}
	}
	return g.Wait()
}

// send packs n elements into a slot and puts them into a buffer.
func (t *task) send(to *buffer, at int64, n int, pack func(slot []byte) wire.Format) error {
	slot, err := take(t.ctx, t.s.up)
	if err != nil {
		return err
	}
	format := pack(t.s.bytes(slot))
	f, err := t.s.request(&wire.Request{
		Op: wire.Put, Buffer: to.handle, Offset: at, Count: int64(n), Shared: slot, Format: format,
	})
	if err != nil {
		t.s.up <- slot
		return err
	}
	t.work.Go(func() {
		_, err := f[0].wait(context.Background())
		t.s.up <- slot
		if err != nil {
			// Other tasks may rely on these voxels already.
			t.s.stop(&lostError{text: fmt.Sprintf("voxels did not reach the GPU (%v)", err)})
			t.cancel(err)
		}
	})
	return nil
}
