package measure

import (
	"math"

	"quell/internal/message"
)

// Bounds of a region in which noise can be measured.
const (
	// leastEven is the least number of pixels: the SD of 100 independent values is right
	// within 7 %.
	leastEven = 100
	// mostBent is the share of the variance about a ground that bends of higher order may
	// have. Of independent values, seven terms about a plane take 7/n, and more of correlated
	// ones; an edge through the middle that raises the SD by a fifth takes 0.15 more.
	mostBent = 0.1
	// bends is the same in a small region, times n, for each term.
	bends = 3
	// mostSkew and mostKurtosis bound the third and fourth standardised moments about the
	// plane, 0 and 3 for noise: beyond them something bright or dark lies in the region.
	mostSkew, mostKurtosis = 0.8, 5
)

// EvenNoise returns the SD of the noise in pixels of a picture of a width: the SD about
// the plane that fits them best, so that a slow slope of the background has no part in it. An
// error says why the noise cannot be measured in the pixels: there are too few, or they hold more
// than noise on an even background.
func EvenNoise(values []float32, mask []bool, pixels []int, width int) (float64, error) {
	var xs, ys, vs []float64
	for _, i := range pixels {
		if mask == nil || mask[i] {
			xs, ys, vs = append(xs, float64(i%width)), append(ys, float64(i/width)), append(vs, float64(values[i]))
		}
	}
	n := float64(len(vs))
	if len(vs) < leastEven {
		return 0, message.Errorf(message.MeasureFew, "%d pixels are too few to measure the noise; at least %d are needed", len(vs), leastEven)
	}
	for _, c := range [][]float64{xs, ys, vs} {
		center(c)
	}
	rest, base := remove(vs, [][]float64{xs, ys})
	if err := checkEven(rest, square(vs), base, terms3(xs, ys)); err != nil {
		return 0, err
	}
	return math.Sqrt(square(rest) / (n - 3)), nil
}

// checkEven returns why values, of a sum of squares, are not noise on an even background alone.
// rest is the remainder without the background, base the terms of the background, and higher
// the terms of bends that it does not have.
func checkEven(rest []float64, squares float64, base, higher [][]float64) error {
	sum, third, fourth := 0.0, 0.0, 0.0
	for _, r := range rest {
		sum += r * r
		third += r * r * r
		fourth += r * r * r * r
	}
	// Rounding alone leaves less than this.
	if sum <= 1e-12*squares || sum == 0 {
		return message.Errorf(message.MeasureUneven, "all pixels lie on a plane or another smooth surface; there is no noise to measure")
	}
	n := float64(len(rest))
	variance := sum / n
	skew, kurtosis := third/n/math.Pow(variance, 1.5), fourth/n/(variance*variance)
	bent, _ := remove(rest, append(base, higher...))
	if 1-square(bent)/sum > max(mostBent, bends*float64(len(higher))/n) {
		return message.Errorf(message.MeasureUneven, "the region is not homogeneous, or too small for its noise: an edge or a bend of the background may be part of the SD")
	}
	if math.Abs(skew) > mostSkew || kurtosis > mostKurtosis {
		return message.Errorf(message.MeasureUneven, "the region is not homogeneous: something brighter or darker lies in it")
	}
	return nil
}

// remove returns v less its projection on the terms, and the terms as an orthogonal base
// (Gram-Schmidt); terms that depend on earlier ones are dropped.
func remove(v []float64, terms [][]float64) (rest []float64, base [][]float64) {
	without := func(v []float64, base [][]float64) []float64 {
		out := append([]float64(nil), v...)
		for _, b := range base {
			dot := 0.0
			for i := range out {
				dot += out[i] * b[i]
			}
			f := dot / square(b)
			for i := range out {
				out[i] -= f * b[i]
			}
		}
		return out
	}
	for _, t := range terms {
		if b := without(t, base); square(b) > 1e-9*square(t) {
			base = append(base, b)
		}
	}
	return without(v, base), base
}

func center(v []float64) {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	for i := range v {
		v[i] -= sum / float64(len(v))
	}
}

// terms3 returns the terms of second and third order in two coordinates, each with the
// mean 0.
func terms3(xs, ys []float64) [][]float64 {
	xx, xy, yy := product(xs, xs), product(xs, ys), product(ys, ys)
	terms := [][]float64{xx, xy, yy, product(xx, xs), product(xx, ys), product(yy, xs), product(yy, ys)}
	for _, t := range terms {
		center(t)
	}
	return terms
}

func product(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] * b[i]
	}
	return out
}

func square(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return sum
}
