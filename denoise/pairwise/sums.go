package pairwise

import (
	"math"
	"slices"

	"quell/denoise/tile"
)

// planeRows is a plane of scratch rows of equal length.
type planeRows struct {
	width int
	data  []float32
}

func (p *planeRows) resize(rows, width int) {
	p.width = width
	p.data = tile.Resize(p.data, rows*width)
}

// row returns row k, with room for one group of lanes past its end.
func (p *planeRows) row(k int) []float32 { return p.data[k*p.width : (k+1)*p.width] }

// tileSums holds the sums of a tile's voxels, one array for each. Rows reach as far
// outside the tile as a pair does, so that a row of pairs is added as a whole, and
// one group of lanes further, for what kernels write past its end.
type tileSums struct {
	margin       int // values outside the tile
	stride, rows int
	num, den     []float32
	peak         []float32 // nil unless asked for
	delta, count []float32 // lk only, else nil
}

// reset clears the sums for a tile of the given size with that margin.
func (t *tileSums) reset(dims [3]int, margin int, peak, lk bool) {
	t.margin, t.stride, t.rows = margin, dims[0]+2*margin+lanes, dims[1]
	n := t.stride*dims[1]*dims[2] + lanes
	sums := []*[]float32{&t.num, &t.den}
	if peak {
		sums = append(sums, &t.peak)
	}
	if lk {
		sums = append(sums, &t.delta, &t.count)
	}
	for _, s := range sums {
		*s = tile.Resize(*s, n)
		clear(*s)
	}
	if peak && lk {
		tile.Fill(t.peak, -math.MaxFloat32)
	}
}

// at returns the position of voxel (x, y, z), counted from the tile's first.
func (t *tileSums) at(x, y, z int) int { return (z*t.rows+y)*t.stride + t.margin + x }

// add adds a row of pairs to the sums of one end: weights w, values own and other.
func (t *tileSums) add(at, n int, w, own, other []float32, lk *lkRows) {
	accumulate(t.num[at:], t.den[at:], w, own, other, n)
	if t.delta != nil {
		accumulate(t.delta[at:], t.count[at:], lk.ones, own, other, n)
		w = lk.minus
	}
	if t.peak != nil {
		maximum(t.peak[at:], w, n)
	}
}

// addBoth adds a row of pairs, which is not one of lk, to the sums of both ends, in
// different rows: the first ones at position at, of values a, the others at there, of
// values b.
func (t *tileSums) addBoth(at, there, n int, w, a, b []float32) {
	accumulateBoth(t.num[at:], t.den[at:], t.num[there:], t.den[there:], w, a, b, n)
	if t.peak != nil {
		maximum(t.peak[at:], w, n)
		maximum(t.peak[there:], w, n)
	}
}

// voxel returns the sums at a position.
func (t *tileSums) voxel(at int) Sums {
	s := Sums{Num: float64(t.num[at]), Den: float64(t.den[at])}
	if t.peak != nil {
		s.Peak = float64(t.peak[at])
	}
	if t.delta != nil {
		s.Delta, s.N = float64(t.delta[at]), float64(t.count[at])
	}
	return s
}

// lkRows are the rows that the lk weighting needs apart from its distances. Its
// weights T - D are known only when all distances are, so the sums of D, of D (v_j
// - v_i) and of v_j - v_i are kept and combined at the end.
type lkRows struct {
	unit  float32   // makes differences <= 1: their fourth powers stay in float32
	ones  []float32 // 1 for a pair, 0 for no pair
	minus []float32 // -D for a pair, the lowest float for no pair
}

func (l *lkRows) resize(n int) {
	l.ones, l.minus = tile.Resize(l.ones, n), tile.Resize(l.minus, n)
}

// setUnit chooses the unit for a tile's values: a power of two, which is exact.
func (l *lkRows) setUnit(v []float32) {
	_, exponent := math.Frexp(float64(slices.Max(v)) - float64(slices.Min(v)))
	l.unit = float32(math.Ldexp(1, -exponent))
}

// fill sets the rows, and w to D, for width pairs of the voxels at p and q.
func (l *lkRows) fill(w, distance, mask []float32, p, q, width, n int) {
	copy(w[:width], distance)
	clear(w[width : n+lanes])
	clear(l.ones[:n+lanes])
	tile.Fill(l.ones[:width], 1)
	if mask != nil {
		multiply(l.ones, mask[p:], mask[q:], width)
	}
	tile.Fill(l.minus[:n+lanes], -math.MaxFloat32)
	for x := range width {
		if l.ones[x] == 0 {
			w[x] = 0
		} else {
			l.minus[x] = -w[x]
		}
	}
}

