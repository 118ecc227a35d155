package pairwise

import (
	"math/bits"

	"quell/denoise"
	"quell/denoise/tile"
)

// Selection restricts the pairs to voxels with similar surroundings: with means and
// deviations that pass the comparison of alikeGo. Both are at least as large as the
// part of the volume that the pairs lie in.
//
// Pairs are chosen before their distances are computed, and groups of lanes in which
// no pair is chosen are skipped in every step: the time follows the number of groups
// that are left.
type Selection struct {
	Mean, Deviation denoise.Field
	Apart, Ratio    float32
}

// chosenPairs holds the pairs that are chosen at one offset. A row has at most 28
// groups of lanes (TileSize), so that one word says which of them have a chosen pair.
type chosenPairs struct {
	mean, deviation tile.Block
	bits            []byte   // of all rows of the offset: a bit for each pair
	groups          []uint64 // of each row: a bit for each group with a chosen pair
	needed          []uint64 // of each row of a plane of the ring: a bit for each group that distances need
	row             []byte   // bits of the row that is added
}

// reset loads a tile.
func (c *chosenPairs) reset(w *worker) {
	box := w.In.Around(w.tile, w.Search)
	c.mean.Load(&w.Select.Mean, box)
	c.deviation.Load(&w.Select.Deviation, box)
}

// choose compares the surroundings of all pairs of an offset; false if none is alike.
func (w *worker) choose(d [3]int) bool {
	c, groups := &w.chosen, w.n/lanes
	size := w.rows.Dims()
	c.bits = tile.Resize(c.bits, size[1]*size[2]*groups)
	c.groups = tile.Resize(c.groups, size[1]*size[2])
	all := uint64(0)
	for i := range c.groups {
		x, y, z := w.rows.Min[0], w.rows.Min[1]+i%size[1], w.rows.Min[2]+i/size[1]
		p, q := c.mean.At(x, y, z), c.mean.At(x+d[0], y+d[1], z+d[2])
		m, s := c.mean.Values, c.deviation.Values
		row := c.bits[i*groups : (i+1)*groups]
		set := alike(row, m[p:], m[q:], s[p:], s[q:], w.Select.Apart, w.Select.Ratio, w.n)
		if rest := w.width % lanes; rest > 0 {
			row[groups-1] &= 1<<rest - 1 // the pairs past the row's end
		}
		set = bridged(set)
		c.groups[i] = set
		all |= set
	}
	return all != 0
}

// bridged fills gaps of up to seven groups between set bits: a run costs as much as
// about eight groups. It keeps the first 57 groups.
func bridged(set uint64) uint64 {
	set |= set << 1
	set |= set << 2
	set |= set << 4 // a bit and the seven after it
	set &= set >> 1
	set &= set >> 2
	return set & (set >> 4)
}

// chosenGroups returns the groups with a chosen pair of row k of plane z; none outside
// the offset's rows.
func (w *worker) chosenGroups(k, z int) uint64 {
	size := w.rows.Dims()
	if z < w.rows.Min[2] || z >= w.rows.Max[2] {
		return 0
	}
	return w.chosen.groups[(z-w.rows.Min[2])*size[1]+k]
}

// nextRun returns the first run of set bits at or after from; start is 64 or more if
// there is none.
func nextRun(set uint64, from int) (start, end int) {
	start = from + bits.TrailingZeros64(set>>from)
	return start, start + bits.TrailingZeros64(^(set >> start))
}

// selectedOffset is offset for the chosen pairs.
func (w *worker) selectedOffset(o Offset, add rowAdder) {
	if !w.choose(o.d) {
		return
	}
	fz := w.Patch[2]
	for z := w.rows.Min[2] - fz; z < w.rows.Max[2]+fz; z++ {
		w.filterSelected(o.d, z)
		if middle := z - fz; middle >= w.rows.Min[2] {
			w.finishSelected(o, middle, add)
		}
	}
}

// filterSelected is filterPlane for the groups that the chosen pairs of planes z - fz
// to z + fz need.
func (w *worker) filterSelected(d [3]int, z int) {
	fx, fy, fz := w.Patch[0], w.Patch[1], w.Patch[2]
	to := w.slot(z)
	ny := w.rows.Max[1] - w.rows.Min[1]
	needed := tile.Resize(w.chosen.needed, ny)
	w.chosen.needed = needed
	for k := range needed {
		needed[k] = 0
		for dz := -fz; dz <= fz; dz++ {
			needed[k] |= w.chosenGroups(k, z+dz)
		}
	}
	for k := range ny + 2*fy {
		set := uint64(0)
		for n := max(k-2*fy, 0); n <= min(k, ny-1); n++ {
			set |= needed[n]
		}
		y := w.rows.Min[1] - fy + k
		p := w.values.At(w.rows.Min[0]-fx, y, z)
		q := w.values.At(w.rows.Min[0]-fx+d[0], y+d[1], z+d[2])
		row := w.along.row(k)
		if fy == 0 {
			row = to.row(k)
		}
		for a, b := nextRun(set, 0); a < 64; a, b = nextRun(set, b) {
			x, n := a*lanes, (b-a)*lanes
			if fx == 0 {
				w.difference(row[x:], p+x, q+x, n)
				continue
			}
			w.difference(w.diff, p+x, q+x, min(tile.RoundUp(n+2*fx), tile.RoundUp(w.width+2*fx)-x))
			mid := w.diff[fx:]
			for t, g := range w.Side {
				addPair(row[x:], mid, w.diff[fx-1-t:], w.diff[fx+1+t:], g, n)
				mid = row[x:]
			}
		}
	}
	if fy == 0 {
		return
	}
	for k, set := range needed {
		for a, b := nextRun(set, 0); a < 64; a, b = nextRun(set, b) {
			x, n := a*lanes, (b-a)*lanes
			row, mid := to.row(k)[x:], w.along.row(k + fy)[x:]
			for t, g := range w.Side {
				addPair(row, mid, w.along.row(k + fy - 1 - t)[x:], w.along.row(k + fy + 1 + t)[x:], g, n)
				mid = row
			}
		}
	}
}

// finishSelected is finishPlane for runs of chosen groups; it passes each to add as
// if it were a row.
func (w *worker) finishSelected(o Offset, z int, add rowAdder) {
	fz, rows, width, n := w.Patch[2], w.rows, w.width, w.n
	groups := n / lanes
	for k := range rows.Max[1] - rows.Min[1] {
		y := rows.Min[1] + k
		here, there := w.inTile(y, z), w.inTile(y+o.d[1], z+o.d[2])
		if !here && !there {
			continue
		}
		set := w.chosenGroups(k, z)
		row := ((z-rows.Min[2])*(rows.Max[1]-rows.Min[1]) + k) * groups
		for a, b := nextRun(set, 0); a < 64; a, b = nextRun(set, b) {
			x := a * lanes
			w.n = (b - a) * lanes
			w.width = min(w.n, width-x)
			w.rows.Min[0], w.rows.Max[0] = rows.Min[0]+x, rows.Min[0]+x+w.width
			w.chosen.row = w.chosen.bits[row+a : row+b]
			distance := w.slot(z).row(k)[x:]
			if fz > 0 {
				for t, g := range w.Side {
					addPair(w.weight, distance, w.slot(z - 1 - t).row(k)[x:], w.slot(z + 1 + t).row(k)[x:], g, w.n)
					distance = w.weight
				}
			}
			add(o, distance, y, z, here, there)
		}
		w.rows, w.width, w.n = rows, width, n
	}
}
