package bnlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/pairwise"
	"quell/denoise/tile"
	"quell/volume"
)

const lanes = tile.Lanes

// tileSize is long along x, where rows are processed by vectors. Blocks at the rim of a
// tile are computed by its neighbours too, which long and deep tiles do rarely.
func tileSize(p Params) [3]int {
	if p.Search[2] == 0 && p.Radius[2] == 0 {
		return [3]int{254, 48, 1}
	}
	return [3]int{174, 46, 64}
}

// scratch estimates the memory of a worker: voxels, means and deviations with halo, and
// the weights of a plane of blocks, or seven rows of them.
func scratch(p Params, dims, size [3]int) int64 {
	var reach [3]int
	blocks := int64(1)
	for c := range 2 {
		blocks *= int64(min(size[c], dims[c])/p.Step[c] + 2)
	}
	if p.common() {
		blocks = 7 * int64(min(size[0], dims[0])/p.Step[0]+2+lanes)
	}
	for c := range reach {
		reach[c] = 2*p.Radius[c] + p.Search[c]
	}
	return tile.Bytes(dims, size, reach, 24) + 4*blocks*int64(len(p.candidates()))
}

// worker computes tiles, plane of blocks after plane of blocks: common blocks row by row
// (rowwise), all others here. For one plane and every candidate's offset d it computes the
// weights of all blocks of the plane and the blocks at d from them, in rows along x
// (weigh), and when the sums of the weights are known adds what the blocks give to the
// voxels under them (give).
//
// A row of voxels is stored as Step rows of every Step-th voxel, so that the voxels
// under a row of blocks are side by side. The result does not depend on the tile: a
// block has the same weights in each, and the sums of a voxel have one order.
type worker struct {
	Params
	in      []denoise.Field
	out     denoise.Field
	rowwise *rowwise // for common blocks, else nil
	offsets [][3]int
	margin  int // voxels before the first block along x that rows begin with, a multiple of Step
	lead    int // places before the first block in a row of voxels under blocks

	tile                    volume.Region
	unit                    float64 // factor of the tile's values, see setUnit
	scale                   float32 // of a sum of squares in this unit, in the exponent of a weight
	first, blocks           [3]int  // the blocks that reach the tile: the first index, their number
	origin                  [3]int  // of the stored voxels; along x of the first row
	rows                    [2]int  // stored voxels along y and z
	length                  int     // of a stored row
	values, mean, deviation []float32
	block                   tile.Block

	ownMean, ownDeviation []float32 // of the blocks, dense rows
	bits                  []byte    // of the rows of blocks at one offset
	sets                  []uint64  // of each row: the groups that have a block
	column                []float32 // sums of squares under rows of voxels
	distance              []float32
	weights               []float32 // by offset and row of blocks
	present               []bool    // likewise: some weight is above 0
	den, peak, inverse    []float32 // of the rows of blocks
	shares                []float32 // weights times inverse, by row of blocks
	under, side           []float32 // shares under a row of voxels, and under every Step-th voxel
	acc                   []float32 // what blocks give to the tile's voxels, by row and phase
}

func newWorker(p Params, in []denoise.Field, out denoise.Field) *worker {
	w := &worker{Params: p, in: in, out: out, offsets: p.candidates()}
	if p.common() {
		w.rowwise = newRowwise(&w.Params)
		w.offsets = w.rowwise.offsets()
	}
	n := p.Step[0]
	w.lead = (p.Radius[0] + n - 1) / n
	w.margin = (p.Radius[0] + p.Search[0] + n*w.lead + n - 1) / n * n
	return w
}

func (w *worker) run(t volume.Region, stop func() bool) {
	w.load(t)
	for k := range w.blocks[2] {
		if w.rowwise != nil {
			if !w.rowwise.plane(w, k, stop) {
				return
			}
			continue
		}
		if stop() || !w.weigh(k, stop) {
			return
		}
		w.normalise(k)
		if !w.give(k, stop) {
			return
		}
	}
	w.finish()
}

