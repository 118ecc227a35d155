package judge

import (
	"context"
	"slices"

	"quell/app/run"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// NoiseMap is the noise of every voxel of a series.
type NoiseMap struct {
	noise.Estimate // of the whole volume
	// Values holds sigma in the unit and on the grid of the series; its mask leaves
	// out what is not foreground, in which nothing was measured.
	Values *volume.Volume
	maps   run.Maps // with sigma of the other voxels too
	// Lo and Hi are the ends of the range of sigma in the foreground, but for one in
	// a hundred voxels at either end.
	Lo, Hi float64
}

// Maps returns what steers a filter by the map, in the whole of the volume.
func (m NoiseMap) Maps() run.Maps { return m.maps }

// mapSample is how many voxels at most the range of a noise map is taken from.
const mapSample = 100_000

// MapNoise estimates the noise of every voxel of the foreground of a series. The
// error says why there is no map, or is the context's. Safe for concurrent use.
func MapNoise(ctx context.Context, s *series.Series) (NoiseMap, error) {
	maps, e, err := run.MapsOf(ctx, s, nil)
	if err != nil {
		return NoiseMap{}, err
	}
	foreground, err := noise.Foreground(ctx, s.Volume)
	if err != nil {
		return NoiseMap{}, err
	}
	values := *maps.Noise
	values.Mask = make([]bool, len(values.Data))
	var sample []float32
	step := len(values.Data)/mapSample + 1
	for i, x := range values.Data {
		values.Mask[i] = foreground(i)
		if values.Mask[i] && i%step == 0 {
			sample = append(sample, x)
		}
	}
	if len(sample) == 0 {
		return NoiseMap{}, message.Errorf(message.InputEmpty, "the noise cannot be mapped: the series has no foreground")
	}
	slices.Sort(sample)
	at := func(share float64) float64 { return float64(sample[int(share*float64(len(sample)-1)+0.5)]) }
	return NoiseMap{Estimate: e, Values: &values, maps: maps, Lo: at(0.01), Hi: at(0.99)}, nil
}
