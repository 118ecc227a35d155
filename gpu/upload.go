package gpu

import (
	"context"
	"slices"

	"quell/gpu/wire"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// errStale says that a resident slab holds slices that differ from the volume's.
// It is not used again: the next attempt uploads them.
var errStale = message.Errorf(message.InputChanged, "an input changed while it was filtered")

// uploadAll returns resident slabs that hold the slices that block b reads, one for each
// input. release must follow.
func (t *task) uploadAll(s slab, b volume.Region) ([]*residentSlab, error) {
	var inputs []*residentSlab
	for _, in := range t.r.inputs {
		resident, err := t.upload(in.volume, s, b)
		if err != nil {
			t.release(inputs)
			return nil, err
		}
		inputs = append(inputs, resident)
	}
	return inputs, nil
}

// upload returns a resident slab that holds the slices of v that block b reads.
// releaseSlab must follow.
func (t *task) upload(v *volume.Volume, s slab, b volume.Region) (*residentSlab, error) {
	reads := b.Grow(t.layout.reach, v.Geometry)
	resident, err := t.s.residentSlab(v, s.z0, s.z1, t.layout.whole)
	if err != nil {
		return nil, err
	}
	if known := resident.fingerprints(reads.Min[2], reads.Max[2]); known != nil {
		// The slices are usually unchanged, so the device starts while they are
		// compared; the run waits for the comparison before it ends.
		t.work.Go(func() {
			if !unchanged(v, reads, known) {
				t.s.invalidate(resident)
				t.cancel(errStale)
			}
		})
		return resident, nil
	}
	if err := t.fill(resident, v, reads.Min[2], fingerprints(v, reads.Min[2], reads.Max[2])); err != nil {
		t.s.invalidate(resident)
		t.s.releaseSlab(resident)
		return nil, err
	}
	return resident, nil
}

// fill uploads the slices of v from z0 on that s lacks, and checks by prints that those
// it has are still the volume's.
func (t *task) fill(s *residentSlab, v *volume.Volume, z0 int, prints [][]uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 0; i < len(prints); {
		if have, ok := s.prints[z0+i]; ok {
			if !slices.Equal(have, prints[i]) {
				return errStale
			}
			i++
			continue
		}
		n := 1
		for i+n < len(prints) && !s.has(z0+i+n) {
			n++
		}
		if err := t.put(s, v, z0+i, z0+i+n); err != nil {
			return err
		}
		for range n {
			s.prints[z0+i] = prints[i]
			i++
		}
	}
	return nil
}

// put packs slices z0 to z1 of v into staging buffers, on all cores, and sends them.
func (t *task) put(s *residentSlab, v *volume.Volume, z0, z1 int) error {
	plane := v.SliceVoxels()
	first, last := z0*plane, z1*plane
	offset := int64(z0-s.z0) * int64(plane)
	chunk := chunkVoxels(last - first)
	return parallel.For(t.ctx, (last-first+chunk-1)/chunk, func(i int) error {
		from := first + i*chunk
		to := min(from+chunk, last)
		at := offset + int64(i*chunk)
		err := t.send(s.voxels, at, to-from, func(staging []byte) wire.Format { return encode(staging, v.Data[from:to]) })
		if err == nil && s.mask != nil {
			err = t.send(s.mask, at, to-from, func(staging []byte) wire.Format { return encodeMask(staging, v.Mask[from:to]) })
		}
		return err
	})
}

// send packs n elements into a staging buffer and puts them into b from element
// at on.
func (t *task) send(b *buffer, at int64, n int, pack func(staging []byte) wire.Format) error {
	offset, err := take(t.ctx, t.s.uploads)
	if err != nil {
		return err
	}
	format := pack(t.s.staging(offset))
	f, err := t.s.request(&wire.Request{
		Op: wire.Put, Buffer: b.handle, Offset: at, Count: int64(n), Shared: offset, Format: format,
	})
	if err != nil {
		t.s.uploads <- offset
		return err
	}
	t.work.Go(func() {
		_, err := f[0].wait(context.Background())
		t.s.uploads <- offset
		if err != nil {
			// Other tasks may rely on these voxels already.
			t.s.stop(&lostError{Message: message.New(message.EngineLost, "voxels did not reach the GPU (%v)", err)})
			t.cancel(err)
		}
	})
	return nil
}
