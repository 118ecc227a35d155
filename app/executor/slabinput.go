package executor

import (
	"context"
	"encoding/hex"
	"slices"

	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// slabInput holds consecutive slices of a volume, from slice first on, with what steers a filter.
type slabInput struct {
	in    denoise.Input
	first int
}

// newSlabInput returns the slices from <= z < to of a volume of geometry g and of the unit of another, yet to be taken.
func newSlabInput(g volume.Geometry, from, to int, of *volume.Volume) *slabInput {
	v := volume.New(g.Crop(volume.Slices(g, from, to)))
	v.Unit, v.Modality, v.Encoding = of.Unit, of.Modality, of.Encoding
	return &slabInput{in: denoise.Input{Volume: v}, first: from}
}

// take copies the slices that it holds from the slices of in, which begin at slice
// z.
func (s *slabInput) take(in denoise.Input, z int) {
	v, part := s.in.Volume, in.Volume
	n := v.SliceVoxels()
	from, to := max(s.first, z), min(s.first+v.Dims[2], z+part.Dims[2])
	if from >= to {
		return
	}
	at, src, end := (from-s.first)*n, (from-z)*n, (to-z)*n
	copy(v.Data[at:], part.Data[src:end])
	copyMask(&v.Mask, len(v.Data), at, part.Mask, src, end)
	copyMask(&s.in.Mask, len(v.Data), at, in.Mask, src, end)
	if in.Noise != nil {
		if s.in.Noise == nil {
			s.in.Noise = volume.New(v.Geometry)
		}
		copy(s.in.Noise.Data[at:], in.Noise.Data[src:end])
		copyMask(&s.in.Noise.Mask, len(v.Data), at, in.Noise.Mask, src, end)
	}
}

// copyMask copies mask[src:end] to all[at:], which is made if the first voxel without a value needs it.
func copyMask(all *[]bool, n, at int, mask []bool, src, end int) {
	if mask == nil {
		return
	}
	if *all == nil {
		*all = slices.Repeat([]bool{true}, n)
	}
	copy((*all)[at:], mask[src:end])
}

// slicedMaps are the files that steer the filter, read along with the slices of the volume.
type slicedMaps struct{ noise, mask *open.Selected } // nil for none

// sliceMaps opens the maps of a job for slabs. They must be on the grid of s. The caller closes them.
func sliceMaps(ctx context.Context, j job.Job, s *series.Series) (m slicedMaps, err error) {
	if m.noise, err = openSliced(ctx, j.MapFile(), "noise map", s); err == nil {
		m.mask, err = openSliced(ctx, j.Mask, "mask", s)
	}
	if err != nil {
		m.Close()
	}
	return m, err
}

// openSliced opens a map that is read some slices at a time; nil if it has no name.
func openSliced(ctx context.Context, path, what string, s *series.Series) (*open.Selected, error) {
	if path == "" {
		return nil, nil
	}
	first := 0
	o, err := open.Select(ctx, job.Input{Path: path, Series: &first}, job.Events{})
	if err != nil {
		return nil, err
	}
	err = open.NotOnGrid(path, what, open.SameGrid(s.Volume.Geometry, o.Geometry()))
	if err == nil && (job.HoldsNoise(path) || SourceOf(o).Slices == nil) {
		err = job.Usagef("%s: the %s cannot be read slab by slab; allow more memory with --memory", path, what)
	}
	if err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// Close closes the files.
func (m slicedMaps) Close() {
	for _, o := range []*open.Selected{m.noise, m.mask} {
		if o != nil {
			o.Close()
		}
	}
}

// voxelBytes is the memory of a voxel of the maps.
func (m slicedMaps) voxelBytes() int64 {
	n := int64(0)
	if m.noise != nil {
		n += 5
	}
	if m.mask != nil {
		n += 6
	}
	return n
}

// slabWindow holds consecutive slices of the volume and of its maps, and moves forward.
type slabWindow struct {
	*sliceWindow
	noise, mask *sliceWindow // nil for none
	inside      []bool       // of mask: it is not 0 there
	any         bool         // some voxel was inside
	usual       float32      // the usual sigma of the noise map
}

// identify makes the window hash what it reads from now on.
func (w *slabWindow) identify() {
	for _, m := range w.all() {
		m.hash = run.NewHash()
	}
}

// digests identifies what was read.
func (w *slabWindow) digests() *Digests {
	d := &Digests{Source: hex.EncodeToString(w.hash.Sum(nil))}
	if w.noise != nil {
		d.NoiseMap = &run.MapRecord{From: "file", SHA256: hex.EncodeToString(w.noise.hash.Sum(nil))}
	}
	if w.mask != nil {
		d.Mask = &run.MapRecord{From: "file", SHA256: hex.EncodeToString(w.mask.hash.Sum(nil))}
	}
	return d
}

// all returns the windows on the volume and its maps.
func (w *slabWindow) all() []*sliceWindow {
	return slices.DeleteFunc([]*sliceWindow{w.sliceWindow, w.noise, w.mask}, func(m *sliceWindow) bool { return m == nil })
}

// Close closes the files.
func (w *slabWindow) Close() {
	for _, m := range w.all() {
		m.r.Close()
	}
}

// move makes the window hold the slices first <= z < end, as [sliceWindow.move] does, and returns
// them, in its own memory, and how many voxels without a value it read.
func (w *slabWindow) move(ctx context.Context, first, end int) (in denoise.Input, pads int, err error) {
	before := w.pads
	for _, m := range w.all() {
		if err := m.move(ctx, first, end); err != nil {
			return in, 0, err
		}
	}
	in.Volume = w.volume()
	if w.noise != nil {
		in.Noise, in.Usual = w.noise.volume(), w.usual
	}
	if w.mask != nil {
		v := w.mask.volume()
		in.Mask = w.inside[:len(v.Data)]
		for i, x := range v.Data {
			in.Mask[i] = x == 1
			w.any = w.any || in.Mask[i]
		}
	}
	return in, w.pads - before, nil
}
