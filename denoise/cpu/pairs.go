package cpu

import (
	"sync/atomic"

	"quell/volume"
)

// The pairwise filters, nlm and bilateral, are means whose weights depend on
// two voxels and are the same both ways. They are not run voxel by voxel but
// offset by offset (Darbon et al. 2008): for one offset o,
//
//	e(p) = (v_p - v_{p+o})^2                        one pass over the tile
//	D(p) = sum_k a_k e(p+k)                         a separable filter of e
//	w(p) = 2^-max(0, scale D(p) + bias)             = w_{p,p+o} = w_{p+o,p}
//	num_p     += w(p) (v_{p+o} - v_p),  den_p     += w(p)
//	num_{p+o} += w(p) (v_p - v_{p+o}),  den_{p+o} += w(p)
//
// so that only half of the offsets are visited and the price of a pair does not
// grow with the volume of the patch. bilateral is the case of a patch of one
// voxel with the spatial weight in the bias.
//
// Per tile, planes of e filtered along x and y go through a ring as z rises;
// the last filter, along z, is done row by row just before the weights. All of
// it is row kernels (rows.go) on memory that fits the second-level cache.

// pairFilter is what the tiles of one run share.
type pairFilter struct {
	in      *volume.Volume
	out     *volume.Volume // its voxels are those of region
	region  volume.Region
	search  [3]int       // half width of the window
	patch   [3]int       // half width of the patch
	side    []float32    // a_k / a_0 for k = 1..f, along each axis that has a patch
	scale   float32      // of D, computed with a_0 = 1
	offsets []pairOffset // half of the window
	peak    bool         // mean needs the largest weight
	squares bool         // average squares (rician)
	lk      int          // 0, or the norm of the lk weighting
	// mean turns the sums of a voxel of value v into its new value. ok is false
	// where float32 sums cannot tell; isolated then does.
	mean     func(v float64, s pairSums) (value float64, ok bool)
	isolated func(b *block, x, y, z int) float64
}

type pairOffset struct {
	d    [3]int
	bias float32
}

// pairSums are the sums of one voxel over its neighbours.
type pairSums struct {
	num, den float64 // sum of w (v_j - v_i) and of w; for lk D stands for w
	peak     float64 // largest w; for lk, of -D; 0 unless asked for
	delta, n float64 // lk only: sum of v_j - v_i, and how many there are
}

// halfWindow lists the offsets that come after the middle in the order of
// memory: with their opposites they are the whole window.
func halfWindow(search [3]int, bias func(d [3]int) float64) []pairOffset {
	var half []pairOffset
	for z := 0; z <= search[2]; z++ {
		for y := -search[1]; y <= search[1]; y++ {
			for x := -search[0]; x <= search[0]; x++ {
				if z > 0 || y > 0 || (y == 0 && x > 0) {
					d := [3]int{x, y, z}
					half = append(half, pairOffset{d: d, bias: float32(bias(d))})
				}
			}
		}
	}
	return half
}

// tileSize balances halo (large tiles have less) against cache (small ones fit).
func (f *pairFilter) tileSize() [3]int {
	if f.search[2] == 0 && f.patch[2] == 0 {
		return [3]int{192, max(64, 4*f.search[1]), 1}
	}
	return [3]int{192, max(16, 2*f.search[1]), max(16, 2*f.search[2])}
}

// pairWorker is a worker's scratch memory.
type pairWorker struct {
	*pairFilter
	values  block     // v of the tile, its window and its patches
	squared []float32 // v^2, where squares are averaged
	tile    volume.Region
	sums    tileSums
	rows    volume.Region // the voxels p of the pairs (p, p+o) of the offset in hand
	width   int           // rows' voxels along x
	n       int           // width in whole groups
	diff    []float32     // e of one row, with the patch's reach at both ends
	along   planeRows     // a plane filtered along x, with the patch's reach in y
	ring    []planeRows   // planes filtered along x and y, at z mod 2f+1
	weight  []float32     // D, then w, of one row
	lkRows  lkRows
	far     farRows
}

