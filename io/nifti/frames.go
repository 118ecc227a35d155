package nifti

import (
	"context"
	"fmt"
	"math"

	"quell/series"
	"quell/volume"
)

// FrameWriter writes volumes on one grid as the frames of one NIfTI file, one after another and
// each whole or some slices at a time; [ReadVolume] reads them by number. The file of one frame
// is that of [Write]. It keeps no voxels in memory; those of integer types wait on the disk for
// the last. Its methods are called from one goroutine.
type FrameWriter struct {
	*appender
	frames int             // that the file is to have
	grid   volume.Geometry // of each; zero before the first
	added  int             // slices, of all frames
	mark   string          // see Mark
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
		h.auxFile = [24]byte{}
		copy(h.auxFile[:len(h.auxFile)-1], w.mark)
		if frames == 1 {
			return h
		}
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

// Mark keeps a text of up to 23 bytes as the name of an auxiliary file in the header, which
// [Auxiliary] returns. It is called before the first frame; without it there is none.
func (w *FrameWriter) Mark(text string) { w.mark = text }

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

// SpoolBytes returns how many bytes of disk each voxel of a data type takes while it is
// written in parts, beside those of the file.
func SpoolBytes(dtype string) int {
	d, err := datatypeByName(dtype)
	if err != nil || !d.integer() {
		return 0
	}
	return spooled().bytes
}
