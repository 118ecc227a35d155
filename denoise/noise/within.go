package noise

import (
	"context"
	"math"

	"quell/volume"
)

// evenWindow is the largest standard deviation of a window, relative to sigma of the
// slice, that noise alone makes with few exceptions.
const evenWindow = 1.4

// Within returns sigma of a part of the volume that e describes: of correlated noise,
// which differs from place to place, the root of the mean square in the windows of even
// tissue that lie in the part or within two windows of it; if these are few, and of
// other noise, the figure of the volume. The error is the context's.
func (e Estimate) Within(ctx context.Context, v *volume.Volume, part volume.Region) (float64, error) {
	if !e.InTissue() || e.Sigma == 0 {
		return e.Sigma, nil
	}
	side := e.side
	ws, err := surfaceFits(ctx, v.Crop(part.Grow([3]int{2 * side, 2 * side}, v.Geometry)), e.tissue, side)
	if err != nil {
		return 0, err
	}
	gain, slope := e.fitGain(side), tolerableUneven*unevenGain(e.Correlation, side)
	n, sum := 0.0, 0.0
	for _, w := range ws {
		sd, sigma := gain*float64(w.sd), e.Slice(part.Min[2]+int(w.at[2])).Sigma
		if sd <= evenWindow*sigma && float64(w.uneven) <= slope*sigma {
			n, sum = n+1, sum+sd*sd
		}
	}
	if n < minWindows {
		return e.Sigma, nil
	}
	return math.Sqrt(sum / n), nil
}
