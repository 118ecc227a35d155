package measure

import (
	"context"
	"fmt"
	"math"

	"quell/volume"
)

// Histogram counts values in bins of equal width from Lo to Hi.
type Histogram struct {
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Counts []int   `json:"counts"`
	Below  int     `json:"below"` // values below Lo
	Above  int     `json:"above"` // values above Hi; Hi itself is in the last bin
}

// HistogramOf counts the voxels of roi that are not padding. If lo = hi, the bins
// cover the range of these voxels. The region must lie inside v.
func HistogramOf(ctx context.Context, v *volume.Volume, roi ROI, lo, hi float64, bins int) (Histogram, error) {
	if bins < 1 {
		return Histogram{}, fmt.Errorf("measure: %d bins; at least 1 is needed", bins)
	}
	if !(lo <= hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return Histogram{}, fmt.Errorf("measure: a histogram from %g to %g is not possible; the ends must be finite and in rising order", lo, hi)
	}
	if lo == hi {
		s, err := ROIStats(ctx, v, roi)
		if err != nil {
			return Histogram{}, err
		}
		if s.N > 0 {
			lo, hi = float64(s.Min), float64(s.Max)
		}
		if lo == hi {
			hi = lo + 1
		}
	}
	if err := roi.Region.Validate(v.Geometry); err != nil {
		return Histogram{}, fmt.Errorf("measure: %w", err)
	}
	h := Histogram{Lo: lo, Hi: hi, Counts: make([]int, bins)}
	perValue := float64(bins) / (hi - lo)
	err := roi.each(ctx, v, func(i int) {
		switch x := float64(v.Data[i]); {
		case x < lo:
			h.Below++
		case x > hi:
			h.Above++
		default:
			h.Counts[min(int((x-lo)*perValue), bins-1)]++
		}
	})
	if err != nil {
		return Histogram{}, err
	}
	return h, nil
}
