// Package pairwise computes the fast paths of pairwise filters, nlm and bilateral:
// means with weights that depend on two voxels and are the same both ways. They are
// not computed voxel by voxel but offset by offset (Darbon et al. 2008): for one
// offset o,
//
//	e(p) = (v_p - v_{p+o})^2                        one pass over the tile
//	D(p) = sum_k a_k e(p+k)                         a separable filter of e
//	w(p) = 2^-max(0, scale D(p) + bias)             = w_{p,p+o} = w_{p+o,p}
//	num_p     += w(p) (v_{p+o} - v_p),  den_p     += w(p)
//	num_{p+o} += w(p) (v_p - v_{p+o}),  den_{p+o} += w(p)
//
// so that only half of the offsets are visited and the cost of a pair does not
// grow with the volume of the patch. bilateral is the case of a patch of one
// voxel with the spatial weight in the bias.
//
// In each tile, planes of e filtered along x and y go through a ring as z rises;
// the last filter, along z, is computed row by row just before the weights. All
// of it is row kernels (rows.go) on memory that fits the second-level cache. A patch
// of one voxel needs no planes: one kernel takes a row of pairs to the sums. On
// amd64 the row kernels have AVX2 forms in assembly that give the same bits as
// the Go loops.
//
// The package imports denoise, denoise/tile, volume and golang.org/x/sys/cpu.
package pairwise

