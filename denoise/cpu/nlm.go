package cpu

import (
	"math"

	"quell/denoise"
	"quell/volume"
)

// newNLM is non-local means as a pairwise filter.
func newNLM(p denoise.NLMParams, in, out *volume.Volume, region volume.Region) *pairFilter {
	fx := p.PatchRadius[0]
	axes := 0
	for _, f := range p.PatchRadius {
		if f > 0 {
			axes++
		}
	}
	// exp(-(D - 2 sigma^2) / h^2) = 2^-(scale D' + bias), D' having a_0 = 1.
	perUnit := math.Log2E / (p.H * p.H)
	centre := p.Taps[fx]
	bias := -2 * p.Sigma * p.Sigma * perUnit
	f := &pairFilter{
		in: in, out: out, region: region,
		search: p.SearchRadius, patch: p.PatchRadius,
		scale:   float32(perUnit * math.Pow(centre, float64(axes))),
		offsets: halfWindow(p.SearchRadius, func([3]int) float64 { return bias }),
		peak:    p.Centre == denoise.CentreMax, squares: p.Rician, lk: p.LK,
		isolated: func(b *block, x, y, z int) float64 { return isolatedNLM(p, in, b, x, y, z) },
	}
	for k := 1; k <= fx; k++ {
		f.side = append(f.side, float32(p.Taps[fx+k]/centre))
	}
	result := func(v, num, den float64) float64 {
		switch {
		case den == 0:
			return v
		case p.Rician:
			return math.Sqrt(max(0, v*v+num/den-2*p.Sigma*p.Sigma))
		}
		return v + num/den
	}
	switch {
	case p.LK > 0:
		f.mean = func(v float64, s pairSums) (float64, bool) {
			// With T = sum D = s.den: sum (T - D) = (n - 1) T, and so on.
			num, den := s.den*s.delta-s.num, (s.n-1)*s.den
			switch {
			case s.n == 0:
				num, den = 0, 1
			case p.Centre == denoise.CentreMax:
				den += s.den + s.peak
			default:
				den += s.den
			}
			return result(v, num, den), true
		}
	case p.Centre == denoise.CentreMax:
		f.mean = func(v float64, s pairSums) (float64, bool) {
			return result(v, s.num, s.den+s.peak), s.peak >= smallestPeak
		}
	default:
		f.mean = func(v float64, s pairSums) (float64, bool) {
			return result(v, s.num, s.den+1), true
		}
	}
	return f
}
