package nifti

import (
	"context"
	"io/fs"

	"quell/io/format"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// The doors of Open and Make, as the tests call them.
type Component = raster.Component

func ReadComponent(ctx context.Context, fsys fs.FS, name string, t int, c Component) (*series.Series, error) {
	return Open.Read(ctx, fsys, name, t, c)
}

// Write writes v, which was made from the series from, or from no file where that is nil.
func Write(ctx context.Context, path string, v *volume.Volume, a *volume.Arrival, from *series.Series, dtype, description string) error {
	_, err := Make.Write(ctx, path, v, a, On(v.Geometry, from), format.Derived{Description: description}, format.Options{Datatype: dtype})
	return err
}

// On returns a series on another grid, of no file where it is nil.
func On(g volume.Geometry, from *series.Series) *series.Series {
	if from == nil {
		return &series.Series{Volume: &volume.Volume{Geometry: g}}
	}
	moved, v := *from, *from.Volume
	v.Geometry, moved.Volume = g, &v
	return &moved
}
