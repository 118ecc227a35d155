package bnlm

import (
	"quell/denoise/pairwise"
	"quell/denoise/tile"
)

// weigh computes the weights of the z-th plane of blocks at all offsets, and their sums;
// false if it was stopped.
func (w *worker) weigh(z int, stop func() bool) bool {
	clear(w.den)
	clear(w.peak)
	for i, d := range w.offsets {
		if stop() {
			return false
		}
		w.weighOffset(i, d, z)
	}
	return true
}

// weighOffset computes the weights at one offset.
func (w *worker) weighOffset(i int, d [3]int, z int) {
	present := w.present[i*w.blocks[1] : (i+1)*w.blocks[1]]
	row, kz := tile.RoundUp(w.blocks[0]), w.rowOf(2, z)
	chosen := false
	for y := range present {
		w.sets[y] = w.choose(y, kz, z, d)
		present[y] = w.sets[y] != 0
		chosen = chosen || present[y]
	}
	if !chosen {
		return
	}
	r := w.Radius[1]
	next := 0 // the first stored row with column sums that are not there yet
	for y, is := range present {
		if !is {
			continue
		}
		ky := w.rowOf(1, y)
		for next = max(next, ky-r); next <= ky+r; next++ {
			w.squaresOf(w.column[next*row:], next, kz, d, row)
		}
		distance := w.column[(ky-r)*row:]
		for o := 1 - r; o <= r; o++ {
			sum(w.distance, distance, w.column[(ky+o)*row:], row)
			distance = w.distance
		}
		to := w.weights[(i*w.blocks[1]+y)*row:][:row]
		pairwise.Weigh(to, distance, w.scale, 0, row)
		total(w.den[y*row:], w.peak[y*row:], to, w.bits[y*row/lanes:], row)
	}
}

// choose finds the blocks of the y-th row that are averaged with those at offset d, and
// returns their groups of lanes.
func (w *worker) choose(y, kz, z int, d [3]int) uint64 {
	row := tile.RoundUp(w.blocks[0])
	apart, ratio := float32(1), float32(0)
	if w.Select != nil {
		apart, ratio = w.Select.Apart, w.Select.Deviation
	}
	own, other := (z*w.blocks[1]+y)*row, w.at(w.rowOf(1, y)+d[1], kz+d[2], d[0])
	bits := w.bits[y*row/lanes : (y+1)*row/lanes]
	set := pairwise.Alike(bits, w.ownMean[own:], w.mean[other:], w.ownDeviation[own:], w.deviation[other:], apart, ratio, row)
	if rest := w.blocks[0] % lanes; rest > 0 {
		last := &bits[len(bits)-1]
		if *last &= 1<<rest - 1; *last == 0 {
			set &^= 1 << (len(bits) - 1)
		}
	}
	return set
}

// squaresOf sums up the squared differences of blocks and those at offset d over the
// samples of stored row y along x and z, for every block.
func (w *worker) squaresOf(to []float32, y, kz int, d [3]int, n int) {
	planes, stride := 2*w.Radius[2]+1, w.stride()*w.rows[0]
	a := func(o int) []float32 { return w.values[w.at(y, kz-w.Radius[2], o):] }
	b := func(o int) []float32 { return w.values[w.at(y+d[1], kz-w.Radius[2]+d[2], o+d[0]):] }
	for o := -w.Radius[0]; o <= w.Radius[0]; o += 3 {
		a0, b0 := a(o), b(o)
		a1, b1, a2, b2 := a0, a0, a0, a0 // no more samples: differences of 0
		if o+1 <= w.Radius[0] {
			a1, b1 = a(o+1), b(o+1)
		}
		if o+2 <= w.Radius[0] {
			a2, b2 = a(o+2), b(o+2)
		}
		if o == -w.Radius[0] {
			squares(to, a0, b0, a1, b1, a2, b2, stride, planes, n)
			continue
		}
		squares(w.distance, a0, b0, a1, b1, a2, b2, stride, planes, n)
		sum(to, to, w.distance, n)
	}
}

// give adds what the z-th plane of blocks gives to the voxels under it; false if it was
// stopped.
func (w *worker) give(z int, stop func() bool) bool {
	row, wide := tile.RoundUp(w.blocks[0]), w.wide()
	for i, d := range w.offsets {
		if stop() {
			return false
		}
		present := w.present[i*w.blocks[1] : (i+1)*w.blocks[1]]
		for y, is := range present {
			if is {
				at := y * row
				multiply(w.shares[y*wide+2*w.lead:], w.weights[(i*w.blocks[1]+y)*row:], w.inverse[at:], row)
			}
		}
		for y := w.tile.Min[1]; y < w.tile.Max[1]; y++ {
			w.giveRow(y, z, d, present)
		}
	}
	return true
}

// giveRow adds the shares of the blocks over row y of voxels to the voxels of the planes
// under the blocks.
func (w *worker) giveRow(y, z int, d [3]int, present []bool) {
	wide := w.wide()
	n := wide - 2*w.lead - lanes
	first, last := w.Blocks(1, y, y+1, w.in[0].Dims[1])
	var under []float32
	for k := first - w.first[1]; k <= last-w.first[1]; k++ {
		if !present[k] {
			continue
		}
		shares := w.shares[k*wide:][:wide]
		if under == nil {
			under = shares
		} else {
			sum(w.under, under, shares, wide&^(lanes-1))
			under = w.under
		}
	}
	if under == nil {
		return
	}
	step, r := w.Step[0], w.Radius[0]
	middle := w.Step[2] * (w.first[2] + z)
	from := max(middle-w.Radius[2], w.tile.Min[2])
	planes := min(middle+w.Radius[2]+1, w.tile.Max[2]) - from
	stride, accStride := w.stride()*w.rows[0], w.sums.rows[0]*step*wide
	voxels := func(phase int, d [3]int) []float32 {
		return w.values[w.at(y-w.origin[1]+d[1], from-w.origin[2]+d[2], phase-step*w.lead+d[0]):]
	}
	for phase := range step {
		// Voxel step i + phase is under the blocks k with step k + o = step i + phase.
		var shares []float32
		for o := r - (r-phase+step*w.lead)%step; o >= -r; o -= step {
			s := under[w.lead-(o-phase)/step:]
			if shares == nil {
				shares = s
			} else {
				sum(w.side, shares, s, n)
				shares = w.side
			}
		}
		if shares == nil {
			continue
		}
		a, b, to := voxels(phase, [3]int{}), voxels(phase, d), w.acc[w.sumsAt(y, from, phase):]
		for p := range planes {
			spread(to[p*accStride:], shares, a[p*stride:], b[p*stride:], n)
		}
	}
}
