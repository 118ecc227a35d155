package bnlm

import (
	"math"

	"quell/denoise/pairwise"
	"quell/denoise/tile"
)

// rowwise computes blocks of radius 1 that stand on every second voxel, the common
// ones, one row of blocks along x after the other. What belongs to eight blocks lies
// together, offset after offset, and stays in the caches:
//
//	columns   the squared differences under a row of voxels, summed up along x and z;
//	          the sums of the row between two rows of blocks serve both
//	weights   of the sums of three columns, vector after vector; if the largest of a block
//	          is below what float32 holds with the others, relative to that
//	shares    weights times the inverse of their sum, of each block, and of each with
//	          its right neighbour
//	sums      of what the shares of this row of blocks and the one before give to the
//	          rows of voxels between and on them, in all planes
//
// Each step keeps its sums in registers while it goes through the offsets.
type rowwise struct {
	groups []group
	n      int // offsets

	vectors         int // groups of eight blocks in a row
	last, own, next []float32
	bits, sides     []byte       // which pairs are used: of the row, and of rows with pairs that all lie in the volume but at the ends
	shares, before  []float32    // of this row of blocks and the one before; 16 a vector and offset
	inverse         []float32    // of the row, and of a vector of zeros
	places          [2][]int     // by phase and offset: how far the partner of a voxel is from it
	least, most     [2]int       // of places
	weights         [2][]float32 // of a vector and the one before, in turn

	denominator, peak [lanes]float32 // of the vector
	base              [lanes]float32 // the exponents that the weights of its blocks are relative to: 0 but for faint ones
}

// group is a run of offsets along x, two voxels apart, in one row of the search region.
type group struct {
	d     [3]int // the first
	at, n int    // its index, their number: at most atOnce
	// at which the first partner of a voxel and the one left of it are from the row's
	// start
	there, beside int
}

// atOnce is the number of offsets that columns computes at once.
const atOnce = 4

// newRowwise orders the offsets in groups.
func newRowwise(p *Params) *rowwise {
	r := &rowwise{}
	for z := -p.Search[2]; z <= p.Search[2]; z++ {
		for y := -p.Search[1]; y <= p.Search[1]; y++ {
			for phase := range 2 {
				run := false
				for x := -p.Search[0] + phase; x <= p.Search[0]; x += 2 {
					d := [3]int{x, y, z}
					if run = run && p.candidate(d); !p.candidate(d) {
						continue
					}
					if k := len(r.groups) - 1; run && r.groups[k].n < atOnce {
						r.groups[k].n++
					} else {
						r.groups = append(r.groups, group{d: d, at: r.n, n: 1})
					}
					run = true
					r.n++
				}
			}
		}
	}
	return r
}

// offsets lists the offsets in the order of the groups.
func (r *rowwise) offsets() [][3]int {
	var all [][3]int
	for _, g := range r.groups {
		for i := range g.n {
			all = append(all, [3]int{g.d[0] + 2*i, g.d[1], g.d[2]})
		}
	}
	return all
}

// load prepares for a tile.
func (r *rowwise) load(w *worker) {
	r.vectors = tile.RoundUp(w.blocks[0]) / lanes
	size := r.vectors * r.n
	for _, s := range []*[]float32{&r.last, &r.own, &r.next} {
		*s = tile.Resize(*s, size*lanes)
		clear(*s)
	}
	r.bits, r.sides = tile.Resize(r.bits, size), tile.Resize(r.sides, size)
	r.shares, r.before = tile.Resize(r.shares, 2*size*lanes), tile.Resize(r.before, 2*size*lanes)
	clear(r.before)
	r.inverse = tile.Resize(r.inverse, (r.vectors+1)*lanes)
	clear(r.inverse)
	for i := range r.weights {
		r.weights[i] = tile.Resize(r.weights[i], r.n*lanes)
		clear(r.weights[i])
	}

	for i := range r.groups {
		g := &r.groups[i]
		row := (g.d[2]*w.rows[0] + g.d[1]) * w.stride()
		g.there, g.beside = row+w.place(g.d[0]+w.margin), row+w.place(g.d[0]-1+w.margin)
	}
	origin := [2]int{w.at(1, 0, 0), w.at(1, 0, 1)}
	for phase := range r.places {
		r.places[phase] = tile.Resize(r.places[phase], r.n)
		least, most := 0, 0
		for i, d := range w.offsets {
			// Rows and planes of offsets may lie before the stored ones.
			place := w.at(1, 0, phase+d[0]) + (d[2]*w.rows[0]+d[1])*w.stride() - origin[phase]
			r.places[phase][i] = place
			least, most = min(least, place), max(most, place)
		}
		r.least[phase], r.most[phase] = least, most
	}
	for i, d := range w.offsets {
		for v := range r.vectors {
			b := byte(0)
			for k := range lanes {
				if x := w.Step[0]*(w.first[0]+v*lanes+k) + d[0]; x >= 0 && x < w.in[0].Dims[0] && v*lanes+k < w.blocks[0] {
					b |= 1 << k
				}
			}
			r.sides[v*r.n+i] = b
		}
	}
}

