package equalise

import (
	"math"
	"slices"
)

// constraint is a function that must not fall below 0, with its gradient.
type constraint func(w Weights, gradient []float64) float64

// The search: rounds of multipliers, each of steps of Newton's method.
const (
	rounds, steps = 40, 30
	stiff         = 50.0 // the least penalty of a constraint
	ridge         = 1e-5 // keeps weights small that hardly matter
)

// Solve returns the weights with the least noise within bounds, W about 0 to 1 at all frequencies, and no band above what
// it was; ok is false if none are found. It minimises the variance by an augmented Lagrangian (Hestenes 1969; Powell 1969).
func (t Tissue) Solve(b Bounds) (w Weights, ok bool) {
	w = make(Weights, t.n())
	w[0] = 0.05
	return t.solveFrom(w, b)
}

// solveFrom is Solve from given weights on: the texture is not convex, and a search may end in a place that breaks it.
func (t Tissue) solveFrom(start Weights, b Bounds) (w Weights, ok bool) {
	n := t.n()
	all := t.constraints(b)
	multipliers := make([]float64, len(all))
	w = slices.Clone(start)
	penalty := stiff
	worst := math.Inf(1)
	for range rounds {
		t.descend(w, all, multipliers, penalty)
		before := worst
		worst = 0
		gradient := make([]float64, n)
		for i, c := range all {
			g := c(w, gradient)
			worst = max(worst, -g)
			multipliers[i] = max(multipliers[i]-penalty*g, 0)
		}
		if worst < tolerance/20 {
			break
		}
		if worst > before/2 {
			penalty = min(2*penalty, 1e6)
		}
	}
	return w, b.within(t.Left(w))
}

// descend minimises the Lagrangian from w on.
func (t Tissue) descend(w Weights, all []constraint, multipliers []float64, penalty float64) {
	n := len(w)
	value := func(w Weights) float64 {
		v := t.variance(w, nil, nil)
		for i, c := range all {
			if s := multipliers[i] - penalty*c(w, nil); s > 0 {
				v += s * s / (2 * penalty)
			}
		}
		return v
	}
	gradient, slope, hessian := make([]float64, n), make([]float64, n), make([]float64, n*n)
	now := value(w)
	for range steps {
		clear(gradient)
		clear(hessian)
		t.variance(w, gradient, hessian)
		for i, c := range all {
			clear(slope)
			s := multipliers[i] - penalty*c(w, slope)
			if s <= 0 {
				continue
			}
			for a, x := range slope {
				gradient[a] -= s * x
				for b, y := range slope {
					hessian[a*n+b] += penalty * x * y
				}
			}
		}
		step := solved(hessian, gradient)
		improved := false
		for share := 1.0; share > 1e-4; share /= 2 {
			next := make(Weights, n)
			for i := range next {
				next[i] = w[i] - share*step[i]
			}
			if v := value(next); v < now {
				improved = now-v > 1e-9*now
				copy(w, next)
				now = v
				break
			}
		}
		if !improved {
			return
		}
	}
}

// variance returns that of the noise over what it was, with a little more for large weights; it adds to the gradient and
// the Hessian if they are not nil.
func (t Tissue) variance(w Weights, gradient, hessian []float64) float64 {
	n := len(w)
	before, sum := 0.0, 0.0
	for b, area := range t.Area {
		before += area * t.Power[b][0]
	}
	for b, area := range t.Area {
		sum += area * t.power(b, w) / before
		t.slope(b, w, area/before, gradient)
		if hessian != nil {
			for i := range n {
				for j := range n {
					hessian[i*n+j] += 2 * area / before * t.Power[b][(i+1)*(n+1)+j+1]
				}
			}
		}
	}
	for i, x := range w {
		sum += ridge * x * x
		if gradient != nil {
			gradient[i] += 2 * ridge * x
			hessian[i*n+i] += 2 * ridge
		}
	}
	return sum
}

