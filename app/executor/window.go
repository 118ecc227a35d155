package executor

import (
	"context"
	"errors"
	"hash"

	"quell/app/job"
	"quell/app/run"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// sliceWindow holds consecutive slices of a volume, and moves forward.
type sliceWindow struct {
	r          series.Slices
	g          volume.Geometry // of the whole volume
	first, end int             // slices in data, of a number that fits
	data       []float32
	mask       []bool    // nil if every voxel has a value
	pad        float32   // what voxels that are not finite are given
	hash       hash.Hash // of the voxels that were read; nil for none
	pads       int       // voxels without a value so far

	binary bool            // a voxel becomes 1 if it has a value that is not 0, and else 0
	noise  *job.AddedNoise // that is added to voxels as they are read; nil for none
	clean  []float32       // the voxels before that; nil without
}

// newSliceWindow returns an empty window of at most n slices; masked says that voxels may have
// no value.
func newSliceWindow(r series.Slices, n int, masked bool) *sliceWindow {
	g := r.Geometry()
	n = min(n, g.Dims[2]) * g.SliceVoxels()
	w := &sliceWindow{r: r, g: g, data: volume.Make[float32](n)}
	if masked {
		w.mask = volume.Make[bool](n)
	}
	return w
}

// move makes the window hold the slices first <= z < end, neither before the present
// ones. Slices in between are read and left out.
func (w *sliceWindow) move(ctx context.Context, first, end int) error {
	n := w.g.SliceVoxels()
	for w.end < first {
		w.first = w.end
		if err := w.read(ctx, min(first, w.end+len(w.data)/n)); err != nil {
			return err
		}
	}
	copy(w.data, w.data[(first-w.first)*n:(w.end-w.first)*n])
	if w.mask != nil {
		copy(w.mask, w.mask[(first-w.first)*n:(w.end-w.first)*n])
	}
	if w.clean != nil {
		copy(w.clean, w.clean[(first-w.first)*n:(w.end-w.first)*n])
	}
	w.first = first
	return w.read(ctx, end)
}

// read reads the slices up to end behind those in the window.
func (w *sliceWindow) read(ctx context.Context, end int) error {
	n := w.g.SliceVoxels()
	from, to := (w.end-w.first)*n, (end-w.first)*n
	if from >= to {
		return nil
	}
	data, mask := w.data[from:to], []bool(nil)
	if w.mask != nil {
		mask = w.mask[from:to]
	}
	pads, err := w.r.Read(ctx, data, mask)
	if err != nil {
		return err
	}
	if pads > 0 && w.mask == nil {
		return &job.InputError{Path: job.TheSeries, Problem: message.New(message.InputChanged, "was changed while it was read"), Advice: message.Text("start again"), Err: errors.New("voxels without a value appeared")}
	}
	for i := 0; i < len(mask) && pads > 0; i++ {
		if data[i]-data[i] != 0 {
			data[i] = w.pad
		}
	}
	if w.binary {
		for i, x := range data {
			if data[i] = 0; x != 0 && mask[i] {
				data[i] = 1
			}
		}
	}
	if w.noise != nil {
		if err := w.add(ctx, from, to, end); err != nil {
			return err
		}
	}
	if w.hash != nil {
		run.AddVoxels(w.hash, data)
	}
	w.end = end
	w.pads += pads
	return nil
}

// add adds the noise to the voxels from <= i < to of the window, which were read up to slice end.
func (w *sliceWindow) add(ctx context.Context, from, to, end int) error {
	copy(w.clean[from:to], w.data[from:to])
	part := w.part(w.end, end, w.clean)
	noisy, err := noise.AddNoiseTo(ctx, part, w.end*w.g.SliceVoxels(), w.noise.Model, w.noise.Sigma, w.noise.Seed)
	if err == nil {
		copy(w.data[from:to], noisy.Data)
	}
	return err
}

// volume returns the slices in the window, in its memory.
func (w *sliceWindow) volume() *volume.Volume { return w.part(w.first, w.end, w.data) }

// before returns the slices in the window before noise was added; nil without noise.
func (w *sliceWindow) before() *volume.Volume {
	if w.clean == nil {
		return nil
	}
	return w.part(w.first, w.end, w.clean)
}

// part returns the slices from <= z < to of the window with those voxels.
func (w *sliceWindow) part(from, to int, data []float32) *volume.Volume {
	n := w.g.SliceVoxels()
	a, b := (from-w.first)*n, (to-w.first)*n
	v := &volume.Volume{Geometry: w.g.Crop(volume.Slices(w.g, from, to)), Data: data[a:b]}
	if w.mask != nil {
		v.Mask = w.mask[a:b]
	}
	return v
}
