package noise

import "slices"

// Stabilised returns the estimate after the stabilisation of Rician noise of that
// sigma: Gaussian noise in units of it.
func (e Estimate) Stabilised(sigma float64) Estimate {
	e.PerSlice = slices.Clone(e.PerSlice)
	for z := range e.PerSlice {
		e.PerSlice[z].Sigma /= sigma
		e.PerSlice[z].AtMost /= sigma
	}
	e.Sigma, e.AtMost, e.Model = e.Sigma/sigma, e.AtMost/sigma, Gaussian
	e.lo, e.hi = e.lo/sigma, e.hi/sigma // but for the weakest values
	return e
}

// Slice returns the figure that slice z is to be judged by: its own if that is at
// least fair, otherwise the volume's.
func (e Estimate) Slice(z int) Figure {
	if z < 0 || z >= len(e.PerSlice) {
		return e.Figure
	}
	own := e.PerSlice[z]
	if own.Sigma > 0 && (own.Confidence == High || own.Confidence == Fair) {
		return own
	}
	return e.Figure
}