// load stores the voxels of a tile and what is around its blocks.
func (w *worker) load(t volume.Region) {
	v := &w.in[0]
	w.tile = t
	var box volume.Region
	for c := range 3 {
		first, last := w.Blocks(c, t.Min[c], t.Max[c], v.Dims[c])
		w.first[c], w.blocks[c] = first, last-first+1
		around := w.Radius[c] + w.Search[c]
		box.Min[c], box.Max[c] = w.Step[c]*first-around, w.Step[c]*last+around+1
	}
	w.origin = box.Min
	w.origin[0] = w.Step[0]*w.first[0] - w.margin
	size := box.Dims()
	w.rows = [2]int{size[1], size[2]}
	w.length = tile.RoundUp(w.blocks[0]+2*w.lead) + 2*w.margin/w.Step[0] + 2

	n := w.stride() * size[1] * size[2]
	w.values = tile.Resize(w.values, n+w.stride()+lanes) // and a row, which is read and not used
	if w.selects() {
		w.loadSurroundings(box, n)
	}
	w.block.Load(v, box)
	w.setUnit()
	w.fillRows(w.values, float32(w.unit))
	if w.selects() {
		w.excludeBlocks()
	}

	row := tile.RoundUp(w.blocks[0])
	w.bits = tile.Resize(w.bits, row/lanes*w.blocks[1])
	w.sets = tile.Resize(w.sets, w.blocks[1])
	d := t.Dims()
	w.acc = tile.Resize(w.acc, d[1]*d[2]*w.Step[0]*w.wide())
	clear(w.acc)
	if w.rowwise != nil {
		w.rowwise.load(w)
		return
	}
	w.column = tile.Resize(w.column, row*size[1])
	w.distance = tile.Resize(w.distance, row)
	w.present = tile.Resize(w.present, len(w.offsets)*w.blocks[1])
	for _, s := range []*[]float32{&w.den, &w.peak, &w.inverse} {
		*s = tile.Resize(*s, row*w.blocks[1])
	}
	w.weights = tile.Resize(w.weights, len(w.offsets)*w.blocks[1]*row)
	// Rows of shares have zeros on both sides of the blocks.
	w.shares = tile.Resize(w.shares, w.wide()*w.blocks[1])
	clear(w.shares)
	w.under, w.side = tile.Resize(w.under, w.wide()), tile.Resize(w.side, w.wide())
}

// selects reports whether the pairs that are used are not simply those with both blocks
// in the volume, so that means and deviations are needed.
func (w *worker) selects() bool {
	return w.Select != nil || w.in[0].Mask != nil || w.rowwise == nil
}

// loadSurroundings stores the n means and deviations of a box.
func (w *worker) loadSurroundings(box volume.Region, n int) {
	w.mean, w.deviation = tile.Resize(w.mean, n+lanes), tile.Resize(w.deviation, n+lanes)
	blocks := tile.RoundUp(w.blocks[0]) * w.blocks[1] * w.blocks[2]
	w.ownMean, w.ownDeviation = tile.Resize(w.ownMean, blocks), tile.Resize(w.ownDeviation, blocks)
	if w.Select != nil {
		w.block.Load(&w.in[1], box)
		w.fillRows(w.mean, 1)
		w.block.Load(&w.in[2], box)
		w.fillRows(w.deviation, 1)
	} else {
		tile.Fill(w.mean, 1)
		tile.Fill(w.deviation, 1)
	}
	for i := range w.blocks[1] * w.blocks[2] {
		from := w.at(w.rowOf(1, i%w.blocks[1]), w.rowOf(2, i/w.blocks[1]), 0)
		to := tile.RoundUp(w.blocks[0])
		copy(w.ownMean[i*to:(i+1)*to], w.mean[from:])
		copy(w.ownDeviation[i*to:(i+1)*to], w.deviation[from:])
	}
}

// wide is the length of a row that has places for voxels on both sides of the blocks.
func (w *worker) wide() int { return tile.RoundUp(w.blocks[0]+2*w.lead) + 2*w.lead + lanes }

