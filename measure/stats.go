package measure

import (
	"fmt"
	"math"
	"strconv"
)

// Pick returns the values of some pixels, or of all if pixels is nil, without the ones
// with a false mask.
func Pick(values []float32, mask []bool, pixels []int) []float32 {
	var out []float32
	take := func(i int) {
		if mask == nil || mask[i] {
			out = append(out, values[i])
		}
	}
	if pixels == nil {
		for i := range values {
			take(i)
		}
		return out
	}
	for _, i := range pixels {
		take(i)
	}
	return out
}

// Stats describes a set of values.
type Stats struct {
	N    int   `json:"n"`
	Mean Float `json:"mean"`
	SD   Float `json:"sd"` // of a sample: divided by n - 1
	Min  Float `json:"min"`
	Max  Float `json:"max"`
}

// StatsOf describes values, by one pass (Welford 1962) that is precise for a small SD far
// from zero. Without values all but N is NaN; the SD of one value is NaN.
func StatsOf(values []float32) Stats {
	s := Stats{N: len(values)}
	if s.N == 0 {
		nan := Float(math.NaN())
		s.Mean, s.SD, s.Min, s.Max = nan, nan, nan, nan
		return s
	}
	mean, m2 := 0.0, 0.0
	least, most := values[0], values[0]
	for i, v := range values {
		x := float64(v)
		d := x - mean
		mean += d / float64(i+1)
		m2 += d * (x - mean)
		least, most = min(least, v), max(most, v)
	}
	s.Mean, s.SD = Float(mean), Float(math.Sqrt(m2/float64(s.N-1)))
	s.Min, s.Max = Float(least), Float(most)
	return s
}

// SNR returns mean / SD; NaN if one of them is not above 0.
func (s Stats) SNR() Float {
	if !(s.SD > 0 && s.Mean > 0) {
		return Float(math.NaN())
	}
	return s.Mean / s.SD
}

// CNR returns the contrast-to-noise ratio of two regions, |mean a - mean b| /
// sqrt((SD a² + SD b²) / 2); NaN if there are no SDs above 0.
func CNR(a, b Stats) Float {
	noise := math.Sqrt(float64(a.SD*a.SD+b.SD*b.SD) / 2)
	if !(noise > 0) {
		return Float(math.NaN())
	}
	return Float(math.Abs(float64(a.Mean-b.Mean)) / noise)
}

// Float is a number that may be +Inf (the PSNR of equal volumes) or NaN (a measure
// that is not defined). JSON has neither; both become null.
type Float float64

// MarshalJSON writes null for a value that is not finite.
func (f Float) MarshalJSON() ([]byte, error) {
	if !f.Finite() {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(f), 'g', -1, 64), nil
}

// UnmarshalJSON is the inverse; null becomes NaN.
func (f *Float) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = Float(math.NaN())
		return nil
	}
	x, err := strconv.ParseFloat(string(b), 64)
	*f = Float(x)
	return err
}

// Finite reports whether f is neither infinite nor NaN.
func (f Float) Finite() bool { return f-f == 0 }

// String returns six significant digits, "∞", "-∞", or "–" for NaN.
func (f Float) String() string {
	switch x := float64(f); {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	default:
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
}

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
