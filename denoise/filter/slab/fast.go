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
	nsVoxel     = 2.0 // to read and write a voxel
	nsNeighbour = 0.6
)

// worker computes rows of voxels in float64: the operations of the reference in its order.
type worker struct {
	Params
	in, guide, out denoise.Field
	more           *denoise.Field // is added to the mean, times factor; nil for none
	factor         float64
	near           []neighbour
	means          []float32 // of a row, if voxels are excluded
}

// neighbour is where a neighbouring voxel lies, from the voxel itself.
type neighbour struct {
	v, g    int     // in the voxels, and in the guide
	inverse float64 // see Params
}

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
	for z := t.Min[2]; z < t.Max[2]; z++ {
		for y := t.Min[1]; y < t.Max[1]; y++ {
			if stop() {
				return
			}
			w.row(t.Min[0], y, z, t.Dims()[0])
		}
	}
}

// row computes n voxels from (x, y, z) on.
func (w *worker) row(x, y, z, n int) {
	at := w.out.Index(x, y, z)
	out := w.out.Data[at:][:n]
	if w.out.Mask != nil {
		w.means = tile.Resize(w.means, n)
		out = w.means
	}
	r := rows{v: w.in.Data, g: w.guide.Data, used: w.in.Mask, at: w.in.Index(x, y, z), guideAt: w.guide.Index(x, y, z), factor: w.factor}
	if w.more != nil {
		r.more = w.more.Data[w.more.Index(x, y, z):][:n]
	}
	for from := 0; from < n; {
		to := from + w.alike(x+from, y, z, n-from)
		r.near = w.near
		r.from(from).average(out[from:to])
		from = to
	}
	if w.out.Mask == nil {
		return
	}
	for i, valid := range w.out.Mask[at:][:n] {
		if valid {
			w.out.Data[at+i] = out[i]
		}
	}
}

// alike sets near to the neighbours of a voxel that lie in the volume, and returns how many of n voxels from it on have the same.
func (w *worker) alike(x, y, z, n int) int {
	at, size, reach := [3]int{x, y, z}[w.Axis], w.in.Dims[w.Axis], len(w.Inverse)
	w.near = w.near[:0]
	for k := max(-reach, -at); k <= min(reach, size-1-at); k++ {
		if k != 0 {
			w.near = append(w.near, neighbour{k * step(w.in, w.Axis), k * step(w.guide, w.Axis), w.Inverse[max(k, -k)-1]})
		}
	}
	switch {
	case w.Axis != 0:
		return n
	case len(w.near) == 2*reach:
		return min(n, size-reach-at)
	}
	return 1
}

// step is how far the next voxel along an axis lies in the memory of a field.
func step(f denoise.Field, axis int) int {
	d := f.Box.Dims()
	return [3]int{1, d[0], d[0] * d[1]}[axis]
}

// rows are what the means of voxels that lie side by side are made of.
type rows struct {
	v, g        []float32 // voxels and guide
	used        []bool    // of the voxels; nil for all
	at, guideAt int       // of the first voxel
	more        []float32 // of the voxels side by side, see worker
	factor      float64
	near        []neighbour
}

// from returns the rows without their first n voxels.
func (r rows) from(n int) rows {
	r.at, r.guideAt = r.at+n, r.guideAt+n
	if r.more != nil {
		r.more = r.more[n:]
	}
	return r
}

// averageGo sets out to the means. It is the definition of average; processors with AVX2 run a form that does the same
// operations in the same order and gives the same bits (rows_amd64.s). Products are converted explicitly, which keeps compilers
// from fusing them into sums.
func (r rows) averageGo(out []float32) {
	for i := range out {
		v, g := float64(r.v[r.at+i]), float64(r.g[r.guideAt+i])
		num, den := 0.0, 1.0
		for _, j := range r.near {
			if r.used != nil && !r.used[r.at+i+j.v] {
				continue
			}
			d := (float64(r.g[r.guideAt+i+j.g]) - g) * j.inverse
			u := min(max(3-float64(d*d), 0), 1)
			weight := float64(u * u)
			num += float64(weight * (float64(r.v[r.at+i+j.v]) - v))
			den += weight
		}
		mean := v + num/den
		if r.more != nil {
			mean += float64(r.factor * float64(r.more[i]))
		}
		out[i] = float32(mean)
	}
}
