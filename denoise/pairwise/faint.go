package pairwise

import (
	"math"

	"quell/denoise/tile"
)

// A voxel is faint if nothing in its neighbourhood resembles it: if the weight of
// the voxel itself is the largest of the others, all weights are then far below
// what float32 holds, but it is their ratios that count. A few such voxels of a
// tile are averaged one by one in float64 (Filter.Faint). If they are many, as
// with a very small h, the tile is processed twice more (rescale): first for the
// largest weight of every voxel, kept as its exponent, then with weights relative
// to that. These differ between the two ends of a pair.

// FaintPeak is the largest weight below which a voxel counts as faint: MaxExponent
// would cut weights that still count with it.
const FaintPeak = 0x1p-64

// manyShare is the part of a tile's voxels above which two more passes cost less
// than single voxels.
const manyShare = 1.0 / 32

// LargestRescaled is the exponent up to which rescaled sums are used. Beyond it the
// weights approach the end of float64's range, lose digits and then become 0;
// Filter.Faint does the same as the reference there.
const LargestRescaled = 960

// faintRows is what rescale needs apart from the sums; their peak then holds the
// largest exponent of 2 of each voxel.
type faintRows struct {
	on       bool
	exponent []float32 // of one row's weights, <= 0; the lowest float for no weight
	below    []float32 // the largest exponent minus this one
}

func (w *worker) manyFaint() bool {
	w.faint.on = false
	if w.Faint == nil || !w.Peak || w.LK > 0 {
		return false
	}
	n := 0
	d := w.tile.Dims()
	for z := range d[2] {
		for y := range d[1] {
			for _, p := range w.sums.peak[w.sums.at(0, y, z):][:d[0]] {
				// A voxel without selected neighbours is not faint: weights are above 0.
				if p < FaintPeak && (p > 0 || w.Select == nil) {
					n++
				}
			}
		}
	}
	return float64(n) > manyShare*float64(w.tile.Voxels())
}

// rescale computes the tile's sums again with weights relative to the largest.
func (w *worker) rescale(stop func() bool) {
	w.faint.on = true
	w.faint.exponent = tile.Resize(w.faint.exponent, len(w.weight))
	w.faint.below = tile.Resize(w.faint.below, len(w.weight))
	clear(w.sums.num)
	clear(w.sums.den)
	tile.Fill(w.sums.peak, -math.MaxFloat32)
	w.visit(w.eachRow(w.findLargest), stop)
	w.visit(w.eachRow(w.addRescaled), stop)
}

// exponents fills far.exponent for a row of distances.
func (w *worker) exponents(o Offset, distance []float32, p, q int) {
	e, bias := w.faint.exponent, w.biasOf(o)
	for x, d := range distance[:w.width] {
		e[x] = min(0, -(float32(w.scale*d) + bias))
	}
	if mask := w.values.Mask; mask != nil {
		for x := range w.width {
			if mask[p+x]*mask[q+x] == 0 {
				e[x] = -math.MaxFloat32
			}
		}
	}
	if w.Select != nil {
		for x := range w.width {
			if w.chosen.row[x/lanes]>>(x%lanes)&1 == 0 {
				e[x] = -math.MaxFloat32
			}
		}
	}
	tile.Fill(e[w.width:w.n+lanes], -math.MaxFloat32)
}

// findLargest is the rowAdder of the first pass.
func (w *worker) findLargest(o Offset, distance []float32, y, z int, here, there bool) {
	p, q := w.positions(o, y, z)
	w.exponents(o, distance, p, q)
	if here {
		at, s, n := w.span(0, y, z)
		maximum(w.sums.peak[at:], w.faint.exponent[s:], n)
	}
	if there {
		at, s, n := w.span(o.d[0], y+o.d[1], z+o.d[2])
		maximum(w.sums.peak[at:], w.faint.exponent[s:], n)
	}
}

// addRescaled is the rowAdder of the second pass.
func (w *worker) addRescaled(o Offset, distance []float32, y, z int, here, there bool) {
	p, q := w.positions(o, y, z)
	w.exponents(o, distance, p, q)
	u := w.averaged()
	add := func(at, s, n int, own, other []float32) {
		exponent, below := w.faint.exponent[s:], w.faint.below
		for x, peak := range w.sums.peak[at : at+n] {
			below[x] = peak - exponent[x]
		}
		weigh(w.weight[s:], below, 1, 0, n)
		w.clearUnused(p, q)
		accumulate(w.sums.num[at:], w.sums.den[at:], w.weight[s:], own, other, n)
	}
	if here {
		at, s, n := w.span(0, y, z)
		add(at, s, n, u[p+s:], u[q+s:])
	}
	if there {
		at, s, n := w.span(o.d[0], y+o.d[1], z+o.d[2])
		add(at, s, n, u[q+s:], u[p+s:])
	}
}

// unscaled converts sums of rescale to what Filter.Mean expects: a largest weight
// of 1, or of 0 if rescaled sums are not used.
func unscaled(s Sums) Sums {
	if s.Peak < -LargestRescaled {
		s.Peak = 0
	} else {
		s.Peak = 1
	}
	return s
}

// allZero reports whether all weights of a voxel that has neighbours are 0 even
// in float64.
func allZero(s Sums) bool { return s.Peak < -AllZero && s.Peak > -math.MaxFloat32 }

// AllZero is the exponent beyond which float64, which ends at 2^-1074, holds no weight,
// with room for the rounding of the exponents.
const AllZero = 1080