import (
	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

const lanes = tile.Lanes

// Filter is what the tiles of one run share.
type Filter struct {
	In      denoise.Field
	Out     denoise.Field
	Search  [3]int    // half widths of the neighbourhood
	Patch   [3]int    // half widths of the patch
	Side    []float32 // a_k / a_0 for k = 1..f, along each axis that has a patch
	Scale   float64   // factor of D (computed with a_0 = 1) in the exponent, in the volume's unit to the power of -2
	Bias    float64   // added to the exponent of every weight
	Offsets []Offset  // half of the neighbourhood
	Peak    bool      // Mean needs the largest weight
	Squares bool      // average squares (rician)
	LK      int       // 0, or the norm of the lk weighting

	// Guides, if there are any, are compared instead of In, while the voxels of In are
	// averaged: e(p) = sum of Gain (g_p - g_{p+o})^2 over the guides g. The first has
	// the gain 1.
	Guides []Guide

	Select *Selection // which pairs count; nil for all

	// Mean converts the sums of a voxel of value v into its new value. All of them
	// are in the tile's unit: values were multiplied by unit, a power of two that
	// is 1 for all ordinary volumes. ok is false if float32 sums do not determine
	// the value; Faint then computes it.
	Mean  func(v, unit float64, s Sums) (value float64, ok bool)
	Faint func(b *tile.Block, unit float64, x, y, z int) float64
}

// Guide is a field of the dims of Filter.In and how much its differences count.
type Guide struct {
	Field denoise.Field
	Gain  float32
}

// Offset is a difference of positions and its addition to the exponent of the
// weight.
type Offset struct {
	d    [3]int
	bias float64
}

// Sums are the sums of one voxel over its neighbours.
type Sums struct {
	Num, Den float64 // sum of w (v_j - v_i) and of w; for lk D stands for w
	Peak     float64 // largest w; for lk, of -D; 0 unless asked for
	Delta, N float64 // lk only: sum of v_j - v_i, and the number of neighbours
}

// HalfNeighbourhood lists the offsets that come after the middle in the order of
// memory: with their opposites they are the whole neighbourhood.
func HalfNeighbourhood(search [3]int, bias func(d [3]int) float64) []Offset {
	var half []Offset
	for z := 0; z <= search[2]; z++ {
		for y := -search[1]; y <= search[1]; y++ {
			for x := -search[0]; x <= search[0]; x++ {
				if z > 0 || y > 0 || (y == 0 && x > 0) {
					d := [3]int{x, y, z}
					half = append(half, Offset{d: d, bias: bias(d)})
				}
			}
		}
	}
	return half
}

// TileSize balances halo (small in large tiles) against cache (small tiles fit).
func TileSize(search, patch [3]int) [3]int {
	if search[2] == 0 && patch[2] == 0 {
		return [3]int{192, max(64, 4*search[1]), 1}
	}
	least := 16
	if patch == [3]int{} {
		least = 24 // without planes of distances there is room for more
	}
	return [3]int{192, max(least, 2*search[1]), max(least, 2*search[2])}
}

// Nanoseconds of one core, measured on a server core of 3 GHz.
const (
	nsPair       = 1.6  // an unordered pair of voxels, with vector code
	nsPatchTap   = 0.25 // one more addPair on it
	nsPlainRatio = 4.5  // the ratio of times without and with vector code
)

// NanosecondsLK is what the weights of lk add to Nanoseconds: their distances are summed
// in float64, without vector code.
const NanosecondsLK = 10

// Nanoseconds returns the time that one core takes for an unordered pair of
// voxels with that many side taps.
func Nanoseconds(taps int) float64 {
	pair := nsPair
	if !vector() {
		pair *= nsPlainRatio
	}
	return pair * (1 + nsPatchTap/nsPair*float64(taps))
}

// worker is the scratch memory of one worker.
type worker struct {
	*Filter
	values  tile.Block   // v of the tile, its neighbourhood and its patches, times unit
	guides  []tile.Block // likewise
	unit    float64      // see setUnit
	scale   float32      // Scale for values in this unit
	bias    float32      // Bias
	shrink  float64      // factor of the biases of offsets, see biasOf
	squared []float32    // v^2, if squares are averaged
	tile    volume.Region
	sums    tileSums
	rows    volume.Region // the voxels p of the pairs (p, p+o) of the current offset
	width   int           // voxels of rows along x
	n       int           // width rounded up
	diff    []float32     // e of one row, with the patch's reach at both ends
	along   planeRows     // a plane filtered along x, with the patch's reach in y
	ring    []planeRows   // planes filtered along x and y, at z mod 2f+1
	weight  []float32     // D, then w, of one row
	lkRows  lkRows
	faint   faintRows
	chosen  chosenPairs
}

// NewWorker returns a worker with scratch memory of its own.
func (f *Filter) NewWorker() denoise.Worker {
	w := &worker{Filter: f, ring: make([]planeRows, 2*f.Patch[2]+1), guides: make([]tile.Block, len(f.Guides))}
	return w.run
}

func (w *worker) run(t volume.Region, stop func() bool) {
	w.reset(t)
	if w.single() {
		w.visit(w.addPairs, stop)
	} else {
		w.visit(w.eachRow(w.addRow), stop)
	}
	if w.manyFaint() {
		w.rescale(stop)
	}
	w.finish(stop)
}

// A rowAdder processes the row of distances of the pairs (p, p+o) at (y, z);
// here and there state whether their first and second ends are in the tile.
type rowAdder func(o Offset, distance []float32, y, z int, here, there bool)

// visit calls process with every offset with pairs that touch the tile.
func (w *worker) visit(process func(o Offset), stop func() bool) {
	for _, o := range w.Offsets {
		if stop() {
			return
		}
		if w.rows = w.pairs(o.d); w.rows.Voxels() > 0 {
			w.width = w.rows.Max[0] - w.rows.Min[0]
			w.n = tile.RoundUp(w.width)
			process(o)
		}
	}
}

// eachRow returns the function that passes the rows of an offset to add.
func (w *worker) eachRow(add rowAdder) func(o Offset) {
	if w.Select != nil {
		return func(o Offset) { w.selectedOffset(o, add) }
	}
	return func(o Offset) { w.offset(o, add) }
}

// reset loads a tile and clears its sums.
func (w *worker) reset(t volume.Region) {
	w.tile = t
	box := tile.Grow(w.In.Around(t, w.Search), w.Patch)
	w.values.Load(&w.In, box)
	for i := range w.guides {
		w.guides[i].Load(&w.Guides[i].Field, box)
	}
	w.setUnit()
	w.sums.reset(t.Dims(), w.Search[0], w.Peak, w.LK > 0)
	if w.Squares {
		w.squared = tile.Resize(w.squared, len(w.values.Values))
		for i, v := range w.values.Values {
			w.squared[i] = v * v
		}
	}
	if w.LK > 0 {
		w.lkRows.setUnit(w.values.Values[:len(w.values.Values)-lanes])
	}
	// The largest number of rows and columns of any offset.
	d := t.Dims()
	width := tile.RoundUp(d[0]+w.Search[0]) + lanes
	w.diff = tile.Resize(w.diff, width+2*w.Patch[0])
	w.weight = tile.Resize(w.weight, width)
	w.along.resize(d[1]+w.Search[1]+2*w.Patch[1], width)
	for i := range w.ring {
		w.ring[i].resize(d[1]+w.Search[1], width)
	}
	w.lkRows.resize(width)
	if w.Select != nil {
		w.chosen.reset(w)
	}
}

// pairs is the box of voxels p for which p or p+d is in the tile and both are
// in the volume.
func (w *worker) pairs(d [3]int) volume.Region {
	r := w.tile
	for c := range 3 {
		r.Min[c] = max(r.Min[c]-max(d[c], 0), 0, -d[c])
		r.Max[c] = min(r.Max[c]+max(-d[c], 0), w.In.Dims[c], w.In.Dims[c]-d[c])
	}
	return r
}

// offset processes the pairs of one offset.
func (w *worker) offset(o Offset, add rowAdder) {
	fz := w.Patch[2]
	for z := w.rows.Min[2] - fz; z < w.rows.Max[2]+fz; z++ {
		w.filterPlane(o.d, z)
		if middle := z - fz; middle >= w.rows.Min[2] {
			w.finishPlane(o, middle, add)
		}
	}
}

// single reports whether pairs are weighed by their own difference alone.
func (w *worker) single() bool {
	return w.Patch == [3]int{} && len(w.guides) == 0 && w.LK == 0 && !w.Peak && !w.Squares && w.Select == nil && w.values.Mask == nil
}

// addPairs processes the pairs of one offset if they are single: from the voxels to the
// sums of both ends in one step, without a row of distances or weights. The sums of an
// end outside the tile go into spare rows, which are not used. Pairs with both ends in
// one row have sums that overlap, and go the way of all others.
func (w *worker) addPairs(o Offset) {
	v, bias := w.values.Values, w.biasOf(o)
	for z := w.rows.Min[2]; z < w.rows.Max[2]; z++ {
		for y := w.rows.Min[1]; y < w.rows.Max[1]; y++ {
			here, there := w.inTile(y, z), w.inTile(y+o.d[1], z+o.d[2])
			p, q := w.positions(o, y, z)
			switch {
			case !here && !there:
			case o.d[1] == 0 && o.d[2] == 0:
				squareDiff(w.diff, v[p:], v[q:], w.n)
				w.addRow(o, w.diff, y, z, here, there)
			default:
				numA, denA, numB, denB := w.diff, w.weight, w.diff, w.weight
				if here {
					at := w.end(0, y, z)
					numA, denA = w.sums.num[at:], w.sums.den[at:]
				}
				if there {
					at := w.end(o.d[0], y+o.d[1], z+o.d[2])
					numB, denB = w.sums.num[at:], w.sums.den[at:]
				}
				addPairs(numA, denA, numB, denB, v[p:], v[q:], w.scale, bias, w.width)
			}
		}
	}
}

// slot returns the position of plane z in the ring.
func (w *worker) slot(z int) *planeRows {
	n := len(w.ring)
	return &w.ring[((z%n)+n)%n]
}

// filterPlane puts e of plane z, filtered along x and y, into the ring.
func (w *worker) filterPlane(d [3]int, z int) {
	fx, fy := w.Patch[0], w.Patch[1]
	to := w.slot(z)
	ny := w.rows.Max[1] - w.rows.Min[1]
	for k := range ny + 2*fy {
		y := w.rows.Min[1] - fy + k
		p := w.values.At(w.rows.Min[0]-fx, y, z)
		q := w.values.At(w.rows.Min[0]-fx+d[0], y+d[1], z+d[2])
		row := w.along.row(k)
		if fy == 0 {
			row = to.row(k)
		}
		if fx == 0 {
			w.difference(row, p, q, w.n)
			continue
		}
		w.difference(w.diff, p, q, tile.RoundUp(w.width+2*fx))
		mid := w.diff[fx:]
		for t, g := range w.Side {
			addPair(row, mid, w.diff[fx-1-t:], w.diff[fx+1+t:], g, w.n)
			mid = row
		}
	}
	if fy == 0 {
		return
	}
	for k := range ny {
		row, mid := to.row(k), w.along.row(k+fy)
		for t, g := range w.Side {
			addPair(row, mid, w.along.row(k+fy-1-t), w.along.row(k+fy+1+t), g, w.n)
			mid = row
		}
	}
}

// difference computes e of one row, from n voxels at positions p and q of the
// block.
func (w *worker) difference(dst []float32, p, q, n int) {
	if len(w.guides) > 0 {
		squareDiff(dst, w.guides[0].Values[p:], w.guides[0].Values[q:], n)
		for i, g := range w.guides[1:] {
			addSquareDiff(dst, g.Values[p:], g.Values[q:], w.Guides[i+1].Gain, n)
		}
		return
	}
	a, b := w.values.Values[p:], w.values.Values[q:]
	if w.LK > 0 {
		powerDiff(dst, a, b, w.lkRows.unit, w.LK, n)
		return
	}
	squareDiff(dst, a, b, n)
}

// finishPlane filters plane z of the ring along z and passes its rows to add.
func (w *worker) finishPlane(o Offset, z int, add rowAdder) {
	fz := w.Patch[2]
	for k := range w.rows.Max[1] - w.rows.Min[1] {
		y := w.rows.Min[1] + k
		here, there := w.inTile(y, z), w.inTile(y+o.d[1], z+o.d[2])
		if !here && !there {
			continue
		}
		distance := w.slot(z).row(k)
		if fz > 0 {
			for t, g := range w.Side {
				addPair(w.weight, distance, w.slot(z-1-t).row(k), w.slot(z+1+t).row(k), g, w.n)
				distance = w.weight
			}
		}
		add(o, distance, y, z, here, there)
	}
}

// addRow turns a row of distances into weights and adds them to the sums of
// both ends of its pairs.
func (w *worker) addRow(o Offset, distance []float32, y, z int, here, there bool) {
	p, q := w.positions(o, y, z)
	if w.LK > 0 {
		w.lkRows.fill(w.weight, distance, w.values.Mask, p, q, w.width, w.n)
	} else {
		weigh(w.weight, distance, w.scale, w.biasOf(o), w.n)
		w.clearUnused(p, q)
	}
	u := w.averaged()
	first, second := w.end(0, y, z), w.end(o.d[0], y+o.d[1], z+o.d[2])
	if here && there && w.LK == 0 && (o.d[1] != 0 || o.d[2] != 0) {
		w.sums.addBoth(first, second, w.n, w.weight, u[p:], u[q:])
		return
	}
	if here {
		w.sums.add(first, w.n, w.weight, u[p:], u[q:], &w.lkRows)
	}
	if there {
		w.sums.add(second, w.n, w.weight, u[q:], u[p:], &w.lkRows)
	}
}

// positions returns the positions in the block of the first and second ends of
// the row's first pair.
func (w *worker) positions(o Offset, y, z int) (p, q int) {
	x := w.rows.Min[0]
	return w.values.At(x, y, z), w.values.At(x+o.d[0], y+o.d[1], z+o.d[2])
}

// clearUnused sets the weights of excluded voxels and of pairs that are not selected
// to 0, and those past the row's end.
func (w *worker) clearUnused(p, q int) {
	if w.Select != nil {
		keep(w.weight, w.chosen.row, w.n)
	}
	if w.values.Mask != nil {
		multiply(w.weight, w.values.Mask[p:], w.values.Mask[q:], w.n)
	}
	clear(w.weight[w.width : w.n+lanes])
}

// averaged returns the values to be averaged.
func (w *worker) averaged() []float32 {
	if w.Squares {
		return w.squared
	}
	return w.values.Values
}

// end returns the position in the sums of one end of the row's first pair: dx from it
// in the row at y and z.
func (w *worker) end(dx, y, z int) int {
	return w.sums.at(w.rows.Min[0]+dx-w.tile.Min[0], y-w.tile.Min[1], z-w.tile.Min[2])
}

// span returns the part of the row with ends (x+dx, y, z) are in the tile: its
// position in the sums, its first pair and its length rounded up, 0 if it is empty.
func (w *worker) span(dx, y, z int) (at, s, n int) {
	from := max(w.rows.Min[0]+dx, w.tile.Min[0])
	n = max(tile.RoundUp(min(w.rows.Max[0]+dx, w.tile.Max[0])-from), 0)
	return w.sums.at(from-w.tile.Min[0], y-w.tile.Min[1], z-w.tile.Min[2]), from - dx - w.rows.Min[0], n
}

func (w *worker) inTile(y, z int) bool {
	return y >= w.tile.Min[1] && y < w.tile.Max[1] && z >= w.tile.Min[2] && z < w.tile.Max[2]
}
