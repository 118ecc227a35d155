package nifti

import (
	"context"
	"fmt"
	"math"

	"quell/series"
	"quell/volume"
)

// FrameWriter writes volumes on one grid, one after another, as the frames of one
// four-dimensional NIfTI file, which [ReadVolume] reads by number. It keeps no volume in
// memory; those of integer types wait on the disk for the last. Its methods are called from
// one goroutine.
type FrameWriter struct {
	*appender
	frames int // that the file is to have
	added  int
	grid   volume.Geometry
}

// NewFrameWriter begins a file of the given number of frames at path, a .nii or .nii.gz
// that must not exist. from, the first of the series that the frames were computed from,
// and dtype are as for [Write]; step is the time between frames in seconds, 0 where it is
// unknown. The caller calls Close, or Discard.
func NewFrameWriter(path string, frames int, from *series.Series, step float64, dtype, description string) (*FrameWriter, error) {
	if frames < 1 || frames > math.MaxInt32 {
		return nil, fmt.Errorf("a file holds 1 to %d volumes, not %d", math.MaxInt32, frames)
	}
	a, err := newAppender(path, from, dtype)
	if err != nil {
		return nil, err
	}
	w := &FrameWriter{appender: a, frames: frames}
	a.layout = func(e encoder) *header {
		h := newHeader(w.grid, a.source, e, description)
		h.dim[0], h.dim[4] = 4, int64(frames)
		if frames > maxDim16 {
			h.format = nifti2
		}
		if step > 0 {
			const seconds, timeUnit = 8, 0x38
			h.pixdim[4], h.xyztUnits = step, h.xyztUnits&^timeUnit|seconds
		}
		return h
	}
	return w, nil
}

// Add writes the next frame. All frames lie on the grid of the first.
func (w *FrameWriter) Add(ctx context.Context, v *volume.Volume) error {
	if err := v.Validate(); err != nil {
		return err
	}
	const tolerance = 0.01 // mm
	switch {
	case w.added == w.frames:
		return fmt.Errorf("the file has its %d volumes", w.frames)
	case w.added == 0:
		w.grid = v.Geometry
	case !v.SameGrid(w.grid, tolerance):
		return fmt.Errorf("volume %d lies on another grid than the first", w.added)
	}
	w.added++
	return w.add(ctx, v)
}

// Close completes the file and reads it back: every byte must be as it was written. After
// an error the file is gone.
func (w *FrameWriter) Close(ctx context.Context) error {
	if w.added != w.frames {
		w.Discard()
		return fmt.Errorf("%d of %d volumes were written", w.added, w.frames)
	}
	return w.close(ctx)
}

// SliceWriter writes a volume some slices at a time, in order, as [Write] writes it whole.
// It keeps no slice in memory; those of integer types wait on the disk for the last. Its
// methods are called from one goroutine.
type SliceWriter struct {
	*appender
	grid volume.Geometry
	next int // slice
}

// NewSliceWriter begins a file of a volume on grid g; the other parameters are those of
// [Write], but only NIfTI is written. The caller calls Close, or Discard.
func NewSliceWriter(path string, g volume.Geometry, from *series.Series, dtype, description string) (*SliceWriter, error) {
	a, err := newAppender(path, from, dtype)
	if err != nil {
		return nil, err
	}
	a.layout = func(e encoder) *header { return newHeader(g, a.source, e, description) }
	return &SliceWriter{appender: a, grid: g}, nil
}

// Add writes the next slices. Only the dims of v's grid count.
func (w *SliceWriter) Add(ctx context.Context, v *volume.Volume) error {
	if err := v.Validate(); err != nil {
		return err
	}
	if d := v.Dims; d[0] != w.grid.Dims[0] || d[1] != w.grid.Dims[1] || w.next+d[2] > w.grid.Dims[2] {
		return fmt.Errorf("slices of %v voxels do not follow %d of %v", d, w.next, w.grid.Dims)
	}
	w.next += v.Dims[2]
	return w.add(ctx, v)
}

// Close completes the file and reads it back: every byte must be as it was written. After
// an error the file is gone.
func (w *SliceWriter) Close(ctx context.Context) error {
	if w.next != w.grid.Dims[2] {
		w.Discard()
		return fmt.Errorf("%d of %d slices were written", w.next, w.grid.Dims[2])
	}
	return w.close(ctx)
}

// SpoolBytes returns how many bytes of disk each voxel of a data type takes while it is
// written in parts, beside those of the file.
func SpoolBytes(dtype string) int {
	d, err := datatypeByName(dtype)
	if err != nil || !d.integer() {
		return 0
	}
	return spooled().bytes
}
