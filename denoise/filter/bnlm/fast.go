package bnlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/pairwise"
	"quell/denoise/tile"
	"quell/volume"
)

const lanes = tile.Lanes

// tileSize is long along x, as rows are processed by vectors. Blocks at the rim of a
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

	tile, box               volume.Region // and the surroundings of its blocks, which may reach outside the volume
	unit                    float64       // factor of the tile's values, see loadValues
	scale                   float32       // of a sum of squares in this unit, in the exponent of a weight
	first, blocks           [3]int        // the blocks that reach the tile: the first index, their number
	origin                  [3]int        // of the stored voxels; along x of the first row
	rows                    [2]int        // stored voxels along y and z
	length                  int           // of a stored row
	values, mean, deviation []float32
	block                   tile.Block // of the mask, if there is one

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
	acc                   []float32 // what blocks give to voxels, by row and phase
	sums                  struct {
		from, rows [2]int // the rows along y and z that acc has
	}
	used      []*float32
	exponents []float64 // of the weights used, of one block: see exact
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

// wide is the length of a row that has places for voxels on both sides of the blocks.
func (w *worker) wide() int { return tile.RoundUp(w.blocks[0]+2*w.lead) + 2*w.lead + lanes }

// stride is the length of a row of voxels: Step rows of every Step-th voxel.
func (w *worker) stride() int { return w.length * w.Step[0] }

// sumsAt returns the position in acc of the row of that phase of voxels at y and z.
func (w *worker) sumsAt(y, z, phase int) int {
	return (((z-w.sums.from[1])*w.sums.rows[0]+y-w.sums.from[0])*w.Step[0] + phase) * w.wide()
}

// rowOf returns the stored row, along y or z, of the middles of the k-th blocks.
func (w *worker) rowOf(c, k int) int { return w.Step[c]*(w.first[c]+k) - w.origin[c] }

// at returns the position of the voxel at distance o along x from the middle of the
// first block, in stored row (y, z). The next blocks follow.
func (w *worker) at(y, z, o int) int {
	return (z*w.rows[0]+y)*w.stride() + w.place(o+w.margin)
}

// exact computes the shares of a block in float64, by the definition: its weights are far
// below what float32 holds, but it is their ratios that count. weight returns that at the
// i-th offset, nil if there is none.
func (w *worker) exact(block [3]int, weight func(i int) *float32) {
	var k [3]int
	for c := range k {
		k[c] = w.Step[c] * (w.first[c] + block[c])
	}
	used, exponents := w.used[:0], w.exponents[:0]
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
	w.used, w.exponents = used, exponents
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
			for ox := -w.Radius[0]; ox <= w.Radius[0]; ox++ {
				a, b := w.valueAt(k, ox, oy, oz), w.valueAt(j, ox, oy, oz)
				d := (float64(a) - float64(b)) / w.unit
				s += d * d
			}
		}
	}
	return s / tile.Count(w.Radius)
}

// valueAt returns the voxel at i + (ox, oy, oz), in the tile's unit.
func (w *worker) valueAt(i [3]int, ox, oy, oz int) float32 {
	return w.values[w.at(i[1]+oy-w.origin[1], i[2]+oz-w.origin[2], i[0]+ox-w.origin[0]-w.margin)]
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

// finish writes the tile's voxels.
func (w *worker) finish() {
	t, v := w.tile, &w.in[0]
	var parts [3][]float64 // one over the number of blocks that reach a voxel, along each axis
	for c := range 3 {
		for x := t.Min[c]; x < t.Max[c]; x++ {
			first, last := w.Blocks(c, x, x+1, v.Dims[c])
			parts[c] = append(parts[c], 1/float64(last-first+1))
		}
	}
	for z := range parts[2] {
		for y := range parts[1] {
			w.finishRow(t.Min[1]+y, t.Min[2]+z, parts[0], parts[1][y]*parts[2][z]/w.unit)
		}
	}
}

// finishRow writes a row of voxels: sums times the part of the row and of the voxel.
func (w *worker) finishRow(y, z int, parts []float64, part float64) {
	sums := w.acc[w.sumsAt(y, z, 0):]
	n, wide := w.Step[0], w.wide()
	from := w.tile.Min[0]
	to, at := w.out.Index(from, y, z), w.in[0].Index(from, y, z)
	dst, v := w.out.Data[to:to+len(parts)], w.in[0].Data[at:at+len(parts)]
	o := from - n*w.first[0] + n*w.lead // of the first voxel in the row of sums
	for x := 0; x < len(parts); x++ {
		if pairs := w.pairs(parts[x:]); (o+x)%2 == 0 && pairs > 0 {
			k := (o + x) / 2
			merge(dst[x:], v[x:], sums[k:], sums[wide+k:], parts[x]*part, parts[x+1]*part, pairs)
			if x += 2 * pairs; x == len(parts) {
				break
			}
		}
		if w.out.Mask == nil || w.out.Mask[to+x] {
			dst[x] = float32(float64(v[x]) + float64(float64(sums[(o+x)%n*wide+(o+x)/n])*(parts[x]*part)))
		}
	}
}

// pairs returns how many pairs of voxels can be written at once: a multiple of half the
// lanes, 0 if voxels are excluded. All have the parts of the first, but perhaps for the
// last voxel.
func (w *worker) pairs(parts []float64) int {
	if w.out.Mask != nil || w.rowwise == nil {
		return 0
	}
	return max(len(parts)-1, 0) / 2 &^ (lanes/2 - 1)
}
