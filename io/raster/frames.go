package raster

import (
	"context"
	"fmt"
	"math"

	"quell/volume"
)

// FrameWriter writes volumes on one grid as the frames of one file, one after another and each whole or
// some slices at a time. The file of one frame is as from [WriteFile]. It keeps no voxels in memory;
// voxels of integer types wait on the disk for the last. Its methods are called from one goroutine.
type FrameWriter struct {
	*appender
	frames int // that the file is to have
	added  int // slices, of all frames
}

// NewFrameWriter begins a file of the given number of frames, which spec.Header has to state, at path,
// which must not exist. The caller calls Close, or Discard.
func NewFrameWriter(path string, frames int, spec Spec) (*FrameWriter, error) {
	if frames < 1 || frames > math.MaxInt32 {
		return nil, fmt.Errorf("a file holds 1 to %d volumes, not %d", math.MaxInt32, frames)
	}
	a, err := newAppender(path, spec)
	if err != nil {
		return nil, err
	}
	return &FrameWriter{appender: a, frames: frames}, nil
}

// Add writes the next frame. All frames lie on the grid of the first.
func (w *FrameWriter) Add(ctx context.Context, v *volume.Volume) error {
	return w.AddSlices(ctx, v.Geometry, v)
}

// AddSlices writes the next slices of a frame on that grid. Only the dims of v's own count.
func (w *FrameWriter) AddSlices(ctx context.Context, grid volume.Geometry, v *volume.Volume) error {
	if err := v.Validate(); err != nil {
		return err
	}
	if w.added == 0 {
		w.grid = grid
	}
	const tolerance = 0.01 // mm
	frame, next := w.added/w.grid.Dims[2], w.added%w.grid.Dims[2]
	switch d := v.Dims; {
	case frame == w.frames:
		return fmt.Errorf("the file has its %d volumes", w.frames)
	case !grid.SameGrid(w.grid, tolerance):
		return fmt.Errorf("volume %d lies on another grid than the first", frame)
	case d[0] != grid.Dims[0] || d[1] != grid.Dims[1] || next+d[2] > grid.Dims[2]:
		return fmt.Errorf("slices of %v voxels do not follow %d of %v", d, next, grid.Dims)
	}
	w.added += v.Dims[2]
	return w.add(ctx, v)
}

// Close completes the file and reads it back: every byte must be as it was written. After
// an error the file is gone.
func (w *FrameWriter) Close(ctx context.Context) error {
	if w.added == 0 || w.added != w.frames*w.grid.Dims[2] {
		w.Discard()
		if w.frames == 1 {
			return fmt.Errorf("%d of %d slices were written", w.added, w.grid.Dims[2])
		}
		return fmt.Errorf("%d of %d volumes were written", w.added/max(w.grid.Dims[2], 1), w.frames)
	}
	return w.close(ctx)
}

// Lost returns what [WriteFile] returns, after Close.
func (w *FrameWriter) Lost() string { return w.lost }

// SpoolBytes returns how many bytes of disk each voxel of a data type takes while it is
// written in parts, besides the bytes of the file.
func SpoolBytes(dtype string) int {
	d, err := DatatypeByName(dtype)
	if err != nil || !d.Integer() {
		return 0
	}
	return spooled().Bytes
}
