package app

import (
	"context"
	"fmt"
	"slices"

	"quell/denoise/noise"
	"quell/internal/message"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// noiseMapping is the derivation of a noise map, for which the standard has no
// code.
var noiseMapping = format.Code{Value: "NOISEMAP", Scheme: "99QUELL", Meaning: "Estimated standard deviation of the noise"}

// ExportNoiseMap estimates the noise of every voxel of a series and writes the map
// to out, as Convert does. If the noise cannot be estimated the error says why.
func ExportNoiseMap(ctx context.Context, s *series.Series, out string, o ExportOptions, events Events) (ExportReport, noise.Estimate, error) {
	if err := CheckOutput(s, out, o); err != nil { // before the work
		return ExportReport{}, noise.Estimate{}, err
	}
	sigma, e, err := mapNoise(ctx, s)
	if err != nil {
		return ExportReport{}, e, err
	}
	report, err := save(ctx, s, sigma, format.Derived{
		Description: fmt.Sprintf("Noise map (standard deviation) estimated by Quell %s. Not for clinical use.", Version()),
		Suffix:      "[Quell noise map]",
		Code:        noiseMapping,
	}, out, o, events)
	return report, e, err
}

// NoiseMap is the noise of every voxel of a series.
type NoiseMap struct {
	noise.Estimate // of the whole volume
	// Values holds sigma in the unit and on the grid of the series; its mask leaves
	// out what is not foreground, where nothing was measured.
	Values     *volume.Volume
	everywhere *volume.Volume // sigma of the other voxels too
	// Lo and Hi are the ends of the range of sigma in the foreground, but for one in
	// a hundred voxels at either end.
	Lo, Hi float64
}

// Maps returns what steers a filter by the map, in the whole of the volume.
func (m NoiseMap) Maps() Maps {
	return Maps{Noise: m.everywhere, Estimated: true, Confidence: m.Confidence}
}

// mapSample is how many voxels at most the range of a noise map is taken from.
const mapSample = 100_000

// MapNoise estimates the noise of every voxel of the foreground of a series. The
// error says why there is no map, or is the context's. Safe for concurrent use.
func MapNoise(ctx context.Context, s *series.Series) (NoiseMap, error) {
	sigma, e, err := mapNoise(ctx, s)
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

// mapNoise returns the map of a series, or why there is none.
func mapNoise(ctx context.Context, s *series.Series) (*volume.Volume, noise.Estimate, error) {
	sigma, e, err := noise.Map(ctx, s.Volume)
	if err == nil && sigma == nil {
		err = message.Errorf(message.NoiseUnknown, "the noise cannot be mapped: %s", e.Why)
	}
	return sigma, e, err
}