// stride is the length of a row of voxels: Step rows of every Step-th voxel.
func (w *worker) stride() int { return w.length * w.Step[0] }

// rowOf returns the stored row, along y or z, of the middles of the k-th blocks.
func (w *worker) rowOf(c, k int) int { return w.Step[c]*(w.first[c]+k) - w.origin[c] }

// at returns the position of the voxel at distance o along x from the middle of the
// first block, in stored row (y, z). Those of the next blocks follow.
func (w *worker) at(y, z, o int) int {
	n := w.Step[0]
	o += w.margin
	return (z*w.rows[0]+y)*w.stride() + o%n*w.length + o/n
}

// setUnit chooses the tile's unit, a power of 2, which changes no bit of a result: the
// one that brings the strength near 1, unless float32 would not hold squares of values.
func (w *worker) setUnit() {
	_, e := math.Frexp(w.H)
	w.unit = math.Ldexp(1, pairwise.Shift(w.block.Values[:len(w.block.Values)-lanes], -e))
	w.scale = float32(min(w.perUnit()/w.unit/w.unit, math.MaxFloat32))
}

// fillRows stores the values of the block in rows of every Step-th voxel.
func (w *worker) fillRows(to []float32, unit float32) {
	clear(to)
	d, n := w.block.Dims, w.Step[0]
	skip := w.block.Box.Min[0] - w.origin[0]
	for i := range d[1] * d[2] {
		row := to[i*w.stride() : (i+1)*w.stride()]
		from := w.block.Values[i*d[0] : (i+1)*d[0]]
		for phase := range n {
			o := (phase + n - skip%n) % n // the first voxel of this phase
			if o >= len(from) {
				continue
			}
			from := from[o:]
			at := row[phase*w.length+(skip+o)/n:][:(len(from)+n-1)/n]
			for k := range at {
				at[k] = from[k*n] * unit
			}
		}
	}
}

// excludeBlocks marks the middles of blocks that are not used, those outside the volume
// and those with an excluded sample, by a mean that nothing is like.
func (w *worker) excludeBlocks() {
	nan := float32(math.NaN())
	v, box, n := &w.in[0], w.block.Box, w.Step[0]
	for i := range w.rows[0] * w.rows[1] {
		y, z := box.Min[1]+i%w.rows[0], box.Min[2]+i/w.rows[0]
		row := w.mean[i*w.stride() : (i+1)*w.stride()]
		inside := y >= 0 && y < v.Dims[1] && z >= 0 && z < v.Dims[2]
		if !inside {
			tile.Fill(row, nan)
			continue
		}
		for o := 0; o < w.stride(); o++ {
			if x := w.origin[0] + o; x >= 0 && x < v.Dims[0] && v.Mask == nil {
				o += v.Dims[0] - 1 - x // all of them are used
				continue
			}
			x := w.origin[0] + o
			if x < 0 || x >= v.Dims[0] || v.Mask != nil && !w.complete(x, y, z) {
				row[o%n*w.length+o/n] = nan
			}
		}
	}
}

// complete reports whether no sample of the block at (x, y, z) is excluded. Blocks that
// reach out of the stored voxels are not looked at and count as incomplete.
func (w *worker) complete(x, y, z int) bool {
	for c, i := range [3]int{x, y, z} {
		if i-w.Radius[c] < w.block.Box.Min[c] || i+w.Radius[c] >= w.block.Box.Max[c] {
			return false
		}
	}
	for oz := -w.Radius[2]; oz <= w.Radius[2]; oz++ {
		for oy := -w.Radius[1]; oy <= w.Radius[1]; oy++ {
			at := w.block.At(x, y+oy, z+oz)
			for _, m := range w.block.Mask[at-w.Radius[0] : at+w.Radius[0]+1] {
				if m == 0 {
					return false
				}
			}
		}
	}
	return true
}

