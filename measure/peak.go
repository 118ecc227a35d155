package measure

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

const (
	// aboutPeak is the share of the greatest power from which bins are part of the peak.
	aboutPeak = 0.7
	// unsurePeak is the standard error of the frequency of a peak, as a share of the Nyquist frequency, beyond
	// which it is not given: of white noise there is none.
	unsurePeak = 0.05
	// lowPeak is the bin up to which the surest of a curve may lie that only falls.
	lowPeak = 4
)

// Free returns the power of bin k without the loss to the ground. A bin that the ground takes wholly has none.
func (n NPS) Free(k int) float64 {
	if left := 1 - n.Ground[k]; left > 0 {
		return n.Power[k] / left
	}
	return 0
}

// Refine takes the spectrum of the same regions cut into quarters. A region of width L shows of noise correlated over l a power
// that is too small by about l / L at low frequencies, and a quarter by twice that: the difference is taken off again by [NPS.At].
func (n *NPS) Refine(quarters NPS) { n.quarters = &quarters }

// At returns the power at a frequency in cycles/mm without the loss to the ground, on lines between the bins;
// before the first and after the last it is theirs. It is NaN without bins. After [NPS.Refine] it
// is 2 N(L) - N(L/2), at least 0.
func (n NPS) At(f float64) float64 {
	if n.quarters != nil {
		return max(2*n.line(f)-n.quarters.line(f), 0)
	}
	return n.line(f)
}

// line returns the power on lines between the bins.
func (n NPS) line(f float64) float64 {
	if len(n.Frequency) == 0 {
		return math.NaN()
	}
	for k, at := range n.Frequency {
		if f > at {
			continue
		}
		if k == 0 {
			return n.Free(0)
		}
		before := n.Frequency[k-1]
		return n.Free(k-1) + (n.Free(k)-n.Free(k-1))*(f-before)/(at-before)
	}
	return n.Free(len(n.Frequency) - 1)
}

// Error returns the standard error of bin k: a value of the spectrum of Gaussian noise scatters as much as its mean. After
// [NPS.Refine] it is an upper bound, as both spectra are of the same noise.
func (n NPS) Error(k int) float64 {
	if k >= len(n.cells) { // of a curve that was not measured here
		return 0
	}
	own := n.Free(k) / math.Sqrt(n.cells[k])
	if n.quarters == nil {
		return own
	}
	nearest := 0
	for j, f := range n.quarters.Frequency {
		if math.Abs(f-n.Frequency[k]) < math.Abs(n.quarters.Frequency[nearest]-n.Frequency[k]) {
			nearest = j
		}
	}
	// Their bins are twice as wide, so that a bin here has a share of the error there.
	return math.Hypot(2*own, n.quarters.Error(nearest)*math.Sqrt2)
}

// peak returns the peak frequency of the radial curve up to the Nyquist frequency: the vertex of the parabola that fits the bins
// about the greatest one, which are at least 0.7 of it, by their standard errors. A curve that only falls has
// its peak at 0. It is NaN if the standard error of the vertex is above a twentieth of the Nyquist frequency.
func (n NPS) peak() float64 {
	last := 0
	for last < len(n.Frequency) && n.Frequency[last] <= n.Nyquist {
		last++
	}
	smooth := make([]float64, last) // over three bins, by their cells
	best, least := 0, 0.0
	for k := range smooth {
		weights := 0.0
		for j := max(k-1, 0); j <= min(k+1, last-1); j++ {
			smooth[k], weights = smooth[k]+n.Free(j)*n.cells[j], weights+n.cells[j]
		}
		smooth[k] /= weights
		// The lowest bins hold few values: what they surely exceed counts.
		if sure := smooth[k] * (1 - 2/math.Sqrt(weights)); sure > least {
			best, least = k, sure
		}
	}
	if last < 4 || least == 0 {
		return math.NaN()
	}
	from, to := best, best
	for from > 0 && smooth[from-1] >= aboutPeak*smooth[best] {
		from--
	}
	for to+1 < last && smooth[to+1] >= aboutPeak*smooth[best] {
		to++
	}
	from, to = min(from, max(best-2, 0)), max(to, min(best+2, last-1)) // four bins at least
	vertex, failure, bent := n.parabola(from, to, smooth)
	most := unsurePeak * n.Nyquist
	switch {
	case from == 0 && to+1 < last && best <= lowPeak && (!bent || vertex < n.Frequency[1]):
		return 0 // it only falls
	case !bent || !(failure <= most) || vertex < n.Frequency[from] || vertex > n.Frequency[to]:
		return math.NaN()
	}
	return vertex
}

// parabola fits a parabola to the bins from to to, weighted by their errors, and returns its vertex with its standard
// error; bent is false if it has no maximum.
func (n NPS) parabola(from, to int, smooth []float64) (vertex, failure float64, bent bool) {
	middle, scale := n.Frequency[(from+to)/2], n.Frequency[to]-n.Frequency[from]
	normal, right := mat.NewSymDense(3, nil), mat.NewVecDense(3, nil)
	for k := from; k <= to; k++ {
		x := (n.Frequency[k] - middle) / scale
		row := mat.NewVecDense(3, []float64{1, x, x * x})
		weight := n.cells[k] / (smooth[k] * smooth[k])
		normal.SymRankOne(normal, weight, row)
		right.AddScaledVec(right, weight*n.Free(k), row)
	}
	var inverse mat.Dense
	if inverse.Inverse(normal) != nil {
		return 0, 0, false
	}
	var c mat.VecDense
	c.MulVec(&inverse, right)
	b, a := c.AtVec(1), c.AtVec(2)
	if a >= 0 {
		return 0, 0, false
	}
	x := -b / (2 * a)
	db, da := -1/(2*a), b/(2*a*a)
	variance := db*db*inverse.At(1, 1) + 2*db*da*inverse.At(1, 2) + da*da*inverse.At(2, 2)
	return middle + x*scale, math.Sqrt(variance) * scale, true
}

// groundShare returns the share of the power of white noise that the ground takes from each value of the transform
// of a patch, row by row: with an orthonormal base b of the ground sum |DFT b|^2 / n.
func groundShare(width, height int) []float64 {
	n := width * height
	xs, ys := make([]float64, n), make([]float64, n)
	for k := range xs {
		xs[k], ys[k] = float64(k%width), float64(k/width)
	}
	center(xs)
	center(ys)
	_, base := remove(make([]float64, n), append([][]float64{xs, ys}, terms3(xs, ys)[:secondOrder]...))
	out := make([]float64, n)
	for _, b := range base {
		norm := square(b)
		for i, p := range squaredDFT(Patch{Width: width, Height: height, Values: b}) {
			out[i] += p / norm / float64(n)
		}
	}
	return out
}
