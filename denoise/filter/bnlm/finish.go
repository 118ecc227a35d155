package bnlm

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
