package equalise

import (
	"quell/internal/convolve"
	"quell/volume"
)

// Kernel computes W * d in tiles, d being what a filter removed; the volume continues as in a mirror. It holds the memory of
// one goroutine. All is computed in float64, row by row: a voxel has the same bits in every tile.
type Kernel struct {
	w    Weights
	dims [3]int
	load func(dst []float64, x, y, z int) // sets dst to d from (x, y, z) on, within the volume

	tile   volume.Region
	pitch  int       // of rows of planes
	planes []float64 // B_k * d in one slice, with the surroundings that further levels read, each of height rows
	half   []float64 // a plane between its two passes
	height int       // rows of a plane
	ring   []float64 // rows of a tile: of the slices around the present one, the sums over the levels for each distance
	width  int       // of rows of the ring
	sum    []float64
}

// NewKernel returns one for volumes of those dims. load sets dst to d of the voxels from (x, y, z) on.
func NewKernel(w Weights, dims [3]int, load func(dst []float64, x, y, z int)) *Kernel {
	return &Kernel{w: w, dims: dims, load: load}
}

// Run calls emit for each row of the tile with the values of W * d, which hold until it returns. It ends early once stop
// returns true.
func (k *Kernel) Run(t volume.Region, stop func() bool, emit func(y, z int, values []float64)) {
	k.reset(t)
	reach := k.w.slices() - 1
	for z := t.Min[2] - reach; z < t.Max[2]+reach; z++ {
		if stop() {
			return
		}
		k.slice(z)
		if at := z - reach; at >= t.Min[2] {
			k.finish(at, emit)
		}
	}
}

func (k *Kernel) reset(t volume.Region) {
	k.tile = t
	d := t.Dims()
	r := k.w.Reach()[0]
	k.width = convolve.RoundUp(d[0])
	k.pitch, k.height = k.width+2*r+2*convolve.Lanes, d[1]+2*r
	k.planes = resize(k.planes, k.w.levels()*k.pitch*k.height)
	k.half = resize(k.half, k.pitch*k.height)
	k.ring = resize(k.ring, k.slots()*k.w.slices()*d[1]*k.width)
	k.sum = resize(k.sum, k.width)
}

// resize returns memory for n values; what is new is 0.
func resize(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}

// slots is how many slices the ring holds.
func (k *Kernel) slots() int { return 2*k.w.slices() - 1 }

// row returns the place in the ring of the first row of a slice for a distance.
func (k *Kernel) row(z, j int) int {
	n := k.slots()
	return (((z%n+n)%n)*k.w.slices() + j) * k.tile.Dims()[1] * k.width
}

// margin is how far beyond the tile a level is computed: what the levels after it read.
func (k *Kernel) margin(level int) int { return k.w.Reach()[0] - (1<<level - 1) }

// slice computes the sums over the levels of slice z, which may lie outside the volume.
func (k *Kernel) slice(z int) {
	d, levels := k.tile.Dims(), k.w.levels()
	k.read(volume.Mirror(z, k.dims[2]))
	plane := k.pitch * k.height
	quarters := []float64{0.25, 0.5, 0.25}
	for level := 1; level < levels; level++ {
		step, m := 1<<(level-1), k.margin(level)
		from, to := k.planes[(level-1)*plane:level*plane], k.planes[level*plane:(level+1)*plane]
		n := convolve.RoundUp(d[0] + 2*m)
		rows := d[1] + 2*m
		for y := range rows + 2*step {
			convolve.Row(k.half[y*k.pitch:][:n], from[y*k.pitch:], []int{0, step, 2 * step}, quarters)
		}
		for y := range rows {
			convolve.Row(to[y*k.pitch:][:n], k.half[y*k.pitch:], []int{0, step * k.pitch, 2 * step * k.pitch}, quarters)
		}
	}
	offsets, taps := make([]int, levels), make([]float64, levels)
	for j := range k.w.slices() {
		ring := k.ring[k.row(z, j):]
		for level := range levels {
			taps[level] = k.w.at(level, j)
			if j > 0 {
				taps[level] /= 2
			}
		}
		for y := range d[1] {
			for level := range levels {
				m := k.margin(level)
				offsets[level] = level*plane + (y+m)*k.pitch + m
			}
			convolve.Row(ring[y*k.width:][:k.width], k.planes, offsets, taps)
		}
	}
}

// read sets the first plane to d of a slice around the tile.
func (k *Kernel) read(z int) {
	r := k.w.Reach()[0]
	x0, x1 := k.tile.Min[0]-r, k.tile.Max[0]+r
	in0, in1 := max(x0, 0), min(x1, k.dims[0])
	for y := range k.height {
		row := k.planes[y*k.pitch:][:x1-x0]
		k.load(row[in0-x0:in1-x0], in0, volume.Mirror(k.tile.Min[1]-r+y, k.dims[1]), z)
		for x := x0; x < in0; x++ {
			row[x-x0] = row[volume.Mirror(x, k.dims[0])-x0]
		}
		for x := in1; x < x1; x++ {
			row[x-x0] = row[volume.Mirror(x, k.dims[0])-x0]
		}
	}
}

// finish adds up the slices around z.
func (k *Kernel) finish(z int, emit func(y, z int, values []float64)) {
	offsets, ones := make([]int, 0, k.slots()), make([]float64, k.slots())
	for i := range ones {
		ones[i] = 1
	}
	for y := range k.tile.Dims()[1] {
		offsets = offsets[:0]
		for dz := 1 - k.w.slices(); dz < k.w.slices(); dz++ {
			offsets = append(offsets, k.row(z+dz, max(dz, -dz))+y*k.width)
		}
		convolve.Row(k.sum, k.ring, offsets, ones)
		emit(k.tile.Min[1]+y, z, k.sum[:k.tile.Dims()[0]])
	}
}
