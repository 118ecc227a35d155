package bnlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/pairwise"
	"quell/denoise/tile"
	"quell/volume"
)

// load stores the voxels of a tile and of the surroundings of its blocks.
func (w *worker) load(t volume.Region) {
	v := &w.in[0]
	w.tile = t
	for c := range 3 {
		first, last := w.Blocks(c, t.Min[c], t.Max[c], v.Dims[c])
		w.first[c], w.blocks[c] = first, last-first+1
		around := w.Radius[c] + w.Search[c]
		w.box.Min[c], w.box.Max[c] = w.Step[c]*first-around, w.Step[c]*last+around+1
	}
	w.origin = w.box.Min
	w.origin[0] = w.Step[0]*w.first[0] - w.margin
	size := w.box.Dims()
	w.rows = [2]int{size[1], size[2]}
	w.length = tile.RoundUp(w.blocks[0]+2*w.lead) + 2*w.margin/w.Step[0] + 2

	n := w.stride() * size[1] * size[2]
	w.values = tile.Resize(w.values, n+w.stride()+lanes) // and a row, which is read and not used
	w.loadValues()
	if w.selects() {
		w.loadSurroundings(n)
		if v.Mask != nil {
			w.block.Load(v, w.box)
		}
		w.excludeBlocks()
	}

	row := tile.RoundUp(w.blocks[0])
	w.bits = tile.Resize(w.bits, row/lanes*w.blocks[1])
	w.sets = tile.Resize(w.sets, w.blocks[1])
	w.clearSums()
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

// clearSums makes room for the sums of the tile's voxels; of all that the blocks give to,
// if that is done row by row.
func (w *worker) clearSums() {
	for i, c := range []int{1, 2} {
		w.sums.from[i], w.sums.rows[i] = w.tile.Min[c], w.tile.Max[c]-w.tile.Min[c]
		if w.rowwise != nil {
			w.sums.from[i] = w.Step[c]*w.first[c] - w.Radius[c]
			w.sums.rows[i] = w.Step[c]*(w.blocks[c]-1) + 2*w.Radius[c] + 1
		}
	}
	w.sums.rows[0]++ // to which a row of blocks after the last would give
	w.acc = tile.Resize(w.acc, w.sums.rows[0]*w.sums.rows[1]*w.Step[0]*w.wide())
	clear(w.acc)
}

// selects reports whether the pairs that are used are not simply those with both blocks
// in the volume, so that means and deviations are needed.
func (w *worker) selects() bool {
	return w.Select != nil || w.in[0].Mask != nil || w.rowwise == nil
}

// loadSurroundings stores the n means and deviations of the box.
func (w *worker) loadSurroundings(n int) {
	w.mean, w.deviation = tile.Resize(w.mean, n+lanes), tile.Resize(w.deviation, n+lanes)
	blocks := tile.RoundUp(w.blocks[0]) * w.blocks[1] * w.blocks[2]
	w.ownMean, w.ownDeviation = tile.Resize(w.ownMean, blocks), tile.Resize(w.ownDeviation, blocks)
	if w.Select != nil {
		w.fill(w.mean, &w.in[1], 1)
		w.fill(w.deviation, &w.in[2], 1)
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

// loadValues stores the voxels in the tile's unit, a power of 2, which changes no bit of a
// result: the one that brings the strength near 1, unless float32 would not hold squares
// of values.
func (w *worker) loadValues() {
	_, e := math.Frexp(w.H)
	for shift, right := -e, false; !right; {
		w.unit = math.Ldexp(1, shift)
		largest := w.fill(w.values, &w.in[0], float32(w.unit))
		fits := pairwise.Shift(largest, -e)
		shift, right = fits, fits == shift
	}
	w.scale = float32(min(w.perUnit()/w.unit/w.unit, math.MaxFloat32))
}

// fill stores the voxels of the box times unit in rows of every Step-th voxel, and
// returns the size of the largest voxel.
func (w *worker) fill(to []float32, f *denoise.Field, unit float32) float32 {
	clear(to[w.stride()*w.rows[0]*w.rows[1]:])
	from, end := max(w.box.Min[0], 0), min(w.box.Max[0], f.Dims[0]) // in the volume
	largest := float32(0)
	for i := range w.rows[0] * w.rows[1] {
		row := to[i*w.stride() : (i+1)*w.stride()]
		y, z := volume.Mirror(w.box.Min[1]+i%w.rows[0], f.Dims[1]), volume.Mirror(w.box.Min[2]+i/w.rows[0], f.Dims[2])
		w.clearEnds(row)
		for x := w.box.Min[0]; x < w.box.Max[0]; x++ {
			if x == from {
				x = end - 1 // those in the volume are stored together
				continue
			}
			v := f.Data[f.Index(volume.Mirror(x, f.Dims[0]), y, z)]
			row[w.place(x-w.origin[0])] = v * unit
			largest = max(largest, v, -v)
		}
		at := f.Index(from, y, z)
		largest = max(largest, w.fillRow(row, from-w.origin[0], f.Data[at:at+end-from], unit))
	}
	return largest
}

// clearEnds clears the places of a row before and after the box.
func (w *worker) clearEnds(row []float32) {
	n := w.Step[0]
	for phase := range n {
		part := row[phase*w.length : (phase+1)*w.length]
		places := func(x int) int { return (x - w.origin[0] - phase + n - 1) / n }
		clear(part[:places(w.box.Min[0])])
		clear(part[places(w.box.Max[0]):])
	}
}

// place returns the position in a row of its o-th voxel.
func (w *worker) place(o int) int { return o%w.Step[0]*w.length + o/w.Step[0] }

// fillRow stores voxels times unit from the o-th of a row on, and returns the size of the
// largest.
func (w *worker) fillRow(row []float32, o int, from []float32, unit float32) float32 {
	largest := float32(0)
	for i := 0; i < len(from); i++ {
		if pairs := (len(from) - i) / 2 &^ (lanes - 1); w.Step[0] == 2 && (o+i)%2 == 0 && pairs > 0 {
			largest = max(largest, split(row[(o+i)/2:], row[w.length+(o+i)/2:], from[i:], unit, pairs))
			if i += 2 * pairs; i == len(from) {
				break
			}
		}
		row[w.place(o+i)] = from[i] * unit
		largest = max(largest, from[i], -from[i])
	}
	return largest
}

// excludeBlocks marks the middles of blocks that are not used, those outside the volume
// and those with an excluded sample, by a mean that nothing is like.
func (w *worker) excludeBlocks() {
	nan := float32(math.NaN())
	v := &w.in[0]
	for i := range w.rows[0] * w.rows[1] {
		y, z := w.box.Min[1]+i%w.rows[0], w.box.Min[2]+i/w.rows[0]
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
				row[w.place(o)] = nan
			}
		}
	}
}

// complete reports whether no sample of the block at (x, y, z) is excluded. Blocks that
// reach out of the stored voxels are not looked at and count as incomplete.
func (w *worker) complete(x, y, z int) bool {
	for c, i := range [3]int{x, y, z} {
		if i-w.Radius[c] < w.box.Min[c] || i+w.Radius[c] >= w.box.Max[c] {
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
