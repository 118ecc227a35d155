package raster

import (
	"context"

	"quell/series"
	"quell/volume"
)

// Maker returns how a file of so many frames is written at path. from, the first of the series that the
// voxels were computed from, may be nil; step is the time between frames in seconds, 0 if it is unknown;
// dtype is one of [Datatypes] or "". An error is one sentence without path.
type Maker func(path string, frames int, from *series.Series, step float64, dtype, description string) (Spec, error)

// Write writes a volume to a new file, see [WriteFile].
func (m Maker) Write(ctx context.Context, path string, v *volume.Volume, a *volume.Arrival, from *series.Series, dtype, description string) (lost string, err error) {
	spec, err := m(path, 1, from, 0, dtype, description)
	if err != nil {
		return "", err
	}
	return WriteFile(ctx, path, spec, v, a)
}

// NewFrameWriter begins a file, see the function of that name.
func (m Maker) NewFrameWriter(path string, frames int, from *series.Series, step float64, dtype, description string) (*FrameWriter, error) {
	spec, err := m(path, frames, from, step, dtype, description)
	if err != nil {
		return nil, err
	}
	return NewFrameWriter(path, frames, spec)
}