// finish writes the tile's voxels.
func (w *worker) finish() {
	t, v := w.tile, &w.in[0]
	n := w.Step[0]
	var parts [3][]float64 // one over the number of blocks that reach a voxel, along each axis
	for c := range 3 {
		for x := t.Min[c]; x < t.Max[c]; x++ {
			first, last := w.Blocks(c, x, x+1, v.Dims[c])
			parts[c] = append(parts[c], 1/float64(last-first+1))
		}
	}
	for z := range parts[2] {
		for y := range parts[1] {
			to, from := w.out.Index(t.Min[0], t.Min[1]+y, t.Min[2]+z), v.Index(t.Min[0], t.Min[1]+y, t.Min[2]+z)
			row := (z*len(parts[1]) + y) * n * w.wide()
			o := t.Min[0] - n*w.first[0] + n*w.lead
			part := parts[1][y] * parts[2][z] / w.unit
			for phase := range n {
				first := (phase + n - o%n) % n // the first voxel of this phase
				sums := w.acc[row+phase*w.wide()+(o+first)/n:]
				for i, x := 0, first; x < len(parts[0]); i, x = i+1, x+n {
					if w.out.Mask == nil || w.out.Mask[to+x] {
						w.out.Data[to+x] = float32(float64(v.Data[from+x]) + float64(sums[i])*(parts[0][x]*part))
					}
				}
			}
		}
	}
}

// exact computes the shares of a block in float64, by the definition: its weights are far
// below what float32 holds, but it is their ratios that count. weight returns that at the
// i-th offset, nil if there is none.
func (w *worker) exact(block [3]int, weight func(i int) *float32) {
	var k [3]int
	for c := range k {
		k[c] = w.Step[c] * (w.first[c] + block[c])
	}
	var used []*float32
	var exponents []float64
	least := math.Inf(1)
	for i, d := range w.offsets {
		at := weight(i)
		if at == nil || *at == 0 {
			continue
		}
		e := w.exactDistance(k, [3]int{k[0] + d[0], k[1] + d[1], k[2] + d[2]}) / (w.H * w.H)
		used, exponents = append(used, at), append(exponents, e)
		least = min(least, e)
	}
	den := 1.0
	for _, e := range exponents {
		den += math.Exp(least - e)
	}
	for i, at := range used {
		*at = 0
		if math.Exp(-least) > 0 {
			*at = float32(math.Exp(least-exponents[i]) / den)
		}
	}
}

// exactDistance is D between the blocks at k and j.
func (w *worker) exactDistance(k, j [3]int) float64 {
	s := 0.0
	for oz := -w.Radius[2]; oz <= w.Radius[2]; oz++ {
		for oy := -w.Radius[1]; oy <= w.Radius[1]; oy++ {
			a, b := w.block.At(k[0], k[1]+oy, k[2]+oz), w.block.At(j[0], j[1]+oy, j[2]+oz)
			for ox := -w.Radius[0]; ox <= w.Radius[0]; ox++ {
				d := float64(w.block.Values[a+ox]) - float64(w.block.Values[b+ox])
				s += d * d
			}
		}
	}
	return s / tile.Count(w.Radius)
}

// normalise computes what the weights of the z-th plane are multiplied by.
func (w *worker) normalise(z int) {
	row := tile.RoundUp(w.blocks[0])
	for y := range w.blocks[1] {
		for x := range w.blocks[0] {
			w.inverse[y*row+x] = w.inverseOf(w.den[y*row+x], w.peak[y*row+x], [3]int{x, y, z}, func(i int) *float32 {
				if !w.present[i*w.blocks[1]+y] {
					return nil
				}
				return &w.weights[(i*w.blocks[1]+y)*row+x]
			})
		}
		clear(w.inverse[y*row+w.blocks[0] : (y+1)*row])
	}
}

// inverseOf returns what the weights of a block are multiplied by, so that they and the
// largest once more, for the block itself, have the sum 1.
func (w *worker) inverseOf(den, peak float32, block [3]int, weight func(i int) *float32) float32 {
	switch {
	case den == 0:
		return 0
	case peak < pairwise.FaintPeak:
		w.exact(block, weight)
		return 1
	}
	return float32(1 / (float64(den) + float64(peak)))
}
