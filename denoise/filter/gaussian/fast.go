package gaussian

import (
	"quell/denoise"
	"quell/denoise/tile"
	"quell/internal/convolve"
	"quell/volume"
)

// tileSize keeps the halo smaller than the tile, and a worker's planes within the
// second-level cache for usual radii.
func tileSize(radius [3]int) [3]int {
	if radius[2] == 0 {
		return [3]int{256, max(64, 2*radius[1]), 1}
	}
	return [3]int{128, max(32, 2*radius[1]), max(32, 2*radius[2])}
}

// scratch estimates a worker's memory in bytes: for both sums, a plane filtered along
// x and the planes of the ring.
func scratch(dims, radius [3]int) int64 {
	size := tileSize(radius)
	for c := range 3 {
		size[c] = min(size[c], dims[c])
	}
	rows := size[1] + 2*radius[1] + size[1]*(2*radius[2]+1)
	return 2 * 8 * int64(convolve.RoundUp(size[0])+2*radius[0]) * int64(rows+8)
}

// worker computes the Gaussian mean as normalised convolution (Knutsson, Westin
// 1993), in float64: with m = 1 on voxels that are used and 0 elsewhere,
//
//	out = G(m v) / G(m),
//
// with G as three passes along the axes; each adds up its taps in rising order. A
// constant comes back exactly: the quotient is off by far less than float32 resolves.
// Planes filtered along x and y go through a ring as z rises; the pass along z is
// computed row by row.
//
// If no voxel is excluded, G(m) of a row depends only on the taps along y and z that
// lie inside the volume: rows with the same ones share it.
type worker struct {
	Params
	in, out denoise.Field
	taps    [3][]float64
	tile    volume.Region
	box     volume.Region // the tile and its neighbourhood, clipped to the volume
	width   int           // of the tile, rounded up
	line    []float64     // a row of the box, between zeros for what lies outside the volume
	v, m    planes        // of m v, and of m if voxels are excluded
	num     []float64     // G(m v) of a row, if there are taps along z
	den     []float64     // G(m) of a row
	spare   []float64     // of a row
	inside  [2]span       // the taps along y and z that den adds up, if no voxel is excluded
	offsets []int         // of the taps that are in use
}

// planes are the planes of one quantity. Rows are width values long.
type planes struct {
	along []float64 // a plane of the box, filtered along x
	ring  []float64 // planes of the tile, filtered along x and y, at z mod 2r+1
}

// span is a range of taps, from lo up to but not including hi.
type span struct{ lo, hi int }

func start(p Params, in, out denoise.Field) func() denoise.Worker {
	var taps [3][]float64
	for c := range 3 {
		taps[c] = p.Taps(c)
	}
	return func() denoise.Worker {
		w := &worker{Params: p, in: in, out: out, taps: taps}
		return w.run
	}
}

func (w *worker) run(t volume.Region, stop func() bool) {
	w.reset(t)
	next := t.Min[2] // the first plane that is not finished
	for z := w.box.Min[2]; z < w.box.Max[2]; z++ {
		if stop() {
			return
		}
		w.filterPlane(&w.v, z, w.loadValues)
		if w.in.Mask != nil {
			w.filterPlane(&w.m, z, w.loadMask)
		}
		// The last plane of the volume completes all that are left.
		for next < t.Max[2] && (next+w.Radius[2] <= z || z == w.box.Max[2]-1) {
			w.finishPlane(next)
			next++
		}
	}
}

// reset prepares the memory for a tile.
func (w *worker) reset(t volume.Region) {
	w.tile, w.box = t, w.in.Around(t, w.Radius)
	w.width = convolve.RoundUp(t.Dims()[0])
	w.line = tile.Resize(w.line, w.width+2*w.Radius[0])
	clear(w.line)
	for _, row := range []*[]float64{&w.num, &w.den, &w.spare} {
		*row = tile.Resize(*row, w.width)
	}
	w.inside = [2]span{}
	w.offsets = tile.Resize(w.offsets, max(len(w.taps[0]), len(w.taps[1]), len(w.taps[2])))
	for _, p := range []*planes{&w.v, &w.m} {
		p.along = tile.Resize(p.along, w.box.Dims()[1]*w.width)
		p.ring = tile.Resize(p.ring, len(w.taps[2])*w.plane())
		if w.in.Mask == nil {
			break
		}
	}
}

// plane is the number of values of a plane of the ring.
func (w *worker) plane() int { return w.tile.Dims()[1] * w.width }

