package gpu

import (
	"context"

	"quell/denoise"
	"quell/volume"
)

// RunSeries implements denoise.SeriesEngine: the slices of all volumes are one volume, whose rows hold the values of one place
// after another.
func (e *Engine) RunSeries(ctx context.Context, r denoise.Recipe, g volume.Geometry, in denoise.SeriesPart, slab denoise.Slab, report denoise.Progress) (denoise.SeriesResult, error) {
	joined := in.Joined()
	p, err := r.JoinedProgram(joined.Dims, denoise.SeriesShape{Volumes: in.Volumes, Depth: g.Dims[2], First: slab.First})
	if err != nil {
		return denoise.SeriesResult{}, err
	}
	region := volume.Slices(joined.Geometry, slab.From-slab.First, slab.To-slab.First)
	v, err := e.runProgram(ctx, variant{}, p, denoise.Input{Volume: joined}, region, report)
	if err != nil {
		return denoise.SeriesResult{}, err
	}
	out := denoise.SeriesResult{
		SeriesPart: denoise.SeriesPart{Dims: [3]int{in.Dims[0], in.Dims[1], slab.To - slab.From}, Volumes: in.Volumes, Data: v.Data},
		Restored:   make([]int, in.Volumes),
	}
	before := in.Data[region.Min[2]*joined.SliceVoxels():]
	for i, x := range out.Data {
		if x == denoise.Restored {
			out.Data[i] = before[i]
			out.Restored[i%(in.Volumes+1)]++
		}
	}
	return out, nil
}
