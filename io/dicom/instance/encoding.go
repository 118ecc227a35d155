package instance

import (
	"math"
	"strings"

	"quell/io/dicom/part10"
	"quell/volume"
)

// encoding reads how many frequencies an MR was acquired with. Acquisition Matrix has rows and columns of the frequency
// encoding and of the phase encoding; which of the two is 0 differs between makers, so that the direction decides
// alone. Phases are also read as those of a smaller field of view, in which each stands for more pixels, and if they are
// as many as the readout as those before sampling was reduced.
func encoding(a part10.Attributes) (e volume.Encoding) {
	m := a.Integers(part10.TagAcquisitionMatrix)
	if len(m) != 4 {
		return e
	}
	readout, phases := max(m[0], m[1]), max(m[2], m[3])
	var phase int
	switch direction := strings.ToUpper(a.Text(part10.TagInPlanePhaseEncodingDirection)); {
	case strings.HasPrefix(direction, "C"):
		phase = 1
	case !strings.HasPrefix(direction, "R"):
		return e
	}
	e[1-phase][0], e[phase][0] = readout, phases
	share := func(t part10.Tag) float64 {
		if percent, ok := a.Number(t); ok && percent > 0 && percent < 100 {
			return percent / 100
		}
		return 0
	}
	if field := share(part10.TagPercentPhaseFieldOfView); field > 0 {
		e[phase][1] = int(math.Round(float64(phases) / field))
	}
	if phases >= readout { // else they are counted after it
		e[phase][2] = int(math.Round(float64(phases) * share(part10.TagPercentSampling)))
	}
	return e
}
