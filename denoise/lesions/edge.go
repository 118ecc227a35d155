package lesions

import (
	"math"

	"quell/measure"
	"quell/volume"
)

const (
	// rise is the distance over which an edge blurred by a Gaussian of standard deviation 1 rises from 10 to 90 %.
	rise = 2.5631031310892007
	// leastKept is the contrast kept below which no edge is left to measure.
	leastKept = 0.2
	// narrowest and the size of the lesion bound the blur that is looked for, in pixels.
	narrowest = 0.3
)

// edges returns the widths of the edge before, by the blur of the lesion, and after, by the blur of the disc
// that fits the mean response best.
func edges(l Lesion, g volume.Geometry, side int, responses [][]float64, kept float64) (before, after measure.Float) {
	if l.Shape != Disc {
		return measure.Float(math.NaN()), measure.Float(math.NaN())
	}
	pixel := math.Sqrt(g.Spacing[0] * g.Spacing[1])
	before = measure.Float(rise * blur * pixel)
	if !(kept >= leastKept) {
		return before, measure.Float(math.NaN())
	}
	mean := make([]float64, len(responses[0]))
	for _, r := range responses {
		for i, x := range r {
			mean[i] += x / float64(len(responses))
		}
	}
	_, large := l.pixels(g)
	width := least(narrowest, max(large, 2), func(sd float64) float64 {
		return misfit(l.profile(g, side, sd), mean)
	})
	return before, measure.Float(rise * width * pixel)
}

// misfit returns the squared error of values by the best multiple of a model.
func misfit(model, values []float64) float64 {
	var mm, mv, vv float64
	for i, m := range model {
		mm += float64(m * m)
		mv += float64(m * values[i])
		vv += float64(values[i] * values[i])
	}
	return vv - mv*mv/mm
}

// least returns the x between a and b at which f is least, by golden sections.
func least(a, b float64, f func(x float64) float64) float64 {
	const ratio = 0.6180339887498949
	x1, x2 := b-ratio*(b-a), a+ratio*(b-a)
	f1, f2 := f(x1), f(x2)
	for b-a > 1e-3 {
		if f1 < f2 {
			b, x2, f2 = x2, x1, f1
			x1 = b - ratio*(b-a)
			f1 = f(x1)
		} else {
			a, x1, f1 = x1, x2, f2
			x2 = a + ratio*(b-a)
			f2 = f(x2)
		}
	}
	return (a + b) / 2
}
