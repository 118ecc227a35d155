package sadct

import (
	"math/bits"
	"slices"

	"quell/denoise"
	"quell/volume"
)

// The CPU form computes every support that touches a tile once, in float32, and adds
// its weighted estimate to the sums of its pixels. As a pixel receives the estimates
// in the order of the supports' centres, x fastest, its bits do not depend on the
// tile.
//
// A rounding must not change whether a coefficient is above the threshold, nor
// thereby a weight: if the error of float32 leaves that open, the support is
// computed in float64.

var tileSize = [3]int{256, 128, 1}

// picture is a part of a slice in scratch memory, column after column, as the transform
// begins with columns, with lanes values more at its end.
type picture []float32

// worker computes tiles of one stage.
type worker struct {
	*stage
	in       []denoise.Field
	out      denoise.Field
	inverse  float32   // 1 / sigma
	limits   []float32 // by the number of pixels, in sigmas
	box      volume.Region
	height   int     // of the box
	voxels   picture // voxels of the box
	pilot    picture // likewise
	num, den picture // sums of weighted estimates less voxels, in sigmas, and of weights
	valid    []uint64
	words    int // of valid for each column

	s       support
	layout  layout
	z, q    transformed // of the voxels and of the pilot
	columns [maxSide][lanes]float32
	lines   [maxSide][lanes]float32 // of coefficients with the same index
	last    [maxSide]int            // coefficients of a line of z.d up to the last that is not 0
	exact   exact
	limit   float32        // of the support, in sigmas
	over    [lanes]float32 // a line over its deviations in the noise
}

// start is the CPU form.
func (s *stage) start(in []denoise.Field, out denoise.Field) func() denoise.Worker {
	limits := make([]float32, s.pixels()+1)
	for n := 1; n < len(limits); n++ {
		limits[n] = float32(s.limit(n))
	}
	return func() denoise.Worker {
		w := &worker{stage: s, in: in, out: out, inverse: float32(1 / s.sigma), limits: limits}
		return w.tile
	}
}

func (w *worker) tile(tile volume.Region, stop func() bool) {
	f := &w.in[1]
	z := tile.Min[2]
	if w.sigma == 0 {
		w.finish(tile)
		return
	}
	centres := f.Around(tile, [3]int{w.reach, w.reach, 0})
	w.load(f.Around(tile, [3]int{2 * w.reach, 2 * w.reach, 0}))
	for y := centres.Min[1]; y < centres.Max[1]; y++ {
		if stop() {
			return
		}
		row := w.in[0].Index(centres.Min[0], y, z)
		voxel := f.Index(centres.Min[0], y, z)
		for i := range centres.Dims()[0] {
			if f.Valid(voxel + i) {
				w.centre(int(w.in[0].Data[row+i]), centres.Min[0]+i, y)
			}
		}
	}
	w.finish(tile)
}

// finish writes the tile: the voxels without an estimate.
func (w *worker) finish(tile volume.Region) {
	f, z := &w.in[1], tile.Min[2]
	for y := tile.Min[1]; y < tile.Max[1]; y++ {
		for x := tile.Min[0]; x < tile.Max[0]; x++ {
			to := w.out.Index(x, y, z)
			if !w.out.Valid(to) {
				continue
			}
			v := f.At(x, y, z)
			if w.sigma > 0 {
				if at := w.at(x, y); w.den[at] > 0 {
					v = float32(float64(v) + w.sigma*float64(w.num[at]/w.den[at]))
				}
			}
			w.out.Data[to] = v
		}
	}
}

// load reads a box of the inputs and clears the sums.
func (w *worker) load(box volume.Region) {
	dims := box.Dims()
	w.box, w.height = box, dims[1]
	n := dims[0]*dims[1] + lanes
	for _, p := range []*picture{&w.voxels, &w.pilot, &w.num, &w.den} {
		if cap(*p) < n {
			*p = make(picture, n)
		}
		*p = (*p)[:n]
	}
	clear(w.num)
	clear(w.den)
	w.words = (dims[1]+63)/64 + 1
	if w.in[1].Mask != nil {
		w.valid = slices.Grow(w.valid[:0], w.words*dims[0])[:w.words*dims[0]]
		clear(w.valid)
	}
	for y := range dims[1] {
		from := w.in[1].Index(box.Min[0], box.Min[1]+y, box.Min[2])
		for x, v := range w.in[1].Data[from : from+dims[0]] {
			w.voxels[x*dims[1]+y] = v
		}
		if w.wiener {
			from := w.in[2].Index(box.Min[0], box.Min[1]+y, box.Min[2])
			for x, v := range w.in[2].Data[from : from+dims[0]] {
				w.pilot[x*dims[1]+y] = v
			}
		}
		if w.in[1].Mask != nil {
			for x, valid := range w.in[1].Mask[from : from+dims[0]] {
				if valid {
					w.valid[x*w.words+y/64] |= 1 << (y % 64)
				}
			}
		}
	}
}

// at returns the position of pixel (x, y) in the pictures.
func (w *worker) at(x, y int) int { return (x-w.box.Min[0])*w.height + y - w.box.Min[1] }

// centre adds the estimate of the support around (cx, cy).
func (w *worker) centre(packed, cx, cy int) {
	w.shapes.of(&w.s, packed, w.reach)
	w.clip(cx, cy)
	n, columns := 0, w.s[maxReach-w.reach:maxReach+w.reach+1]
	for _, column := range columns {
		n += bits.OnesCount32(column)
	}
	if !w.used(cx, cy, n) {
		return
	}
	w.layout.lay(columns)
	w.z.transform(w, w.voxels, columns, n, w.at(cx, cy))
	if w.wiener {
		w.q.transform(w, w.pilot, columns, n, w.at(cx, cy))
		w.attenuate(columns, n, cx, cy)
	} else {
		w.shrink(columns, n, cx, cy)
	}
}

// clip removes voxels that are outside the slice or excluded from the support.
func (w *worker) clip(cx, cy int) {
	f := &w.in[1]
	inside := ^uint32(0)
	if above := maxReach - cy; above > 0 {
		inside &= ^uint32(0) << above
	}
	if below := cy + maxReach + 1 - f.Dims[1]; below > 0 {
		inside &= 1<<(maxSide-below) - 1
	}
	for dx := -w.reach; dx <= w.reach; dx++ {
		column := &w.s[maxReach+dx]
		if cx+dx < 0 || cx+dx >= f.Dims[0] {
			*column = 0
		} else if *column &= inside; *column != 0 && f.Mask != nil {
			*column &= w.window(cx+dx-w.box.Min[0], cy-w.box.Min[1]-maxReach)
		}
	}
}

// window returns the bits of the valid pixels of column x of the box from y on; there are
// none outside it.
func (w *worker) window(x, y int) uint32 {
	column := w.valid[x*w.words : (x+1)*w.words]
	if y < 0 {
		return uint32(column[0] << -y)
	}
	word, shift := y/64, y%64
	return uint32(column[word]>>shift | column[min(word+1, w.words-1)]<<(64-shift))
}