// finish writes the tile's voxels.
func (w *worker) finish(stop func() bool) {
	for z := w.tile.Min[2]; z < w.tile.Max[2]; z++ {
		for y := w.tile.Min[1]; y < w.tile.Max[1]; y++ {
			if stop() {
				return
			}
			b := w.values.At(w.tile.Min[0], y, z)
			s := w.sums.at(0, y-w.tile.Min[1], z-w.tile.Min[2])
			to := w.Out.Index(w.tile.Min[0], y, z)
			for x := range w.tile.Max[0] - w.tile.Min[0] {
				if !w.Out.Valid(to + x) {
					continue
				}
				v, sums := float64(w.values.Values[b+x]), w.sums.voxel(s+x)
				if w.faint.on {
					if allZero(sums) {
						w.Out.Data[to+x] = float32(v / w.unit)
						continue
					}
					sums = unscaled(sums)
				}
				if w.Select != nil && sums.Den == 0 {
					sums.Peak = 1 // no neighbour is selected
				}
				value, ok := w.Mean(v, w.unit, sums)
				if !ok {
					if stop() {
						return // Faint takes as long as many rows
					}
					value = w.Faint(&w.values, w.unit, w.tile.Min[0]+x, y, z)
				}
				w.Out.Data[to+x] = float32(value / w.unit)
			}
		}
	}
}

// The values of a tile are multiplied by a power of two, its unit, if squares of
// them or of their differences would leave the range of float32. As these
// products are exact, a unit does not change a bit of a result that needs none.
const (
	smallestExponent = -40 // of the largest value
	largestExponent  = 50
	smallestStrength = -40 // exponent of the strength, Scale^-1/2
	largestBias      = 0x1p100
)

// setUnit chooses the tile's unit and converts values, scale and bias to it.
func (w *worker) setUnit() {
	values := w.values.Values[:len(w.values.Values)-lanes]
	shift := 0
	if _, e := math.Frexp(w.Scale); e > -2*smallestStrength {
		shift = e / 2 // the strength comes to 1
	}
	shift = Shift(largestOf(values), shift)
	w.unit = math.Ldexp(1, shift)
	w.scale, w.bias = w.exponent(w.Scale, w.Bias)
	w.shrink = min(1, largestBias/math.Abs(w.Bias))
	if shift != 0 {
		w.scaleValues(values)
		for _, g := range w.guides {
			w.scaleValues(g.Values[:len(g.Values)-lanes])
		}
	}
}

// largestOf returns the size of the largest value.
func largestOf(values []float32) float32 {
	size := func(v float32) uint32 { return math.Float32bits(v) &^ (1 << 31) } // the bits of positive numbers have the order of the numbers
	a, b := uint32(0), uint32(0)
	for ; len(values) >= 4; values = values[4:] {
		a = max(a, size(values[0]), size(values[1]))
		b = max(b, size(values[2]), size(values[3]))
	}
	for _, v := range values {
		a = max(a, size(v))
	}
	return math.Float32frombits(max(a, b))
}

// Shift returns the exponent of the power of two by which values up to largest are
// multiplied: shift, unless float32 would not hold squares of the products.
func Shift(largest float32, shift int) int {
	_, e := math.Frexp(float64(largest))
	switch {
	case e+shift > largestExponent:
		return largestExponent - e
	case e+shift < smallestExponent && largest > 0:
		return -e
	}
	return shift
}

// scaleValues converts values to the tile's unit.
func (w *worker) scaleValues(values []float32) {
	for i, v := range values {
		values[i] = float32(float64(v) * w.unit)
	}
}

// biasOf returns the bias of the weights at an offset, in the tile's unit.
func (w *worker) biasOf(o Offset) float32 { return w.bias + float32(o.bias*w.shrink) }

// exponent converts a scale and a bias of Filter to the tile's unit.
func (w *worker) exponent(scale, bias float64) (float32, float32) {
	scale /= w.unit * w.unit
	if b := math.Abs(bias); b > largestBias {
		// Exponents this large only matter by their sign.
		scale, bias = scale*(largestBias/b), bias*(largestBias/b)
	}
	return float32(min(scale, math.MaxFloat32)), float32(bias)
}

// The row kernels that bnlm has in common with the pairwise filters. n is a multiple of
// tile.Lanes; what rows hold past their end may be read.

// Weigh sets w = 2^-t with t = min(max(0, scale d + bias), MaxExponent).
func Weigh(w, d []float32, scale, bias float32, n int) { weigh(w, d, scale, bias, n) }

// WeighSum sets w = 2^-t with t = min(max(0, scale (a + b + c) - least), MaxExponent), 0 if
// the pair's bit is not set, and adds them to sum and peak, their largest. Least, sum and peak
// hold a number for each lane.
func WeighSum(w, sum, peak, a, b, c, least []float32, scale float32, bits []byte, n int) {
	weighSum(w, sum, peak, a, b, c, least, scale, bits, n)
}

// Alike sets bit k of bits[g] if the means and deviations of the pair 8 g + k pass the
// comparison of alikeGo, and returns the groups that have one, at most 64.
func Alike(bits []byte, ma, mb, da, db []float32, apart, ratio float32, n int) uint64 {
	return alike(bits, ma, mb, da, db, apart, ratio, n)
}
