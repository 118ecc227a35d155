package slab

import (
	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

// tileSize keeps the slices that a tile reads within the second-level cache.
var tileSize = [3]int{256, 16, 16}

// Nanoseconds of one core.
const (
	nsVoxel     = 3.0 // to read and write a voxel
	nsNeighbour = 1.6
)

// worker computes rows of voxels, one neighbouring slice after another, in float64: the operations of the reference in
// its order.
type worker struct {
	Params
	in, guide, out denoise.Field
	num, den       []float64 // of a row
}

func start(p Params, in []denoise.Field, out denoise.Field) func() denoise.Worker {
	return func() denoise.Worker {
		w := &worker{Params: p, in: in[0], guide: in[1], out: out}
		return w.run
	}
}

func (w *worker) run(t volume.Region, stop func() bool) {
	n := t.Dims()[0]
	w.num, w.den = tile.Resize(w.num, n), tile.Resize(w.den, n)
	for z := t.Min[2]; z < t.Max[2]; z++ {
		for y := t.Min[1]; y < t.Max[1]; y++ {
			if stop() {
				return
			}
			w.row(t.Min[0], y, z)
		}
	}
}

// row computes the voxels from (x, y, z) on.
func (w *worker) row(x, y, z int) {
	n := len(w.num)
	clear(w.num)
	for i := range w.den {
		w.den[i] = 1
	}
	v, g := w.in.Data[w.in.Index(x, y, z):][:n], w.guide.Data[w.guide.Index(x, y, z):][:n]
	for k := -len(w.Inverse); k <= len(w.Inverse); k++ {
		j := [3]int{x, y, z}
		j[w.Axis] += k
		from, to := 0, n // the voxels whose neighbour lies in the volume
		if w.Axis == 0 {
			from, to = max(-j[0], 0), min(w.in.Dims[0]-j[0], n)
			j[0] += from
		}
		if k == 0 || from >= to || j[w.Axis] < 0 || j[w.Axis] >= w.in.Dims[w.Axis] {
			continue
		}
		at := w.in.Index(j[0], j[1], j[2])
		var mask []bool
		if w.in.Mask != nil {
			mask = w.in.Mask[at:][:to-from]
		}
		w.add(w.Inverse[max(k, -k)-1], from, v[from:to], g[from:to], w.in.Data[at:][:to-from], w.guide.Data[w.guide.Index(j[0], j[1], j[2]):][:to-from], mask)
	}
	at := w.out.Index(x, y, z)
	for i := range n {
		if w.out.Valid(at + i) {
			w.out.Data[at+i] = float32(float64(v[i]) + w.num[i]/w.den[i])
		}
	}
}

// add adds the neighbours vj, with gj in the guide, to the sums of a row from position from on.
func (w *worker) add(inverse float64, from int, v, g, vj, gj []float32, mask []bool) {
	num, den := w.num[from:][:len(v)], w.den[from:][:len(v)]
	g, vj, gj = g[:len(v)], vj[:len(v)], gj[:len(v)]
	for i, vi := range v {
		d := (float64(gj[i]) - float64(g[i])) * inverse
		square := float64(d * d)
		if square >= 3 || mask != nil && !mask[i] {
			continue
		}
		weight := 1.0
		if square > 2 {
			weight = float64((3 - square) * (3 - square))
		}
		num[i] += float64(weight * (float64(vj[i]) - float64(vi)))
		den[i] += weight
	}
}
