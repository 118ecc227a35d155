package series

import (
	"math"

	"quell/volume"
)

// KSpace is the acquisition of an MR as a file states it, in the terms of DICOM or of BIDS. 0 is not stated.
type KSpace struct {
	Readout, Phases int     // frequencies along the readout, and phases as they are counted
	PhaseAxis       int     // that the phases lie along: 0 is x, 1 is y
	Field           float64 // the field of view along the phases, over that of the readout
	Sampling        float64 // the share of the phases that was acquired
	Partial         float64 // the same by partial Fourier
	Parallel        float64 // every how many phases parallel imaging acquired one
}

// Encoding returns how many frequencies reach to the edges of what was acquired. Phases are also read as those of a smaller
// field of view, in which each stands for more pixels. If they are as many as the readout, they are also read as those
// before sampling was reduced; if they are fewer, as those after parallel imaging and partial Fourier left some out, which
// move no edge.
func (k KSpace) Encoding() (e volume.Encoding) {
	e[1-k.PhaseAxis][0] = max(k.Readout, 0)
	if k.Phases <= 0 {
		return e
	}
	scaled := func(by float64) int { return int(math.Round(min(float64(k.Phases)*by, math.MaxInt32))) }
	less := func(share float64) bool { return share > 0 && share < 1 }
	phase := &e[k.PhaseAxis]
	phase[0] = k.Phases
	if less(k.Field) {
		phase[1] = scaled(1 / k.Field)
	}
	if k.Phases >= k.Readout {
		if less(k.Sampling) {
			phase[2] = scaled(k.Sampling)
		}
		return e
	}
	left := 1.0
	if less(k.Partial) {
		left = k.Partial
	}
	if k.Parallel > 1 {
		left /= k.Parallel
	}
	if full := scaled(1 / left); full > k.Phases && full <= k.Readout {
		phase[2] = full
	}
	return e
}
