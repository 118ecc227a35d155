package noise

import "math"

// Texture raises what differences read in uneven windows, and noise does not. The variances of windows in the order of their
// unevenness are fitted by a line, which is read where noise alone makes a window uneven.
const (
	textureGroups = 20 // of the windows
	textureFitted = 6  // that are fitted, the evenest

	leastUntextured = 0.25 // of the figure, that is noise at least
)

// untextured returns the sigma of the windows of d without what rises with their unevenness; infinity without windows.
func (e *Estimate) untextured(d measurement) float64 {
	n := len(d.windows)
	if n < textureGroups*minWindows/2 || e.Method != methodDifferences {
		return math.Inf(1)
	}
	pure := d.how.pureMiddle()
	var sx, sy, sxx, sxy, sum float64
	uneven := make([]float64, 0, n/textureGroups+1)
	for g := range textureFitted {
		ws := d.windows[g*n/textureGroups : (g+1)*n/textureGroups]
		uneven = uneven[:0]
		for _, w := range ws {
			uneven = append(uneven, float64(w.uneven))
		}
		x, y := quantile(uneven, 0.5), middle(e.sigmas(ws))/pure
		if y == 0 {
			return 0
		}
		x, y = x*x, y*y
		weight := 1 / (y * y) // groups scatter as their variance
		sum, sx, sy = sum+weight, sx+weight*x, sy+weight*y
		sxx, sxy = sxx+weight*x*x, sxy+weight*x*y
	}
	slope := (sum*sxy - sx*sy) / (sum*sxx - sx*sx)
	if !(slope > 0) {
		return math.Inf(1)
	}
	at0 := max((sy-slope*sx)/sum, 0)
	return math.Sqrt(at0 / max(1-slope*(1-d.how.shared()), 0.05))
}
