package instance

import (
	"strings"

	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// encoding reads how many frequencies an MR was acquired with. Acquisition Matrix has rows and columns of the frequency
// encoding and of the phase encoding; which of the two is 0 differs between makers, so that the direction decides
// alone. Enhanced MR has the two numbers in its functional group of the field of view.
func encoding(a part10.Attributes) volume.Encoding {
	share := func(t part10.Tag) float64 {
		percent, _ := a.Number(t)
		return percent / 100
	}
	k := series.KSpace{Field: share(part10.TagPercentPhaseFieldOfView), Sampling: share(part10.TagPercentSampling)}
	k.Parallel, _ = a.Number(part10.TagParallelReductionFactorInPlane)
	switch direction := strings.ToUpper(a.Text(part10.TagInPlanePhaseEncodingDirection)); {
	case strings.HasPrefix(direction, "C"):
		k.PhaseAxis = 1
	case !strings.HasPrefix(direction, "R"):
		return volume.Encoding{}
	}
	if m := a.Integers(part10.TagAcquisitionMatrix); len(m) == 4 {
		k.Readout, k.Phases = max(m[0], m[1]), max(m[2], m[3])
	} else {
		k.Readout, _ = a.Integer(part10.TagMRAcquisitionFrequencyEncodingSteps)
		k.Phases, _ = a.Integer(part10.TagMRAcquisitionPhaseEncodingStepsInPlane)
	}
	return k.Encoding()
}
