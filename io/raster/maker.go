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

// Unscaled returns the Maker of a format that has no scale, so that integers hold whole numbers. header returns
// the header of a file on a grid.
func Unscaled(header func(grid volume.Geometry, d Datatype, frames int, step float64, description string) []byte) Maker {
	return func(path string, frames int, from *series.Series, step float64, dtype, description string) (Spec, error) {
		d, err := DatatypeByName(dtype)
		if err != nil {
			return Spec{}, err
		}
		return Spec{
			Datatype: d, Unscaled: true, MaskedAsNaN: HasNaN(from, frames),
			Header: func(grid volume.Geometry, _ Encoder) []byte {
				return header(grid, d, frames, step, description)
			},
		}, nil
	}
}
