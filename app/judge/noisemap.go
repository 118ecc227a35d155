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
	Values     *volume.Volume
	everywhere *volume.Volume // sigma of the other voxels too
	// Lo and Hi are the ends of the range of sigma in the foreground, but for one in
	// a hundred voxels at either end.
	Lo, Hi float64
}

// Maps returns what steers a filter by the map, in the whole of the volume.
func (m NoiseMap) Maps() run.Maps {
	return run.Maps{Noise: m.everywhere, Estimated: true, Confidence: m.Confidence, Unknown: m.Sentence()}
}

// mapSample is how many voxels at most the range of a noise map is taken from.
const mapSample = 100_000

// MapNoise estimates the noise of every voxel of the foreground of a series. The
// error says why there is no map, or is the context's. Safe for concurrent use.
func MapNoise(ctx context.Context, s *series.Series) (NoiseMap, error) {
	sigma, e, err := run.MapNoise(ctx, s)
	if err != nil {
		return NoiseMap{}, err
	}
	foreground, err := noise.Foreground(ctx, s.Volume)
	if err != nil {
		return NoiseMap{}, err
	}
	values := *sigma
	values.Mask = make([]bool, len(sigma.Data))
	var sample []float32
	step := len(sigma.Data)/mapSample + 1
	for i, x := range sigma.Data {
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
	return NoiseMap{Estimate: e, Values: &values, everywhere: sigma, Lo: at(0.01), Hi: at(0.99)}, nil
}
