package nifti

import (
	"context"
	"io/fs"

	"quell/io/raster"
	"quell/series"
)

// The doors of Open, as the tests call them.
type Component = raster.Component

func ReadComponent(ctx context.Context, fsys fs.FS, name string, t int, c Component) (*series.Series, error) {
	return Open.Read(ctx, fsys, name, t, c)
}
