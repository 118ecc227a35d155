package sadct

import (
	"math"

	"quell/denoise"
	"quell/denoise/tile"
)

// An even direction is an axis, an odd one a diagonal.
var directions = denoise.Directions

// mixture is s(h), the share of order 0 in the kernel of scale h = 1, 2, ...: at 1, 3, 9
// and 12 the values of Foi's program, which has -0.70 at 2, -0.90 at 5 and -0.97 at 7, and
// straight lines between. A kernel that leans more on the pixel at 2 and a plain mean from
// 5 on gain 0.02 dB on Cameraman.
var mixture = [maxLength]float64{-0.75, -0.40, -0.85, -0.925, -1, -1, -1, -1, -1, -1, -1, -1}

// weights returns the kernel of scale h along a line, the pixel itself first:
// (1 + s) g1 - s g0 with g0 the mean and g1 the value of a straight line, fitted to
// the samples, at the pixel. Their sum is 1.
func weights(h int) []float64 {
	g := make([]float64, h)
	s := mixture[h-1]
	for j := range g {
		mean := 1 / float64(h)
		line := 2 * float64(2*h-1-3*j) / float64(h*(h+1))
		g[j] = float64((1+s)*line) - float64(s*mean)
	}
	return g
}

// lines holds the kernels of all scales.
type lines struct {
	weights [][]float64
	half    [2][]float64 // half width of the confidence interval along an axis, and along a diagonal: gamma sigma |g|
}

func newLines(p Params) *lines {
	l := &lines{}
	for _, h := range p.Scales {
		g := weights(h)
		l.weights = append(l.weights, g)
		for diagonal := range l.half {
			l.half[diagonal] = append(l.half[diagonal], p.Gamma*p.Sigma*math.Sqrt(p.Rho.along(g, 1, diagonal)))
		}
	}
	return l
}

// Lines returns the kernel of every scale and the half width of its confidence
// interval along an axis and along a diagonal, for the engines that have kernels of their own.
func (p Params) Lines() (weights [][]float64, half [2][]float64) {
	l := newLines(p)
	return l.weights, l.half
}

// reference returns the indices of the chosen scales at (x, y, z), three bits for
// each direction, the first in the lowest.
func (l *lines) reference(in *denoise.Field, x, y, z int) int {
	packed := 0
	for d := range directions {
		packed |= l.direction(in, x, y, z, d) << (3 * d)
	}
	return packed
}

// supports returns the function that computes the chosen lengths.
func supports(p denoise.Program) func(in *denoise.Field, x, y, z int) denoise.Lengths {
	params := p.Params.(Params)
	l := newLines(params)
	return func(in *denoise.Field, x, y, z int) denoise.Lengths {
		return lengths(params.Scales, l.reference(in, x, y, z))
	}
}

// direction chooses the scale of one direction: the index of the largest for which it
// and all before it stay inside the slice, meet no excluded pixel, and have
// confidence intervals mu +- gamma sigma |g| with a common point. mu is evaluated
// as v(X) + sum g_j (v_j - v(X)) in this order on every engine: whether intervals
// touch must not depend on rounding.
func (l *lines) direction(in *denoise.Field, x, y, z, d int) int {
	step := directions[d]
	v0 := float64(in.At(x, y, z))
	lower, upper := math.Inf(-1), math.Inf(1)
	for s, g := range l.weights {
		mu := 0.0
		for j, w := range g {
			px, py := x+j*step[0], y+j*step[1]
			if px < 0 || px >= in.Dims[0] || py < 0 || py >= in.Dims[1] {
				return s - 1
			}
			i := in.Index(px, py, z)
			if !in.Valid(i) {
				return s - 1
			}
			mu += float64(w * (float64(in.Data[i]) - v0))
		}
		lower, upper = max(lower, mu-l.half[d%2][s]), min(upper, mu+l.half[d%2][s])
		if lower > upper {
			return s - 1
		}
	}
	return len(l.weights) - 1
}

// start is the CPU form: the reference with the samples of a line read once.
func (l *lines) start(in, out denoise.Field) func() denoise.Worker {
	longest := len(l.weights[len(l.weights)-1])
	return func() denoise.Worker {
		diffs := make([]float64, longest)
		return tile.EachVoxel(&out, nil, func(x, y, z int) float32 {
			packed := 0
			for d := range directions {
				packed |= l.choose(l.samples(diffs, &in, x, y, z, d), l.half[d%2]) << (3 * d)
			}
			return float32(packed)
		})
	}
}

// samples returns v_j - v_0 along a direction, up to the edge of the slice or an
// excluded pixel.
func (l *lines) samples(diffs []float64, in *denoise.Field, x, y, z, d int) []float64 {
	step := directions[d]
	n := min(len(diffs), denoise.Room(x, step[0], in.Dims[0]), denoise.Room(y, step[1], in.Dims[1]))
	i, stride := in.Index(x, y, z), step[1]*in.Box.Dims()[0]+step[0]
	v0 := float64(in.Data[i])
	for j := range n {
		if !in.Valid(i) {
			return diffs[:j]
		}
		diffs[j] = float64(in.Data[i]) - v0
		i += stride
	}
	return diffs[:n]
}

// choose is the function direction on the samples of a line, with these half widths.
func (l *lines) choose(diffs, half []float64) int {
	lower, upper := math.Inf(-1), math.Inf(1)
	for s, g := range l.weights {
		if len(g) > len(diffs) {
			return s - 1
		}
		mu := 0.0
		for j, w := range g {
			mu += float64(w * diffs[j])
		}
		if low := mu - half[s]; low > lower {
			lower = low
		}
		if high := mu + half[s]; high < upper {
			upper = high
		}
		if lower > upper {
			return s - 1
		}
	}
	return len(l.weights) - 1
}
