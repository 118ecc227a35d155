package run

import (
	"context"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// Request is a recipe to be run on a series.
type Request struct {
	Series *series.Series
	Recipe denoise.Recipe
	Maps   Maps           // that steer the filter
	Region volume.Region  // of Series.Volume; the zero region means all of it
	Split  bool           // a 3-D recipe is run on each evenly spaced part of the slices by itself
	Facts  *denoise.Facts // of Series.Volume, or nil to find what the recipe needs; not used if Maps steer
	// IfVaries estimates a noise map, see job.MapIfVaries.
	IfVaries bool
	// Follow is called when the first voxels of the result are final, with the run as it will
	// be but for its time and devices; nil for no call. Not every engine calls it.
	Follow func(early *Run, a *volume.Arrival)
}

// FactsOf returns the facts of v: the known ones, or if known is nil those that find finds
// now.
func FactsOf(ctx context.Context, v *volume.Volume, known *denoise.Facts, find func(context.Context, *volume.Volume) (denoise.Facts, error)) (denoise.Facts, error) {
	if known == nil {
		return find(ctx, v)
	}
	return *known, nil
}
