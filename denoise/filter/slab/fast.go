package slab

import (
	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

// tileSize keeps the slices that a tile reads within the second-level cache.
var tileSize = [3]int{256, 16, 16}

// Nanoseconds of one core, with vector code.
const (
	nsVoxel     = 4.0 // to read and write a voxel
	nsNeighbour = 1.0
)

// worker computes rows of voxels, one neighbouring slice after another, in float64: the operations of the reference in
// its order.
type worker struct {
	Params
	in, guide, out denoise.Field
	more           *denoise.Field // is added to the mean, times factor; nil for none
	factor         float64
	sums
	all []bool // true for every voxel of a row
}

// sums are those of the voxels of a row.
type sums struct{ num, den []float64 }

func start(p Params, factor float64, in []denoise.Field, out denoise.Field) func() denoise.Worker {
	return func() denoise.Worker {
		w := &worker{Params: p, in: in[0], guide: in[1], out: out, factor: factor}
		if len(in) == 3 {
			w.more = &in[2]
		}
		return w.run
	}
}

func (w *worker) run(t volume.Region, stop func() bool) {
	n := t.Dims()[0]
	w.num, w.den, w.all = tile.Resize(w.num, n), tile.Resize(w.den, n), tile.Resize(w.all, n)
	for i := range w.all {
		w.all[i] = true
	}
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
	here := row{w.in.Data[w.in.Index(x, y, z):][:n], w.guide.Data[w.guide.Index(x, y, z):][:n]}
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
		at, used := w.in.Index(j[0], j[1], j[2]), w.all[from:to]
		if w.in.Mask != nil {
			used = w.in.Mask[at:][:to-from]
		}
		there := row{w.in.Data[at:], w.guide.Data[w.guide.Index(j[0], j[1], j[2]):]}
		w.from(from, to).add(here.from(from, to), there.from(0, to-from), used, w.Inverse[max(k, -k)-1])
	}
	at, more := w.out.Index(x, y, z), []float32(nil)
	if w.more != nil {
		more = w.more.Data[w.more.Index(x, y, z):][:n]
	}
	for i := range n {
		if !w.out.Valid(at + i) {
			continue
		}
		mean := float64(here.v[i]) + w.num[i]/w.den[i]
		if more != nil {
			mean += float64(w.factor * float64(more[i]))
		}
		w.out.Data[at+i] = float32(mean)
	}
}

// row holds voxels that lie side by side, and the guide there.
type row struct{ v, g []float32 }

func (r row) from(from, to int) row { return row{r.v[from:to], r.g[from:to]} }

func (s sums) from(from, to int) sums { return sums{s.num[from:to], s.den[from:to]} }

// addGo adds the neighbours of a row that are used to its sums. It is the definition of add; processors with AVX2 run a form
// that does the same operations in the same order and gives the same bits (rows_amd64.s). Products are converted explicitly,
// which keeps compilers from fusing them into sums.
func (s sums) addGo(here, there row, used []bool, inverse float64) {
	for i, use := range used {
		if !use {
			continue
		}
		d := (float64(there.g[i]) - float64(here.g[i])) * inverse
		u := min(max(3-float64(d*d), 0), 1)
		weight := float64(u * u)
		s.num[i] += float64(weight * (float64(there.v[i]) - float64(here.v[i])))
		s.den[i] += weight
	}
}
