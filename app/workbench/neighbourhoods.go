package workbench

import (
	"context"

	"quell/denoise"
)

// Neighbourhoods returns the function that computes the neighbourhood that the request's
// filter chooses around a voxel of the slice; ok is false for an excluded voxel. It reads
// the whole of the maps, and the function only the voxels around its own. It is nil if
// the filter chooses none.
func (q PreviewRequest) Neighbourhoods(ctx context.Context) (at func(x, y, z int) (l denoise.Lengths, ok bool)) {
	if !q.ChoosesNeighbourhoods() {
		return nil
	}
	resolved, err := q.resolve()
	if err != nil {
		return nil
	}
	if at, err = resolved.Neighbourhoods(ctx, q.Maps.Input(q.Series.Volume), q.Region()); err != nil {
		return nil
	}
	return at
}

// ChoosesNeighbourhoods says whether the filter chooses one for every voxel.
func (q PreviewRequest) ChoosesNeighbourhoods() bool {
	f, err := denoise.FilterByName(q.Recipe.Filter)
	return err == nil && f.Support != nil
}
