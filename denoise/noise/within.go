package noise

import (
	"context"
	"math"

	"quell/volume"
)

const (
	// evenWindow is the largest standard deviation of a window, relative to sigma there, that
	// noise alone makes with few exceptions.
	evenWindow = 1.4
	// evenQuantile is the share of the windows that sigma there is first read at: anatomy
	// raises the others.
	evenQuantile = 0.25
)

// Within returns sigma of a part of the volume that e describes: of correlated noise,
// which differs from place to place, the root of the mean square in the windows of even
// tissue that lie in the part or within two windows of it; where these are few, and of
// other noise, the figure of the volume. The error is the context's.
func (e Estimate) Within(ctx context.Context, v *volume.Volume, part volume.Region) (float64, error) {
	if !e.InTissue() || e.Sigma == 0 {
		return e.Sigma, nil
	}
	side := planeWindow(v.Geometry)
	ws, err := planeFits(ctx, v.Crop(part.Grow([3]int{2 * side, 2 * side}, v.Geometry)), side)
	if err != nil {
		return 0, err
	}
	all := sds(ws)
	usual := quantile(all, evenQuantile) / rootMeanSquare(e.Correlation.freedom(side), evenQuantile)
	n, sum := 0.0, 0.0
	for _, sd := range all {
		if sd <= evenWindow*usual {
			n, sum = n+1, sum+sd*sd
		}
	}
	if n < minWindows {
		return e.Sigma, nil
	}
	return planeGain(e.Correlation, side) * math.Sqrt(sum/n), nil
}
