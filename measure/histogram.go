package measure

import (
	"fmt"
	"math"
)

// Histogram counts values in bins of equal width from Lo to Hi.
type Histogram struct {
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Counts []int   `json:"counts"`
	Below  int     `json:"below"` // values below Lo
	Above  int     `json:"above"` // values above Hi; Hi itself is in the last bin
}

// HistogramOf counts values. If lo = hi, the bins cover their range.
func HistogramOf(values []float32, lo, hi float64, bins int) (Histogram, error) {
	if bins < 1 {
		return Histogram{}, fmt.Errorf("measure: %d bins; at least 1 is needed", bins)
	}
	if !(lo <= hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return Histogram{}, fmt.Errorf("measure: a histogram from %g to %g is not possible; the ends must be finite and in rising order", lo, hi)
	}
	if lo == hi {
		if s := StatsOf(values); s.N > 0 {
			lo, hi = float64(s.Min), float64(s.Max)
		}
		if lo == hi {
			hi = lo + 1
		}
	}
	h := Histogram{Lo: lo, Hi: hi, Counts: make([]int, bins)}
	perValue := float64(bins) / (hi - lo)
	for _, v := range values {
		switch x := float64(v); {
		case x < lo:
			h.Below++
		case x > hi:
			h.Above++
		default:
			h.Counts[min(int((x-lo)*perValue), bins-1)]++
		}
	}
	return h, nil
}
