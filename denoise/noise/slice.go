package noise

// Slice returns the figure that slice z is to be judged by: its own where that is at
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
