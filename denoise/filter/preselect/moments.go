package preselect

import (
	"math"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

// Tiny stands for a mean or a deviation of 0, so that 0 and 0 are alike. Smaller
// numbers become it.
const Tiny = 0x1p-100

// sums are the sums of u = v - zero and of u^2 over n samples.
type sums struct{ first, second, n float64 }

// mean is the mean from zero, at least Tiny in size.
func (s sums) mean() float32 {
	m := float32(min(max(s.first/s.n, -math.MaxFloat32), math.MaxFloat32))
	if abs(m) < Tiny {
		return Tiny
	}
	return m
}

// deviation is the standard deviation, at least Tiny. n sum u^2 - (sum u)^2 is exact
// for whole numbers, and exactly 0 if they are equal.
func (s sums) deviation() float32 {
	spread := float64(s.n*s.second) - float64(s.first*s.first)
	return float32(min(max(math.Sqrt(max(spread, 0))/s.n, Tiny), math.MaxFloat32))
}

// around adds up the samples around a voxel: rows, then planes of rows, then planes.
// This order and the products rounded one by one give the same bits on every engine.
// A sample outside the volume is the voxel that it mirrors; padding is read as it is.
func (r Rule) around(in *denoise.Field, x, y, z int) sums {
	s := sums{n: tile.Count(r.Radius)}
	for dz := -r.Radius[2]; dz <= r.Radius[2]; dz++ {
		var plane sums
		for dy := -r.Radius[1]; dy <= r.Radius[1]; dy++ {
			var row sums
			for dx := -r.Radius[0]; dx <= r.Radius[0]; dx++ {
				v := in.At(volume.Mirror(x+dx, in.Dims[0]), volume.Mirror(y+dy, in.Dims[1]), volume.Mirror(z+dz, in.Dims[2]))
				u := float64(v) - r.Zero
				row.first += u
				row.second += float64(u * u)
			}
			plane.first += row.first
			plane.second += row.second
		}
		s.first += plane.first
		s.second += plane.second
	}
	return s
}

// tileSize keeps the sums of a tile's planes in the second-level cache.
var tileSize = [3]int{128, 16, 16}

// worker is the scratch memory of one worker.
type worker struct {
	rule    Rule
	in, out denoise.Field
	squares bool // u^2 is needed
	of      func(s sums) float32

	values tile.Block
	along  moments   // of a row of the block, then of its sums along x
	rows   moments   // sums along x, of one plane of the block
	planes []moments // sums along x and y, of the last planes
	parts  [][]float64
}

// moments are the sums of u and of u^2 of many voxels.
type moments struct{ first, second []float64 }

func (m *moments) resize(n int) {
	m.first, m.second = tile.Resize(m.first, n), tile.Resize(m.second, n)
}

// run computes the sums of a tile plane by plane: along x, then y, then z.
func (w *worker) run(t volume.Region, stop func() bool) {
	r := w.rule.Radius
	w.values.Load(&w.in, tile.Grow(t, r))
	size := t.Dims()
	width, height := size[0], size[1]
	w.along.resize(width + 2*r[0])
	w.rows.resize(width * (height + 2*r[1]))
	w.planes = tile.Resize(w.planes, 2*r[2]+1)
	for i := range w.planes {
		w.planes[i].resize(width * height)
	}
	n := tile.Count(w.rule.Radius)
	var all moments
	for k := range size[2] + 2*r[2] {
		if stop() {
			return
		}
		w.plane(k, width, height)
		if k < 2*r[2] {
			continue
		}
		if all = w.planes[k%len(w.planes)]; r[2] > 0 {
			all = w.rows // which the next plane fills anew
			w.each(func(of func(m *moments) []float64) {
				w.parts = w.parts[:0]
				for next := range w.planes {
					w.parts = append(w.parts, of(&w.planes[(k+1+next)%len(w.planes)]))
				}
				sum(of(&all)[:width*height], w.parts)
			})
		}
		z := t.Min[2] + k - 2*r[2]
		for y := range height {
			to := w.out.Data[w.out.Index(t.Min[0], t.Min[1]+y, z):][:width]
			first, second := all.first[y*width:][:width], all.second[y*width:][:width]
			for x := range to {
				to[x] = w.of(sums{first[x], second[x], n})
			}
		}
	}
}

// plane adds up plane k of the block along x and y.
func (w *worker) plane(k, width, height int) {
	rx, ry := w.rule.Radius[0], w.rule.Radius[1]
	zero := w.rule.Zero
	for y := range height + 2*ry {
		at := (k*w.values.Dims[1] + y) * w.values.Dims[0]
		from := w.values.Values[at : at+width+2*rx]
		first, second := w.along.first[:len(from)], w.along.second[:len(from)]
		for x, v := range from {
			u := float64(v) - zero
			first[x], second[x] = u, float64(u*u)
		}
		w.each(func(of func(m *moments) []float64) {
			sum(of(&w.rows)[y*width:(y+1)*width], w.shifted(of(&w.along), 1, 2*rx+1))
		})
	}
	w.each(func(of func(m *moments) []float64) {
		sum(of(&w.planes[k%len(w.planes)])[:width*height], w.shifted(of(&w.rows), width, 2*ry+1))
	})
}

// each calls f for the sums that are needed.
func (w *worker) each(f func(of func(m *moments) []float64)) {
	f(func(m *moments) []float64 { return m.first })
	if w.squares {
		f(func(m *moments) []float64 { return m.second })
	}
}

// shifted returns n parts of a, each step further on.
func (w *worker) shifted(a []float64, step, n int) [][]float64 {
	w.parts = w.parts[:0]
	for k := range n {
		w.parts = append(w.parts, a[k*step:])
	}
	return w.parts
}

// sum adds up an odd number of parts in their order.
func sum(to []float64, parts [][]float64) {
	if len(parts) == 1 {
		copy(to, parts[0])
		return
	}
	sum3(to, parts[0], parts[1], parts[2])
	for k := 3; k < len(parts); k += 2 {
		sum3(to, to, parts[k], parts[k+1])
	}
}

// sum3 sets to = a + b + c.
func sum3(to, a, b, c []float64) {
	a, b, c = a[:len(to)], b[:len(to)], c[:len(to)]
	for i := range to {
		to[i] = a[i] + b[i] + c[i]
	}
}