// plane computes the z-th plane of blocks and adds what they give; false if it was
// stopped.
func (r *rowwise) plane(w *worker, z int, stop func() bool) bool {
	if r.n == 0 {
		return true // no block is like another
	}
	kz := w.rowOf(2, z)
	r.columns(w, r.last, w.rowOf(1, 0)-1, kz)
	for y := range w.blocks[1] {
		if stop() {
			return false
		}
		ky := w.rowOf(1, y)
		r.columns(w, r.own, ky, kz)
		r.columns(w, r.next, ky+1, kz)
		r.weigh(w, y, z)
		r.give(w, r.shares, r.before, y, z)
		r.shares, r.before = r.before, r.shares
		r.last, r.next = r.next, r.last
	}
	clear(r.shares)
	r.give(w, r.shares, r.before, w.blocks[1], z) // to the voxels past the last row
	clear(r.before)
	return true
}

// columns computes the sums of squared differences under stored row y of voxels.
func (r *rowwise) columns(w *worker, to []float32, y, kz int) {
	planes, plane := 2*w.Radius[2]+1, w.rows[0]*w.stride()
	z := kz - w.Radius[2]
	own, side := w.values[w.at(y, z, 0):], w.values[w.at(y, z, -1):]
	row := w.at(y, z, -w.margin)
	for i := range r.groups {
		g := &r.groups[i]
		columns(to[g.at*lanes:], own, side, w.values[row+g.there:], w.values[row+g.beside:], plane, planes, r.vectors, r.n*lanes, g.n)
	}
}

// weigh computes the shares of the y-th row of blocks.
func (r *rowwise) weigh(w *worker, y, z int) {
	used := r.used(w, y, z)
	for v := range r.vectors {
		r.weighVector(w, v, y, z, used[v*r.n:(v+1)*r.n])
		if v > 0 {
			r.share(v-1, r.weights[v%2])
		}
	}
	r.share(r.vectors-1, r.weights[r.vectors%2]) // whatever the right neighbours' are, their inverse is 0
}

// share computes the shares of vector v; right are the weights of the next.
func (r *rowwise) share(v int, right []float32) {
	share(r.shares[2*v*r.n*lanes:], r.weights[v%2], right, r.inverse[v*lanes:], r.n)
}

// weighVector computes the weights of vector v of the y-th row of blocks, and what they
// are multiplied by.
func (r *rowwise) weighVector(w *worker, v, y, z int, used []byte) {
	weights := r.weights[v%2]
	clear(r.base[:])
	r.weightsOf(w, v, weights, used)
	var exponents [lanes]float32 // the least of each faint block
	if r.isFaint() {
		exponents = r.leastOf(w, v, used)
		r.weightsOf(w, v, weights, used)
	}
	for k := range min(lanes, w.blocks[0]-v*lanes) {
		inverse := &r.inverse[v*lanes+k]
		switch e := exponents[k]; {
		case r.denominator[k] == 0 || e > pairwise.AllZero:
			*inverse = 0
		case e > pairwise.LargestRescaled:
			w.exact([3]int{v*lanes + k, y, z}, func(i int) *float32 { return r.near(w, v, i*lanes+k, e, weights) })
			*inverse = 1
		default:
			*inverse = float32(1 / (float64(r.denominator[k]) + float64(r.peak[k])))
		}
	}
}

// fading is the difference of exponents of 2 beyond which float32 holds no weight next
// to the largest, with room for the rounding of the exponents.
const fading = 160

