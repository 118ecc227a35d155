package pairwise

import (
	"math"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

// Stein computes, for a mean with several strengths, how far each voxel moves and
// the derivative of its new value by its own old one (Van De Ville, Kocher 2009),
// in one pass over the pairs. With d = v_j - v_i and w = 2^-(scale D + bias), or 1
// if that exponent is not above 0,
//
//	g_ij  = 2 d - 2 a_{j-i} (v_i - v_{2i-j})      a_0 = 1; a is 0 outside the patch
//	w'    = l w g_ij,  l = scale ln 2             0 if the exponent is not above 0
//	num   = sum w d,   den  = sum w,  gd = sum w g d,  gl = sum w g
//	num'  = l gd - den,  den' = l gl
//
// where ' is the derivative by v_i. g has two terms as v_i is the middle of its own
// patch and, if j is near, a sample of the patch of j. Distances D are shared by
// the strengths. If the patch of a voxel leaves the volume, v_i is sampled more
// than once: Exact computes such voxels, and voxels that no weight of float32
// describes.
type Stein struct {
	// Filter without its strength: Scale, Bias, Mean and Faint are not used. With
	// Peak, a voxel's own weight is the largest of the others, else it is 1.
	Filter    Filter
	Strengths []Exponent
	Count     denoise.Field // its mask marks the voxels that count
	// Exact computes the changes of a voxel that are marked.
	Exact func(b *tile.Block, unit float64, x, y, z int, marked []bool, to []Change)
}

// Exponent is the scale and the bias of [Filter] for one strength.
type Exponent struct{ Scale, Bias float64 }

// Change is the effect of a mean on a voxel.
type Change struct {
	Residual   float64 // u - v, in the volume's unit
	Derivative float64 // du / dv
}

// steinWorker is the scratch memory of one worker.
type steinWorker struct {
	worker
	stein     *Stein
	strengths []strengthSums
	least     []float32 // least distance of each voxel, laid out as the sums
	slope     []float32 // g of that pair
	distance  []float32 // of a row; infinite for a pair that is not used
	gradient  []float32 // g of a row
	live      []float32 // weights of a row that have a derivative
	changes   []Change
	unknown   []bool // changes that the sums do not determine
}

// strengthSums is one strength in the tile's unit, and its sums.
type strengthSums struct {
	scale, bias      float32
	num, den, gd, gl []float32
}

// NewWorker returns a worker with scratch memory of its own.
func (s *Stein) NewWorker() denoise.SteinWorker {
	w := &steinWorker{
		worker: worker{Filter: &s.Filter, ring: make([]planeRows, 2*s.Filter.Patch[2]+1)},
		stein:  s, strengths: make([]strengthSums, len(s.Strengths)), changes: make([]Change, len(s.Strengths)), unknown: make([]bool, len(s.Strengths)),
	}
	return w.run
}

func (w *steinWorker) run(t volume.Region, stop func() bool) []denoise.Stein {
	w.reset(t)
	n := len(w.sums.num)
	w.least, w.slope = tile.Resize(w.least, n), tile.Resize(w.slope, n)
	tile.Fill(w.least, infinite)
	clear(w.slope)
	for i := range w.strengths {
		s := &w.strengths[i]
		s.scale, s.bias = w.exponent(w.stein.Strengths[i].Scale, w.stein.Strengths[i].Bias)
		for _, sum := range []*[]float32{&s.num, &s.den, &s.gd, &s.gl} {
			*sum = tile.Resize(*sum, n)
			clear(*sum)
		}
	}
	row := len(w.weight)
	w.distance, w.gradient, w.live = tile.Resize(w.distance, row), tile.Resize(w.gradient, row), tile.Resize(w.live, row)
	w.visit(w.eachRow(w.addStein), stop)
	return w.total(stop)
}

// infinite is the distance of pairs that are not used. It is finite, so that no
// product with it is NaN.
const infinite = math.MaxFloat32

// addStein is the rowAdder.
func (w *steinWorker) addStein(o Offset, distance []float32, y, z int, here, there bool) {
	p, q := w.positions(o, y, z)
	copy(w.distance[:w.width], distance)
	tile.Fill(w.distance[w.width:w.n+lanes], infinite)
	if mask := w.values.Mask; mask != nil {
		for x := range w.width {
			if mask[p+x]*mask[q+x] == 0 {
				w.distance[x] = infinite
			}
		}
	}
	step := q - p // from a voxel to its neighbour, in the block
	near := 2 * w.tap(o.d)
	if here {
		at, s, n := w.span(0, y, z)
		w.addEnd(o, at, s, n, p+s, step, near)
	}
	if there {
		at, s, n := w.span(o.d[0], y+o.d[1], z+o.d[2])
		w.addEnd(o, at, s, n, q+s, -step, near)
	}
}

// addEnd adds n pairs from the row's pair s on to the sums at position at. i is
// the position in the block of the first voxel, step leads to its neighbour, and
// near is 2 a of that step.
func (w *steinWorker) addEnd(o Offset, at, s, n, i, step int, near float32) {
	if n == 0 {
		return
	}
	own, other, distance := w.values.Values[i:], w.values.Values[i+step:], w.distance[s:]
	opposite := own // any row will do if near is 0
	if near != 0 {
		opposite = w.values.Values[i-step:]
	}
	gradient(w.gradient, own, other, opposite, near, n)
	nearest(w.least[at:], w.slope[at:], distance, w.gradient, n)
	used := min(max(w.width-s, 0), n)
	for k := range w.strengths {
		t := &w.strengths[k]
		bias := t.bias + float32(o.bias)
		weigh(w.weight, distance, t.scale, bias, n)
		clear(w.weight[used:n])
		if mask := w.values.Mask; mask != nil {
			multiply(w.weight, mask[i:], mask[i+step:], n)
		}
		live := w.weight
		if bias < 0 {
			live = w.live
			for x, d := range distance[:n] {
				live[x] = 0
				if float32(t.scale*d)+bias > 0 {
					live[x] = w.weight[x]
				}
			}
		}
		accumulateStein(t.num[at:], t.den[at:], t.gd[at:], t.gl[at:], w.weight, live, own, other, w.gradient, n)
	}
}

// tap returns a at an offset, relative to a_0; 0 outside the patch.
func (f *Filter) tap(d [3]int) float32 {
	a := float32(1)
	for c, k := range d {
		k = max(k, -k)
		switch {
		case k > f.Patch[c]:
			return 0
		case k > 0:
			a *= f.Side[k-1]
		}
	}
	return a
}

// total returns the sums over the voxels that count.
func (w *steinWorker) total(stop func() bool) []denoise.Stein {
	total := make([]denoise.Stein, len(w.strengths))
	count := &w.stein.Count
	for z := w.tile.Min[2]; z < w.tile.Max[2]; z++ {
		for y := w.tile.Min[1]; y < w.tile.Max[1]; y++ {
			if stop() {
				return total
			}
			at, i := w.sums.at(0, y-w.tile.Min[1], z-w.tile.Min[2]), count.Index(w.tile.Min[0], y, z)
			for x := w.tile.Min[0]; x < w.tile.Max[0]; x, at, i = x+1, at+1, i+1 {
				if !count.Valid(i) {
					continue
				}
				if !w.changed(at, w.inner([3]int{x, y, z})) {
					if stop() {
						return total // Exact takes as long as many rows
					}
					w.stein.Exact(&w.values, w.unit, x, y, z, w.unknown, w.changes)
				}
				for k, c := range w.changes {
					total[k].Residual += c.Residual * c.Residual
					total[k].Divergence += c.Derivative
				}
			}
		}
	}
	return total
}

// inner reports whether the patch of a voxel is inside the volume.
func (w *steinWorker) inner(at [3]int) bool {
	for c, x := range at {
		if x < w.Patch[c] || x+w.Patch[c] >= w.In.Dims[c] {
			return false
		}
	}
	return true
}

// steinPeak is the largest weight below which the sums do not determine the change:
// the weights next to it are exact down to a millionth of it.
const steinPeak = FaintPeak * 0x1p-24

// changed sets changes from the sums at a position, and unknown if these do not
// determine them; it returns whether all are known. inner states that the patch of
// the voxel is inside the volume.
func (w *steinWorker) changed(at int, inner bool) bool {
	all := true
	for k := range w.strengths {
		w.changes[k], w.unknown[k] = w.change(&w.strengths[k], at)
		w.unknown[k] = w.unknown[k] || !inner
		all = all && !w.unknown[k]
	}
	return all
}

// change returns the change by one strength, or that it is not known.
func (w *steinWorker) change(s *strengthSums, at int) (c Change, unknown bool) {
	factor := math.Ln2 * float64(s.scale)
	num, den := float64(s.num[at]), float64(s.den[at])
	slopeNum, slopeDen := factor*float64(s.gd[at])-den, factor*float64(s.gl[at])
	switch {
	case w.least[at] == infinite: // there is no neighbour
		den = 1
	case !w.Peak:
		den++
	default:
		t := float64(s.scale)*float64(w.least[at]) + float64(s.bias)
		peak := math.Exp2(-max(t, 0))
		if peak < steinPeak {
			return c, true
		}
		den += peak
		if t > 0 {
			slopeDen += factor * peak * float64(w.slope[at])
		}
	}
	return Change{Residual: num / den / w.unit, Derivative: 1 + (slopeNum-num/den*slopeDen)/den}, false
}
