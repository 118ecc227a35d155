package noise

import "slices"

// Stabilised returns the estimate after the stabilisation of Rician noise of that
// sigma: Gaussian noise in units of it.
func (e Estimate) Stabilised(sigma float64) Estimate {
	e.PerSlice = slices.Clone(e.PerSlice)
	for z := range e.PerSlice {
		e.PerSlice[z].divide(sigma)
	}
	e.Figure.divide(sigma)
	e.Model = Gaussian
	e.lo, e.hi = e.lo/sigma, e.hi/sigma // but for the weakest values
	return e
}

func (f *Figure) divide(by float64) { f.Sigma, f.Low, f.High = f.Sigma/by, f.Low/by, f.High/by }

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
