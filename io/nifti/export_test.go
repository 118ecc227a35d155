package nifti

import (
	"context"
	"io/fs"

	"quell/series"
)

// Read reads the first volume of a file.
func Read(ctx context.Context, fsys fs.FS, name string) (*series.Series, error) {
	return ReadVolume(ctx, fsys, name, 0)
}

// ReadVolume reads volume t of a file with voxels that are single numbers.
func ReadVolume(ctx context.Context, fsys fs.FS, name string, t int) (*series.Series, error) {
	return Open.Read(ctx, fsys, name, t, "")
}
