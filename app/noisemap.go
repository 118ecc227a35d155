package app

import (
	"context"
	"fmt"

	"quell/denoise/noise"
	"quell/io/dicom"
	"quell/series"
)

// noiseMapping is the derivation of a noise map, for which the standard has no
// code.
var noiseMapping = dicom.Code{Value: "NOISEMAP", Scheme: "99QUELL", Meaning: "Estimated standard deviation of the noise"}

// ExportNoiseMap estimates the noise of every voxel of a series and writes the map
// to out, as Export does. Where the noise cannot be estimated the error says why.
func ExportNoiseMap(ctx context.Context, s *series.Series, out string, o ExportOptions, events Events) (ExportReport, noise.Estimate, error) {
	if err := CheckOutput(s, out, o); err != nil {
		return ExportReport{}, noise.Estimate{}, err
	}
	sigma, e, err := noise.Map(ctx, s.Volume)
	if err != nil {
		return ExportReport{}, noise.Estimate{}, err
	}
	if sigma == nil {
		return ExportReport{}, e, fmt.Errorf("the noise cannot be mapped: %s", e.Why)
	}
	report, err := write(ctx, export{
		series: s, result: sigma,
		derived: dicom.Derived{
			Description: fmt.Sprintf("Noise map (standard deviation) estimated by Quell %s. Not for clinical use.", Version()),
			Suffix:      "[Quell noise map]",
			Code:        noiseMapping,
		},
	}, out, o, events.files(Writing))
	return report, e, err
}