func (f *pairFilter) newWorker() worker {
	w := &pairWorker{pairFilter: f, ring: make([]planeRows, 2*f.patch[2]+1)}
	return w.run
}

func (w *pairWorker) run(tile volume.Region, stop *atomic.Bool) {
	w.reset(tile)
	w.visit(w.addRow, stop)
	if w.manyIsolated() {
		w.relative(stop)
	}
	w.finish(stop)
}

// A rowAdder is given the row of distances of the pairs (p, p+o) at (y, z);
// here and there say whether their first and second ends are in the tile.
type rowAdder func(o pairOffset, distance []float32, y, z int, here, there bool)

// visit goes through the pairs of all offsets.
func (w *pairWorker) visit(add rowAdder, stop *atomic.Bool) {
	for _, o := range w.offsets {
		if stop.Load() {
			return
		}
		if w.rows = w.pairs(o.d); w.rows.Voxels() > 0 {
			w.offset(o, add)
		}
	}
}

// reset loads a tile and clears its sums.
func (w *pairWorker) reset(tile volume.Region) {
	w.tile = tile
	w.values.load(w.in, grow(tile.Grow(w.search, w.in.Geometry), w.patch))
	w.sums.reset(tile.Dims(), w.peak, w.lk > 0)
	if w.squares {
		w.squared = resize(w.squared, len(w.values.v))
		for i, v := range w.values.v {
			w.squared[i] = v * v
		}
	}
	if w.lk > 0 {
		w.lkRows.setUnit(w.values.v[:len(w.values.v)-lanes])
	}
	// The most rows and columns that any offset has.
	d := tile.Dims()
	width := whole(d[0]+w.search[0]) + lanes
	w.diff = resize(w.diff, width+2*w.patch[0])
	w.weight = resize(w.weight, width)
	w.along.resize(d[1]+w.search[1]+2*w.patch[1], width)
	for i := range w.ring {
		w.ring[i].resize(d[1]+w.search[1], width)
	}
	w.lkRows.resize(width)
}

// pairs is the box of voxels p for which p or p+d is in the tile and both are
// in the volume.
func (w *pairWorker) pairs(d [3]int) volume.Region {
	r := w.tile
	for c := range 3 {
		r.Min[c] = max(r.Min[c]-max(d[c], 0), 0, -d[c])
		r.Max[c] = min(r.Max[c]+max(-d[c], 0), w.in.Dims[c], w.in.Dims[c]-d[c])
	}
	return r
}

// offset goes through the pairs of one offset.
func (w *pairWorker) offset(o pairOffset, add rowAdder) {
	w.width = w.rows.Max[0] - w.rows.Min[0]
	w.n = whole(w.width)
	fz := w.patch[2]
	for z := w.rows.Min[2] - fz; z < w.rows.Max[2]+fz; z++ {
		w.filterPlane(o.d, z)
		if middle := z - fz; middle >= w.rows.Min[2] {
			w.finishPlane(o, middle, add)
		}
	}
}

// slot returns the ring's place for plane z.
func (w *pairWorker) slot(z int) *planeRows {
	n := len(w.ring)
	return &w.ring[((z%n)+n)%n]
}

// filterPlane puts e of plane z, filtered along x and y, into the ring.
func (w *pairWorker) filterPlane(d [3]int, z int) {
	fx, fy := w.patch[0], w.patch[1]
	to := w.slot(z)
	ny := w.rows.Max[1] - w.rows.Min[1]
	for k := range ny + 2*fy {
		y := w.rows.Min[1] - fy + k
		p := w.values.at(w.rows.Min[0]-fx, y, z)
		q := w.values.at(w.rows.Min[0]-fx+d[0], y+d[1], z+d[2])
		row := w.along.row(k)
		if fy == 0 {
			row = to.row(k)
		}
		if fx == 0 {
			w.difference(row, p, q, w.n)
			continue
		}
		w.difference(w.diff, p, q, whole(w.width+2*fx))
		mid := w.diff[fx:]
		for t, g := range w.side {
			addPair(row, mid, w.diff[fx-1-t:], w.diff[fx+1+t:], g, w.n)
			mid = row
		}
	}
	if fy == 0 {
		return
	}
	for k := range ny {
		row, mid := to.row(k), w.along.row(k+fy)
		for t, g := range w.side {
			addPair(row, mid, w.along.row(k+fy-1-t), w.along.row(k+fy+1+t), g, w.n)
			mid = row
		}
	}
}

