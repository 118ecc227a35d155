package run

import (
	"context"

	"quell/denoise"
	"quell/internal/parallel"
	"quell/volume"
)

// Scales returns the lengths of the neighbourhoods of a run along each of
// denoise.Directions.
func Scales(ctx context.Context, run *Run) ([]*volume.Volume, error) {
	box := run.Region
	scales := make([]*volume.Volume, len(denoise.Directions))
	for d := range scales {
		scales[d] = volume.New(run.Source.Volume.Geometry.Crop(box))
		scales[d].Unit = "voxels"
	}
	at, err := run.Resolved.Neighbourhoods(ctx, run.Maps.Input(run.Source.Volume), box)
	if err != nil {
		return nil, err
	}
	n := scales[0].SliceVoxels()
	return scales, parallel.For(ctx, box.Dims()[2], func(k int) error {
		i := k * n
		for y := box.Min[1]; y < box.Max[1]; y++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			for x := box.Min[0]; x < box.Max[0]; x++ {
				if l, ok := at(x, y, box.Min[2]+k); ok {
					for d, h := range l {
						scales[d].Data[i] = float32(h)
					}
				}
				i++
			}
		}
		return nil
	})
}