// near returns the i-th weight of vector v, of a block with the least exponent, but nil if
// it fades relative to the largest, and makes it 0.
func (r *rowwise) near(w *worker, v, i int, least float32, weights []float32) *float32 {
	last, own, next := r.columnsOf(v)
	if w.scale*(last[i]+own[i]+next[i]) > least+fading {
		weights[i] = 0
		return nil
	}
	return &weights[i]
}

// weightsOf computes the weights of vector v, relative to 2^-least, and their sums.
func (r *rowwise) weightsOf(w *worker, v int, weights []float32, used []byte) {
	last, own, next := r.columnsOf(v)
	clear(r.denominator[:])
	clear(r.peak[:])
	pairwise.WeighSum(weights, r.denominator[:], r.peak[:], last, own, next, r.base[:], w.scale, used, r.n*lanes)
}

// columnsOf returns the columns of vector v.
func (r *rowwise) columnsOf(v int) (last, own, next []float32) {
	from, to := v*r.n*lanes, (v+1)*r.n*lanes
	return r.last[from:to], r.own[from:to], r.next[from:to]
}

// isFaint reports whether a block of the vector is faint: if it has weights, all are far
// below what float32 holds side by side.
func (r *rowwise) isFaint() bool {
	for k, den := range r.denominator {
		if den > 0 && r.peak[k] < pairwise.FaintPeak {
			return true
		}
	}
	return false
}

// leastOf returns the least exponents of the faint blocks of vector v, 0 for the others,
// and makes those base that weights in float32 can be relative to.
func (r *rowwise) leastOf(w *worker, v int, used []byte) (exponents [lanes]float32) {
	last, own, next := r.columnsOf(v)
	tile.Fill(r.base[:], math.MaxFloat32)
	leasts(r.base[:], last, own, next, used, r.n)
	for k, least := range r.base {
		r.base[k] = 0
		if r.denominator[k] > 0 && r.peak[k] < pairwise.FaintPeak {
			exponents[k] = float32(w.scale * least)
			if exponents[k] <= pairwise.LargestRescaled {
				r.base[k] = exponents[k]
			}
		}
	}
	return exponents
}

// used returns which pairs of the y-th row of blocks are used.
func (r *rowwise) used(w *worker, y, z int) []byte {
	if w.selects() {
		kz := w.rowOf(2, z)
		for i, d := range w.offsets {
			w.choose(y, kz, z, d)
			for v, b := range w.bits[y*r.vectors : (y+1)*r.vectors] {
				r.bits[v*r.n+i] = b
			}
		}
		return r.bits
	}
	ky, kz := w.Step[1]*(w.first[1]+y), w.Step[2]*(w.first[2]+z)
	ny, nz := w.in[0].Dims[1], w.in[0].Dims[2]
	if ky >= w.Search[1] && ky+w.Search[1] < ny && kz >= w.Search[2] && kz+w.Search[2] < nz {
		return r.sides
	}
	copy(r.bits, r.sides)
	for _, g := range r.groups {
		if jy, jz := ky+g.d[1], kz+g.d[2]; jy < 0 || jy >= ny || jz < 0 || jz >= nz {
			for v := range r.vectors {
				clear(r.bits[v*r.n+g.at:][:g.n])
			}
		}
	}
	return r.bits
}

// give adds what the y-th row of blocks, of these shares, and the one before give to the
// voxels of the row between them and of the row of the y-th.
func (r *rowwise) give(w *worker, shares, before []float32, y, z int) {
	ky, kz := w.rowOf(1, y)-1, w.rowOf(2, z)-w.Radius[2]
	voxels := strides{w.stride(), w.rows[0] * w.stride()}
	sums := strides{2 * w.wide(), w.sums.rows[0] * 2 * w.wide()}
	for phase := range 2 {
		at, to := w.at(ky, kz, phase), w.sumsAt(ky+w.origin[1], kz+w.origin[2], phase)+w.lead
		for v := range r.vectors {
			from := 2*v*r.n*lanes + phase*lanes
			give(w.acc, to+v*lanes, sums, w.values, at+v*lanes, voxels, 2*w.Radius[2]+1, shares[from:], before[from:], r.places[phase], r.least[phase], r.most[phase], r.n)
		}
	}
}
