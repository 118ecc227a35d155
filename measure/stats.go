package measure

import "math"

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