// slope adds times the derivative of the power of a band to a gradient, if it is not nil.
func (t Tissue) slope(band int, w Weights, times float64, gradient []float64) {
	if gradient == nil {
		return
	}
	m, n := t.Power[band], len(w)+1
	for i := range w {
		d := -2 * m[i+1]
		for j, x := range w {
			d += 2 * x * m[(i+1)*n+j+1]
		}
		gradient[i] += times * d
	}
}

const (
	// beyond is how far W may lie outside 0 to 1: a smooth kernel that may not pass its ends leaves 0.03 more of the noise.
	beyond = 0.1
	// unseen is the frequency below which W may not be negative: regions of even tissue are too small to show that the power
	// of a low band rises.
	unseen = 0.1
)

// The frequencies at which W is bounded, in cycles per voxel.
var (
	gridWithin  = []float64{0, 0.03, 0.07, 0.12, 0.18, 0.25, 0.35, 0.5}
	gridThrough = []float64{0, 0.125, 0.25, 0.375, 0.5}
)

// constraints returns those of the bounds, and of W.
func (t Tissue) constraints(b Bounds) (all []constraint) {
	for _, lost := range t.Lost {
		all = append(all, linear(1-b.Kept, lost, -1))
	}
	var moment, weight float64
	for k, f := range t.Frequency {
		if f <= t.Nyquist {
			moment, weight = moment+f*t.Power[k][0], weight+t.Power[k][0]
		}
	}
	mean := moment / weight
	all = append(all, func(w Weights, gradient []float64) (sum float64) { // 0 if the mean frequency is the least
		for k, f := range t.Frequency {
			if f <= t.Nyquist {
				times := (f/mean - b.Texture) / weight
				sum += times * t.power(k, w)
				t.slope(k, w, times, gradient)
			}
		}
		return sum
	})
	for k, f := range t.Frequency {
		if f > t.Nyquist {
			continue
		}
		was := t.Power[k][0]
		all = append(all, func(w Weights, gradient []float64) float64 {
			t.slope(k, w, 1/was, gradient)
			return t.power(k, w)/was - b.Floor
		}, func(w Weights, gradient []float64) float64 {
			t.slope(k, w, -1/was, gradient)
			return 1 - t.power(k, w)/was
		})
	}
	n := t.n()
	through := gridThrough
	if n == Levels {
		through = through[:1]
	}
	for _, f := range gridWithin {
		below := beyond
		if f < unseen {
			below = 0
		}
		for _, fz := range through {
			response := make([]float64, n)
			for i := range response {
				unit := make(Weights, n)
				unit[i] = 1
				response[i] = unit.Response(f, 0, fz)
			}
			all = append(all, linear(below, response, 1), linear(1+beyond, response, -1))
		}
	}
	return all
}

// linear returns start + sign * (of . w).
func linear(start float64, of []float64, sign float64) constraint {
	return func(w Weights, gradient []float64) float64 {
		sum := start
		for i, x := range of {
			sum += sign * x * w[i]
			if gradient != nil {
				gradient[i] += sign * x
			}
		}
		return sum
	}
}

// solved returns x with A x = b of a symmetric A above 0, by Cholesky's factors.
func solved(a, b []float64) []float64 {
	n := len(b)
	l := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			s := a[i*n+j]
			for k := range j {
				s -= l[i*n+k] * l[j*n+k]
			}
			if i == j {
				l[i*n+i] = math.Sqrt(max(s, 1e-12))
			} else {
				l[i*n+j] = s / l[j*n+j]
			}
		}
	}
	x := make([]float64, n)
	for i := range n {
		s := b[i]
		for k := range i {
			s -= l[i*n+k] * x[k]
		}
		x[i] = s / l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		s := x[i]
		for k := i + 1; k < n; k++ {
			s -= l[k*n+i] * x[k]
		}
		x[i] = s / l[i*n+i]
	}
	return x
}
