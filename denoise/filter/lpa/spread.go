package lpa

import (
	"math"

	"quell/denoise/filter/correlation"
)

// Lags is how many samples of a ray on the noise is correlated at most.
const Lags = 4

// LeastSpread bounds what correlated noise leaves of the variance that white noise has in a
// mean: an estimated correlation may say less than there is, or less than 0.
const LeastSpread = 1.0 / 16

// rhoOf returns the correlation of the noise 1, 2, ... samples apart along an axis of the
// slice, and along a diagonal; nil if it is white.
func rhoOf(c correlation.Correlation) *[2][Lags]float64 {
	if c.White() {
		return nil
	}
	rho := new([2][Lags]float64)
	for k := range Lags {
		rho[0][k], rho[1][k] = c.Within(float64(k+1)), c.Within(math.Sqrt2*float64(k+1))
	}
	return rho
}

// along returns the correlation along direction d, nil if the noise is white.
func (p *Params) along(d int) *[Lags]float64 {
	if p.Rho == nil {
		return nil
	}
	return &p.Rho[d%2]
}

// spread is the variance of a sum of g_j times noise of sigma 1 along a ray, in this order
// on every path:
//
//	sum_j g_j^2 + 2 sum_j sum_k rho_k g_j g_{j-k}
type spread struct {
	white, shared float64
	last          [Lags]float64 // the weights before, the last first
}

// add takes the next sample on the ray; one that is not used weighs 0.
func (s *spread) add(g float64, rho *[Lags]float64) {
	s.white += float64(g * g)
	if rho == nil {
		return
	}
	for k, r := range rho {
		s.shared += float64(r * float64(g*s.last[k]))
	}
	copy(s.last[1:], s.last[:])
	s.last[0] = g
}

func (s *spread) variance() float64 { return max(s.white+2*s.shared, LeastSpread*s.white) }