// slot is the position of plane z in the ring.
func (w *worker) slot(z int) int { return z % len(w.taps[2]) * w.plane() }

// within returns the taps along axis c that lie inside the volume at index i.
func (w *worker) within(c, i int) span {
	r := w.Radius[c]
	return span{max(r-i, 0), min(r+w.in.Dims[c]-i, 2*r+1)}
}

// row returns the part of the line that lies in the volume.
func (w *worker) row() []float64 {
	return w.line[w.box.Min[0]-(w.tile.Min[0]-w.Radius[0]):][:w.box.Dims()[0]]
}

// loadValues sets dst to m v of the row of the input that begins at position i.
func (w *worker) loadValues(dst []float64, i int) {
	convolve.Widen(dst, w.in.Data[i:][:len(dst)])
	if w.in.Mask == nil {
		return
	}
	for x, valid := range w.in.Mask[i:][:len(dst)] {
		if !valid {
			dst[x] = 0
		}
	}
}

// loadMask sets dst to m of the row of the input that begins at position i.
func (w *worker) loadMask(dst []float64, i int) {
	for x, valid := range w.in.Mask[i:][:len(dst)] {
		dst[x] = 0
		if valid {
			dst[x] = 1
		}
	}
}

// filterPlane puts plane z of a quantity, filtered along x and y, into its ring.
func (w *worker) filterPlane(p *planes, z int, load func(dst []float64, i int)) {
	offsets := w.steps(len(w.taps[0]), 1)
	for y := w.box.Min[1]; y < w.box.Max[1]; y++ {
		load(w.row(), w.in.Index(w.box.Min[0], y, z))
		convolve.Row(p.along[(y-w.box.Min[1])*w.width:][:w.width], w.line, offsets, w.taps[0])
	}
	offsets = w.steps(len(w.taps[1]), w.width)
	ring := p.ring[w.slot(z):]
	for k := range w.tile.Dims()[1] {
		y := w.tile.Min[1] + k
		s := w.within(1, y)
		first := y - w.Radius[1] + s.lo - w.box.Min[1]
		convolve.Row(ring[k*w.width:][:w.width], p.along[first*w.width:], offsets[:s.hi-s.lo], w.taps[1][s.lo:s.hi])
	}
}

// finishPlane filters plane z along z and writes its voxels.
func (w *worker) finishPlane(z int) {
	s := w.within(2, z)
	taps, offsets := w.taps[2][s.lo:s.hi], w.offsets[:s.hi-s.lo]
	for k := range w.tile.Dims()[1] {
		y := w.tile.Min[1] + k
		if w.in.Mask == nil {
			w.addTaps([2]span{w.within(1, y), s})
		}
		for i := range offsets {
			offsets[i] = w.slot(z - w.Radius[2] + s.lo + i)
		}
		num := w.v.ring[k*w.width:]
		if len(w.taps[2]) > 1 { // a single tap is 1
			convolve.Row(w.num, num, offsets, taps)
			num = w.num
		}
		if w.in.Mask != nil {
			convolve.Row(w.den, w.m.ring[k*w.width:], offsets, taps)
		}
		to := w.out.Index(w.tile.Min[0], y, z)
		if w.out.Mask == nil {
			convolve.Divide(w.out.Data[to:][:w.tile.Dims()[0]], num, w.den)
			continue
		}
		for x := range w.tile.Dims()[0] {
			// A voxel far from all valid ones has a G(m) of 0, and is excluded itself.
			if w.out.Valid(to + x) {
				w.out.Data[to+x] = float32(num[x] / w.den[x])
			}
		}
	}
}

// addTaps sets den to G(m) of a row, with these taps along y and z inside the
// volume, if no voxel is excluded.
func (w *worker) addTaps(inside [2]span) {
	if inside == w.inside {
		return
	}
	w.inside = inside
	for x := range w.row() {
		w.row()[x] = 1
	}
	convolve.Row(w.den, w.line, w.steps(len(w.taps[0]), 1), w.taps[0])
	same := w.steps(len(w.offsets), 0) // rows that do not differ
	for c, s := range inside {
		copy(w.spare, w.den)
		convolve.Row(w.den, w.spare, same[:s.hi-s.lo], w.taps[1+c][s.lo:s.hi])
	}
}

// steps returns the offsets of n taps that are step values apart.
func (w *worker) steps(n, step int) []int {
	for k := range n {
		w.offsets[k] = k * step
	}
	return w.offsets[:n]
}
