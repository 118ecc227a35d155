package noise

import (
	"math"

	"quell/internal/message"
)

// Given returns an estimate with the sigma that a person has measured in an even region of
// n voxels, or if n is 0 states, for all slices; what is known of model and correlation stays. Its
// standard error of 1 / sqrt(2 n) sets the confidence.
func (e Estimate) Given(sigma float64, n int) Estimate {
	e.Figure = Figure{Sigma: sigma, Confidence: High}
	if n > 0 {
		e.Windows, e.Why = 1, message.New(message.NoiseMeasured, "It was measured in a region of %d voxels.", n)
	}
	if n > 0 && n < manyGiven {
		e.Confidence, e.few = Fair, true
	}
	half := highWidth / 2
	if n > 0 {
		half = math.Sqrt(2 / float64(n)) // two standard errors
	}
	e.Low, e.High = sigma*(1-min(half, 1)), sigma*(1+half)
	e.Evidence = []Evidence{{Stated, sigma, e.Low, e.High, e.Windows}}
	e.Negligible, e.PerSlice = false, nil
	return e
}

// manyGiven is from how many voxels on sigma lies within 5 %, which is two standard errors.
const manyGiven = 800