// difference is e of one row: the voxels at p and q of the block, n of them.
func (w *pairWorker) difference(dst []float32, p, q, n int) {
	a, b := w.values.v[p:], w.values.v[q:]
	if w.lk > 0 {
		powerDiff(dst, a, b, w.lkRows.unit, w.lk, n)
		return
	}
	squareDiff(dst, a, b, n)
}

// finishPlane filters plane z of the ring along z and hands its rows on.
func (w *pairWorker) finishPlane(o pairOffset, z int, add rowAdder) {
	fz := w.patch[2]
	for k := range w.rows.Max[1] - w.rows.Min[1] {
		y := w.rows.Min[1] + k
		here, there := w.inTile(y, z), w.inTile(y+o.d[1], z+o.d[2])
		if !here && !there {
			continue
		}
		distance := w.slot(z).row(k)
		if fz > 0 {
			for t, g := range w.side {
				addPair(w.weight, distance, w.slot(z-1-t).row(k), w.slot(z+1+t).row(k), g, w.n)
				distance = w.weight
			}
		}
		add(o, distance, y, z, here, there)
	}
}

// addRow turns a row of distances into weights and adds them to the sums of
// both ends of its pairs.
func (w *pairWorker) addRow(o pairOffset, distance []float32, y, z int, here, there bool) {
	p, q := w.places(o, y, z)
	if w.lk > 0 {
		w.lkRows.fill(w.weight, distance, w.values.mask, p, q, w.width, w.n)
	} else {
		weigh(w.weight, distance, w.scale, o.bias, w.n)
		w.cutWeights(p, q)
	}
	u := w.averaged()
	if here {
		at, s, n := w.span(0, y, z)
		w.sums.add(at, n, w.weight[s:], u[p+s:], u[q+s:], w.lkRows.from(s))
	}
	if there {
		at, s, n := w.span(o.d[0], y+o.d[1], z+o.d[2])
		w.sums.add(at, n, w.weight[s:], u[q+s:], u[p+s:], w.lkRows.from(s))
	}
}

// places returns where the first and second ends of the row's first pair are in
// the block.
func (w *pairWorker) places(o pairOffset, y, z int) (p, q int) {
	x := w.rows.Min[0]
	return w.values.at(x, y, z), w.values.at(x+o.d[0], y+o.d[1], z+o.d[2])
}

// cutWeights takes away the weight of padding, and of what a whole group holds
// past the row's end.
func (w *pairWorker) cutWeights(p, q int) {
	if w.values.mask != nil {
		multiply(w.weight, w.values.mask[p:], w.values.mask[q:], w.n)
	}
	clear(w.weight[w.width : w.n+lanes])
}

// averaged is what the means are taken of.
func (w *pairWorker) averaged() []float32 {
	if w.squares {
		return w.squared
	}
	return w.values.v
}

// span is the part of the row whose ends (x+dx, y, z) are in the tile: its place
// in the sums, its first pair and its length in whole groups, 0 where it is
// empty.
func (w *pairWorker) span(dx, y, z int) (at, s, n int) {
	from := max(w.rows.Min[0]+dx, w.tile.Min[0])
	n = max(whole(min(w.rows.Max[0]+dx, w.tile.Max[0])-from), 0)
	return w.sums.at(from-w.tile.Min[0], y-w.tile.Min[1], z-w.tile.Min[2]), from - dx - w.rows.Min[0], n
}

func (w *pairWorker) inTile(y, z int) bool {
	return y >= w.tile.Min[1] && y < w.tile.Max[1] && z >= w.tile.Min[2] && z < w.tile.Max[2]
}
