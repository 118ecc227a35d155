package lpa

import (
	"math"

	"quell/denoise"
)

var directions = denoise.Directions

// mean is the mean along one direction at one scale (Klepaczko eq. 1):
//
//	mu = sum_j g_j v(X + (j-1) theta), g_j proportional to 1 - ((j-1)/h)^2, sum g_j = 1
//	q  = sum_j g_j^2                 (std = sigma sqrt(q), eq. 2; in correlated noise see spread)
//
// over the samples j = 1..h that are inside the slice and not padding. X itself
// is always one. mu is evaluated as v(X) + sum g_j (v_j - v(X)), in this order
// on every path: whether intervals touch must not depend on rounding.
func (p *Params) mean(in *denoise.Field, x, y, z, d, h int) (mu, q float64) {
	step := directions[d]
	v0 := float64(in.At(x, y, z))
	sum, sumV, rho := 0.0, 0.0, p.along(d)
	var s spread
	for j := range h {
		px, py := x+j*step[0], y+j*step[1]
		if px < 0 || px >= in.Dims[0] || py < 0 || py >= in.Dims[1] {
			break // a straight line does not come back
		}
		i := in.Index(px, py, z)
		if !in.Valid(i) {
			if rho != nil {
				s.add(0, rho)
			}
			continue
		}
		g := epanechnikov(j, h)
		sum += g
		if rho != nil {
			s.add(g, rho)
		} else {
			s.white += float64(g * g)
		}
		sumV += float64(g * (float64(in.Data[i]) - v0))
	}
	return v0 + sumV/sum, s.variance() / (sum * sum)
}

// epanechnikov is Epanechnikov's kernel of length h at distance j from its start.
func epanechnikov(j, h int) float64 {
	t := float64(j) / float64(h)
	return 1 - float64(t*t)
}

// direction chooses the scale of one direction by the intersection of
// confidence intervals (eq. 3-4): the largest for which the intervals
// mu +- gamma sigma sqrt(q), from the first scale to it, have a common point.
// It returns the scale's index and the mean and q there.
func direction(p Params, in *denoise.Field, x, y, z, d int) (scale int, mu, q float64) {
	lower, upper := math.Inf(-1), math.Inf(1)
	for s, h := range p.Scales {
		m, qs := p.mean(in, x, y, z, d, h)
		half := p.Gamma * p.Sigma * math.Sqrt(qs)
		lower, upper = max(lower, m-half), min(upper, m+half)
		if lower > upper {
			break
		}
		scale, mu, q = s, m, qs
	}
	return scale, mu, q
}

// supports returns the function that computes the lengths at the chosen scales, as far
// as the slice reaches.
func supports(p denoise.Program) func(in *denoise.Field, x, y, z int) denoise.Lengths {
	params := p.Params.(Params)
	return func(in *denoise.Field, x, y, z int) (l denoise.Lengths) {
		for d, step := range directions {
			s, _, _ := direction(params, in, x, y, z, d)
			l[d] = min(params.Scales[s], denoise.Room(x, step[0], in.Dims[0]), denoise.Room(y, step[1], in.Dims[1]))
		}
		return l
	}
}

// reference fuses the directional estimates by inverse variance:
// out = sum mu_d / q_d / sum 1 / q_d.
func reference(p Params, in *denoise.Field, x, y, z int) float64 {
	v0 := float64(in.At(x, y, z))
	num, den := 0.0, 0.0
	for d := range directions {
		_, mu, q := direction(p, in, x, y, z, d)
		num += (mu - v0) / q
		den += 1 / q
	}
	return v0 + num/den
}
