package open

import (
	"context"
	"fmt"

	"quell/app/job"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// GridTolerance is how far, in mm, two grids may lie apart and still be
// compared voxel by voxel: less than any voxel, more than a writer's rounding.
const GridTolerance = 0.01

// SameGrid returns an error if two grids cannot be compared voxel by voxel.
func SameGrid(a, b volume.Geometry) error {
	if a.Dims != b.Dims {
		return message.Errorf(message.GridDiffers, "one is %s voxels, the other %s", DimsText(a.Dims), DimsText(b.Dims))
	}
	if !a.SameGrid(b, GridTolerance) {
		return message.Errorf(message.GridDiffers, "the dims agree but the positions differ by more than %g mm", GridTolerance)
	}
	return nil
}

// DimsText returns "4 x 5 x 6".
func DimsText(d [3]int) string { return fmt.Sprintf("%d x %d x %d", d[0], d[1], d[2]) }

// OnGrid reads a volume that must be on the grid of s.
func OnGrid(ctx context.Context, path, what string, s *series.Series) (*volume.Volume, error) {
	in, err := Open(ctx, job.Input{Path: path}, job.Events{})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Volume, NotOnGrid(path, what, SameGrid(s.Volume.Geometry, in.Volume.Geometry))
}

// NotOnGrid words the error of SameGrid about a map; nil for nil.
func NotOnGrid(path, what string, err error) error {
	if err == nil {
		return nil
	}
	return &job.InputError{
		Path: path, Problem: message.New(message.GridDiffers, "the %s is not on the grid of the series: %v", message.Word(what), err),
		Advice: message.Text("make it on that grid, as quell estimate --map does"), Err: err,
	}
}
