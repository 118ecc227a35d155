package measure

import (
	"math"

	"quell/internal/message"
)

// Edge is an edge along a line profile.
type Edge struct {
	At       float64 // mm from the start to its middle
	Width    float64 // mm between 10 and 90 % of its height
	Error    float64 // standard error of Width, in mm
	Height   float64 // in the unit of the profile, signed along the line
	Narrower bool    // the edge is narrower than Width, which the distance of the samples cannot resolve
}

const (
	// tenToNinety is the distance between 10 and 90 % of a Gaussian edge in its sigmas.
	tenToNinety = 2 * 1.2815515655446004
	// leastSamples is what the four parameters of an edge need.
	leastSamples = 8
	// clearEdge is the least height over the SD of the samples about the fitted edge.
	clearEdge = 4
	// narrowest is the least sigma of an edge over the distance of the samples: below it
	// at most one sample lies on the slope.
	narrowest = 0.3
	// unsure is the largest standard error of a width over the width.
	unsure = 0.25
)

// EdgeOf fits an edge that a Gaussian has blurred, base + height * Φ((x - at) / sigma), to a
// profile by least squares. Unlike the crossings of 10 and 90 %, this does not become wider
// or narrower on average if there is noise. An error says why no width can be given.
func EdgeOf(profile []Sample) (Edge, error) {
	var xs, vs []float64
	for _, s := range profile {
		if !math.IsNaN(s.Value) {
			xs, vs = append(xs, s.Distance), append(vs, s.Value)
		}
	}
	if len(xs) < leastSamples {
		return Edge{}, message.Errorf(message.MeasureFew, "the line is too short for an edge width; at least 8 voxels are needed")
	}
	first, last := xs[0], xs[len(xs)-1]
	step := (last - first) / float64(len(xs)-1)
	fit := func(at, sigma float64) (height, squares float64) { return fitHeight(xs, vs, at, sigma) }
	best := math.Inf(1)
	var at, sigma float64
	try := func(a, s float64) bool {
		if a < first || a > last || s < narrowest*step {
			return false
		}
		if _, squares := fit(a, s); squares < best {
			at, sigma, best = a, s, squares
			return true
		}
		return false
	}
	for s := narrowest * step; s < last-first; s *= 1.5 {
		for a := first; a <= last; a += max(step, s) / 2 {
			try(a, s)
		}
	}
	for da, f := step/2, 1.5; da > 1e-7*step; {
		if !try(at+da, sigma) && !try(at-da, sigma) && !try(at, sigma*f) && !try(at, max(sigma/f, narrowest*step)) {
			da, f = da/2, math.Sqrt(f)
		}
	}
	height, squares := fit(at, sigma)
	e := Edge{At: at, Width: tenToNinety * sigma, Height: height, Narrower: sigma <= narrowest*step*(1+1e-6)}
	noise := math.Sqrt(squares / float64(len(xs)-4))
	e.Error = tenToNinety * noise * widthError(xs, e.At, sigma, height)
	switch {
	case !(math.Abs(height) > clearEdge*noise) || height == 0:
		return Edge{}, message.Errorf(message.MeasureEdge, "no single edge along the line stands out from its noise and other structure")
	case at-e.Width/2 < first || at+e.Width/2 > last:
		return Edge{}, message.Errorf(message.MeasureEdge, "the line does not reach the level on both sides of the edge")
	case e.Error > unsure*e.Width && !e.Narrower:
		return Edge{}, message.Errorf(message.MeasureNoise, "the noise along the line is too strong for the width of the edge")
	}
	return e, nil
}

// widthError returns the standard error of the sigma of a fitted edge if the samples
// have noise of SD 1 (Cramér-Rao, base, height and place being fitted as well).
func widthError(xs []float64, at, sigma, height float64) float64 {
	terms := make([][]float64, 3) // derivatives to base, height and place
	var own []float64
	for _, x := range xs {
		z := (x - at) / sigma
		slope := height / sigma * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		terms[0] = append(terms[0], 1)
		terms[1] = append(terms[1], math.Erfc(-z/math.Sqrt2)/2)
		terms[2] = append(terms[2], slope)
		own = append(own, slope*z)
	}
	left, _ := remove(own, terms)
	return 1 / math.Sqrt(square(left))
}

// fitHeight returns the height of the edge at a place that fits best, and the squares that
// remain.
func fitHeight(xs, vs []float64, at, sigma float64) (height, squares float64) {
	n := float64(len(xs))
	var f, v, ff, fv, vv float64
	for i, x := range xs {
		phi := math.Erfc((at-x)/(sigma*math.Sqrt2)) / 2
		d := vs[i] - vs[0] // squares of small numbers cancel less
		f, v = f+phi, v+d
		ff, fv, vv = ff+phi*phi, fv+phi*d, vv+d*d
	}
	ff, fv, vv = ff-f*f/n, fv-f*v/n, vv-v*v/n
	if ff <= 1e-12 {
		return 0, vv
	}
	return fv / ff, max(vv-fv*fv/ff, 0)
}
