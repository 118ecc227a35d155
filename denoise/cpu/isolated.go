package cpu

import (
	"math"
	"sync/atomic"

	"quell/denoise"
	"quell/volume"
)

// A voxel is isolated when nothing in its window resembles it: with centre rule
// max its weights are then all far below what float32 holds, but it is their
// ratios that count. A few such voxels of a tile are averaged one by one in
// float64 (isolatedNLM). Where they are many, as under a very small h, the tile
// is gone through twice more (relative): first for the largest weight of every
// voxel, kept as its exponent, then with weights relative to that. These
// differ between the two ends of a pair.

// smallestPeak is the largest weight below which a voxel counts as isolated:
// maxExponent would cut weights that still count beside it.
const smallestPeak = 0x1p-64

// manyShare is the part of a tile's voxels that makes two more passes cheaper
// than single voxels.
const manyShare = 1.0 / 32

// largestRelative is the exponent up to which relative serves. Beyond it the
// weights near the end of float64's range, where they lose digits and then
// vanish; isolatedNLM does the same as the reference there.
const largestRelative = 960

// farRows is what relative needs beside the sums, whose peak then holds the
// largest exponent of 2 of each voxel.
type farRows struct {
	on       bool
	exponent []float32 // of one row's weights, <= 0; the lowest float for none
	behind   []float32 // how far they are behind the largest
}

func (w *pairWorker) manyIsolated() bool {
	w.far.on = false
	if w.isolated == nil || !w.peak || w.lk > 0 {
		return false
	}
	n := 0
	for i := 0; i < len(w.sums.peak)-lanes; i += w.sums.stride {
		for _, p := range w.sums.peak[i : i+w.sums.stride-lanes] {
			if p < smallestPeak {
				n++
			}
		}
	}
	return float64(n) > manyShare*float64(w.tile.Voxels())
}

// relative does the tile's sums again with weights relative to the largest.
func (w *pairWorker) relative(stop *atomic.Bool) {
	w.far.on = true
	w.far.exponent = resize(w.far.exponent, len(w.weight))
	w.far.behind = resize(w.far.behind, len(w.weight))
	clear(w.sums.num)
	clear(w.sums.den)
	fill(w.sums.peak, -math.MaxFloat32)
	w.visit(w.raiseRow, stop)
	w.visit(w.addRelativeRow, stop)
}

// exponents fills far.exponent for a row of distances.
func (w *pairWorker) exponents(o pairOffset, distance []float32, p, q int) {
	e := w.far.exponent
	for x, d := range distance[:w.width] {
		e[x] = min(0, -(float32(w.scale*d) + o.bias))
	}
	if mask := w.values.mask; mask != nil {
		for x := range w.width {
			if mask[p+x]*mask[q+x] == 0 {
				e[x] = -math.MaxFloat32
			}
		}
	}
	fill(e[w.width:w.n+lanes], -math.MaxFloat32)
}

// raiseRow is the rowAdder of the first pass.
func (w *pairWorker) raiseRow(o pairOffset, distance []float32, y, z int, here, there bool) {
	p, q := w.places(o, y, z)
	w.exponents(o, distance, p, q)
	if here {
		at, s, n := w.span(0, y, z)
		raise(w.sums.peak[at:], w.far.exponent[s:], n)
	}
	if there {
		at, s, n := w.span(o.d[0], y+o.d[1], z+o.d[2])
		raise(w.sums.peak[at:], w.far.exponent[s:], n)
	}
}

// addRelativeRow is the rowAdder of the second pass.
func (w *pairWorker) addRelativeRow(o pairOffset, distance []float32, y, z int, here, there bool) {
	p, q := w.places(o, y, z)
	w.exponents(o, distance, p, q)
	u := w.averaged()
	add := func(at, s, n int, own, other []float32) {
		exponent, behind := w.far.exponent[s:], w.far.behind
		for x, peak := range w.sums.peak[at : at+n] {
			behind[x] = peak - exponent[x]
		}
		weigh(w.weight[s:], behind, 1, 0, n)
		w.cutWeights(p, q)
		gather(w.sums.num[at:], w.sums.den[at:], w.weight[s:], own, other, n)
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

// absolute returns the sums of relative as mean understands them: the largest
// weight is 1, or too small to say.
func absolute(s pairSums) pairSums {
	if s.peak < -largestRelative {
		s.peak = 0
	} else {
		s.peak = 1
	}
	return s
}

// vanished says whether all weights of a voxel that has neighbours are 0 even in
// float64, which ends at 2^-1074, with room for the rounding of the exponents.
func vanished(s pairSums) bool { return s.peak < -1080 && s.peak > -math.MaxFloat32 }

// isolatedNLM is the mean, with Gaussian weights and centre rule max, of a voxel
// that resembles none of its window: its weights are far below what float32
// holds, but it is their ratios that count. The same sums as referenceNLM's, in
// float64, with two short cuts that float64 cannot see: a patch is given up as
// soon as its weight would be 0, or 2^-60 of the largest one so far.
func isolatedNLM(p denoise.NLMParams, in *volume.Volume, b *block, x, y, z int) float64 {
	const underflow, negligible = 746, 42 // exponents of e
	here := b.at(x, y, z)
	v := func(i int) float64 { return float64(b.v[i]) }
	least := math.Inf(1) // the smallest exponent so far
	num, den := 0.0, 0.0
	alone := true
	window(in, p.SearchRadius, x, y, z, func(jx, jy, jz, j int) {
		alone = false
		limit := min(underflow, least+negligible)*p.H*p.H + 2*p.Sigma*p.Sigma
		d, below := isolatedDistance(p, b, here, b.at(jx, jy, jz), limit)
		if !below {
			return
		}
		e := max(0, d-2*p.Sigma*p.Sigma) / (p.H * p.H)
		least = min(least, e)
		w := math.Exp(-e)
		dv := v(b.at(jx, jy, jz)) - v(here)
		if p.Rician {
			dv *= v(b.at(jx, jy, jz)) + v(here)
		}
		num += w * dv
		den += w
	})
	den += math.Exp(-least) // the largest weight; 0 where there is none
	vi := v(here)
	switch {
	case den == 0 && !alone:
		return vi
	case den == 0:
		num, den = 0, 1
	}
	if p.Rician {
		return math.Sqrt(max(0, vi*vi+num/den-2*p.Sigma*p.Sigma))
	}
	return vi + num/den
}

// isolatedDistance is D between the patches at places i and j of a block, or
// false as soon as it exceeds limit.
func isolatedDistance(p denoise.NLMParams, b *block, i, j int, limit float64) (float64, bool) {
	f := p.PatchRadius
	tap := func(c, k int) float64 {
		if f[c] == 0 {
			return 1
		}
		return p.Taps[k+f[c]]
	}
	sum := 0.0
	for kz := -f[2]; kz <= f[2]; kz++ {
		for ky := -f[1]; ky <= f[1]; ky++ {
			row := (kz*b.dims[1] + ky) * b.dims[0]
			a := tap(2, kz) * tap(1, ky)
			for kx := -f[0]; kx <= f[0]; kx++ {
				d := float64(b.v[i+row+kx]) - float64(b.v[j+row+kx])
				sum += a * tap(0, kx) * d * d
			}
			if sum > limit {
				return sum, false
			}
		}
	}
	return sum, true
}
