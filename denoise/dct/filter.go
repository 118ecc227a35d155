package dct

import (
	"math"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

const lanes = tile.Lanes

// Filter is what the tiles of one run share.
type Filter struct {
	In    denoise.Field
	Pilot *denoise.Field // nil for a hard threshold; an excluded sample is the one of In
	Out   denoise.Field
	Size  [3]int // of a block along x, y, z, at most the length of the volume; 1 along z in two dimensions
	Rule  Rule
}

// Size returns the size of blocks of n voxels along the first dims axes, in a volume of
// geometry g.
func Size(n, dims int, g volume.Geometry) [3]int {
	size := [3]int{1, 1, 1}
	for c := range dims {
		size[c] = min(n, g.Dims[c])
	}
	return size
}

// Units returns the factor of the samples of blocks of that size in the fast forms, a
// power of two that keeps all sums within float32, and the factor of their coefficients:
// that times the square root of their number.
func Units(size [3]int) (samples, coefficients float64) {
	n := size[0] * size[1] * size[2]
	_, e := math.Frexp(float64(n) * float64(n)) // a voxel is in n blocks of n coefficients
	samples = math.Ldexp(1, -e-1)
	return samples, samples * math.Sqrt(float64(n))
}

// Reach returns how far around a voxel the blocks of that size read.
func Reach(size [3]int) [3]int { return [3]int{size[0] - 1, size[1] - 1, size[2] - 1} }

// TileSize returns the largest size of a tile: so wide that the positions of its
// blocks fill whole groups of lanes, and small enough for the second-level cache.
func TileSize(size [3]int) [3]int {
	if size[2] == 1 {
		return [3]int{129 - size[0], 64, 1}
	}
	return [3]int{65 - size[0], 16, 32}
}

// Scratch estimates the scratch memory of a worker in bytes.
func Scratch(size [3]int, pilot bool) int64 {
	t := TileSize(size)
	axes := axesOf(size)
	middle, last := size[axes[1]], size[axes[2]]
	rows, channels := t[axes[1]]+middle-1, size[0]*middle
	stride := t[0] + size[0] + 2*lanes
	source := channels*(rows*last+1) + 2*(rows+middle)*(t[axes[2]]+2*last)
	sums := (channels+1)*rows*last + channels*last + (size[0]+1)*rows + 3*Largest + 1
	if pilot {
		source *= 2
	}
	return int64(source+sums) * int64(stride) * 4 * 5 / 4
}

// Nanoseconds of one core for a coefficient of a block, measured on a server core of
// 3 GHz: its share of the transforms, of the rule and of the sums.
const (
	nsCoefficient = 1.6
	nsPlainRatio  = 6 // the ratio of times without and with vector code
)

// Nanoseconds returns the time that one core takes for a voxel.
func Nanoseconds(size [3]int, pilot bool) float64 {
	ns := nsCoefficient * float64(size[0]*size[1]*size[2])
	if pilot {
		ns *= 2
	}
	if !vector() {
		ns *= nsPlainRatio
	}
	return ns
}

// source holds a tile's blocks of one input: its voxels with the halo, and the
// transforms along the first two axes of the last few planes.
type source struct {
	values tile.Block
	planes ring
	lines  [][]float32 // coefficients along the first axis of the rows of one plane
}

// ring holds, for each of the last planes, and in it for each row of block positions,
// the rows of its channels: the coefficients along the first two axes.
type ring struct {
	channels, stride int
	planes           [][]float32
}

func (r *ring) resize(planes, rows, channels, stride int) {
	r.channels, r.stride = channels, stride
	if len(r.planes) != planes {
		r.planes = make([][]float32, planes)
	}
	for i := range r.planes {
		r.planes[i] = tile.Resize(r.planes[i], rows*channels*stride)
	}
}

// row returns a channel of a row of plane p >= 0.
func (r *ring) row(p, row, channel int) []float32 {
	at := (row*r.channels + channel) * r.stride
	return r.planes[p%len(r.planes)][at : at+r.stride]
}

// worker is the scratch memory of one worker. Blocks lie along three axes, x first;
// planes are visited along the last. In two dimensions the middle axis is z, along
// which blocks have one voxel.
type worker struct {
	*Filter
	axes   [3]int
	bases  [3]*basis
	unit   float64              // factor of the samples, see Units
	scale  float64              // factor of the coefficients
	limits []float32            // of coefficients that are removed, in this unit, by their place in a block
	gains  []float32            // factors of the pilot's coefficients: one over their deviation in the noise
	wide   [][4 * lanes]float32 // of blocks of four along the last axis, by channel: their limits, each in all lanes

	tile      volume.Region
	first     [3]int // the first position of a block, along the three axes
	positions [3]int // of blocks that reach the tile, along the three axes
	from, to  [3]int // the positions of blocks that lie in the volume
	n         int    // positions[0] rounded up

	in, pilot source
	sums      ring        // removed parts, weighted and summed over the blocks of the last planes
	weights   ring        // the weights, likewise
	columns   [][]float32 // sums of one plane, back along the middle axis
	planeW    [][]float32 // weights of one plane, summed along the middle axis
	coef      [Largest][]float32
	coefP     [Largest][]float32
	parts     [][]float32 // removed parts of one row of blocks: channel, then plane
	stat      []float32   // what the weight of a block is made of, then the weight
	scratch   [Largest][]float32
	src, dst  [Largest][]float32
}

// axesOf returns the axes in the order of worker.
func axesOf(size [3]int) [3]int {
	if size[2] == 1 {
		return [3]int{0, 2, 1}
	}
	return [3]int{0, 1, 2}
}

// NewWorker returns a worker with scratch memory of its own.
func (f *Filter) NewWorker() denoise.Worker {
	w := &worker{Filter: f, axes: axesOf(f.Size)}
	for k, c := range w.axes {
		w.bases[k] = newBasis(f.Size[c])
	}
	w.unit, w.scale = Units(f.Size)
	w.limits = f.Rule.Limits(f.Size)
	for _, s := range f.Rule.Spectrum.deviations(f.Size) {
		w.gains = append(w.gains, f.Rule.Gain(f.Size, s))
	}
	if channels := w.size(0) * w.size(1); w.size(2) == 4 {
		w.wide = make([][4 * lanes]float32, channels)
		for i, limit := range w.limits {
			tile.Fill(w.wide[i%channels][i/channels*lanes:][:lanes], limit)
		}
	}
	return w.run
}

func (w *worker) run(t volume.Region, stop func() bool) {
	w.reset(t)
	last := w.size(2)
	for p := range w.positions[2] + last - 1 {
		if stop() {
			return
		}
		w.forwardPlane(&w.in, p)
		if w.Pilot != nil {
			w.forwardPlane(&w.pilot, p)
		}
		b := p - last + 1 // the blocks that end in this plane
		if b < 0 {
			continue
		}
		if b >= w.from[2] && b < w.to[2] {
			for row := w.from[1]; row < w.to[1]; row++ {
				w.shrinkRow(b, row)
			}
		}
		if b >= last-1 {
			w.finishPlane(b)
		}
		w.clearPlane(b)
	}
}

// size is the size of a block along an axis.
func (w *worker) size(axis int) int { return w.bases[axis].n }

// reset loads a tile and clears its sums.
func (w *worker) reset(t volume.Region) {
	w.tile = t
	for k, c := range w.axes {
		w.first[k] = t.Min[c] - w.size(k) + 1
		w.positions[k] = t.Max[c] - w.first[k]
		w.from[k] = max(-w.first[k], 0)
		w.to[k] = min(w.positions[k], w.In.Dims[c]-w.Size[c]+1-w.first[k])
	}
	w.n = tile.RoundUp(w.positions[0])
	stride := w.n + lanes
	middle, last := w.size(1), w.size(2)
	channels := w.size(0) * middle
	w.load(&w.in, &w.In, stride)
	if w.Pilot != nil {
		w.load(&w.pilot, w.Pilot, stride)
		for i, used := range w.pilot.values.Mask {
			if used == 0 {
				w.pilot.values.Values[i] = w.in.values.Values[i]
			}
		}
	}
	w.sums.resize(last, w.positions[1], channels, stride)
	w.weights.resize(last, w.positions[1], 1, stride)
	for p := range last {
		w.clearPlane(p)
	}
	w.columns = resizeRows(w.columns, (w.positions[1]-middle+1)*w.size(0), stride)
	w.planeW = resizeRows(w.planeW, w.positions[1]-middle+1, stride)
	w.parts = resizeRows(w.parts, channels*last, stride)
	w.stat = tile.Resize(w.stat, stride)
	for _, rows := range []*[Largest][]float32{&w.coef, &w.coefP, &w.scratch} {
		for i := range rows {
			rows[i] = tile.Resize(rows[i], stride)
		}
	}
}

// load fills a source with the voxels of a tile and its halo.
func (w *worker) load(s *source, in *denoise.Field, stride int) {
	s.values.Load(in, tile.Grow(w.tile, Reach(w.Size)))
	for i, v := range s.values.Values[:len(s.values.Values)-lanes] {
		s.values.Values[i] = float32(float64(v) * w.unit)
	}
	s.planes.resize(w.size(2), w.positions[1], w.size(0)*w.size(1), stride)
	s.lines = resizeRows(s.lines, w.size(0)*w.size(1), stride)
}

// resizeRows returns count rows of n values.
func resizeRows(rows [][]float32, count, n int) [][]float32 {
	for len(rows) < count {
		rows = append(rows, nil)
	}
	rows = rows[:count]
	for i := range rows {
		rows[i] = tile.Resize(rows[i], n)
	}
	return rows
}

// forwardPlane transforms plane p of a source, counted from the first, along the first
// two axes, for every position of a block.
func (w *worker) forwardPlane(s *source, p int) {
	first, middle := w.size(0), w.size(1)
	for line := range w.positions[1] + middle - 1 {
		// The coefficients of the last few lines are kept.
		slot := line % middle * first
		at := s.values.At(w.voxel(0, line, p))
		for i := range first {
			w.src[i] = s.values.Values[at+i:]
		}
		w.bases[0].forward(s.lines[slot:slot+first], w.src[:], w.scratch[:], w.n)
		row := line - middle + 1
		if row < 0 {
			continue
		}
		for k := range first {
			for j := range middle {
				w.src[j] = s.lines[(row+j)%middle*first+k]
				w.dst[j] = s.planes.row(p, row, j*first+k)
			}
			w.bases[1].forward(w.dst[:], w.src[:], w.scratch[:], w.n)
		}
	}
}

// voxel returns the indices of a voxel that lies a, b, c beyond the first position
// along the three axes.
func (w *worker) voxel(a, b, c int) (x, y, z int) {
	var at [3]int
	for k, d := range [3]int{a, b, c} {
		at[w.axes[k]] = w.first[k] + d
	}
	return at[0], at[1], at[2]
}

// shrinkRow transforms a row of blocks that begins in plane p along the last axis,
// applies the rule, and adds what it removes to the sums of the planes.
func (w *worker) shrinkRow(p, row int) {
	last := w.size(2)
	tile.Fill(w.stat[:w.n], 1) // the first coefficients, which stay
	for channel := range w.in.planes.channels {
		if w.Pilot == nil && last == 4 {
			w.readRow(&w.in.planes, p, row, channel)
			if remove4(w.bases[2], w.parts[channel*last:], w.src[:], w.stat, &w.wide[channel], channel == 0, w.n) {
				continue
			}
		}
		w.forwardRow(w.coef[:], &w.in.planes, p, row, channel)
		if w.Pilot != nil {
			w.forwardRow(w.coefP[:], &w.pilot.planes, p, row, channel)
		}
		w.applyRule(channel)
		w.bases[2].inverse(w.parts[channel*last:(channel+1)*last], w.coef[:], w.scratch[:], w.n)
	}
	invert(w.stat, w.n)
	clear(w.stat[:w.from[0]])
	clear(w.stat[w.to[0]:w.n])
	for j := range last {
		add(w.weights.row(p+j, row, 0), w.stat, w.n)
		for channel := range w.in.planes.channels {
			accumulate(w.sums.row(p+j, row, channel), w.stat, w.parts[channel*last+j], w.n)
		}
	}
}

// forwardRow transforms a channel of a row of blocks along the last axis.
func (w *worker) forwardRow(dst [][]float32, planes *ring, p, row, channel int) {
	w.readRow(planes, p, row, channel)
	w.bases[2].forward(dst, w.src[:], w.scratch[:], w.n)
}

// readRow makes the source of a transform the rows of a channel in the planes of a row of
// blocks.
func (w *worker) readRow(planes *ring, p, row, channel int) {
	for j := range w.size(2) {
		w.src[j] = planes.row(p+j, row, channel)
	}
}

// applyRule replaces the coefficients of a channel by their removed parts.
func (w *worker) applyRule(channel int) {
	for k := range w.size(2) {
		c, i := w.coef[k], k*w.in.planes.channels+channel // its place in a block
		switch {
		case channel == 0 && k == 0:
			clear(c[:w.n])
		case w.Pilot == nil:
			threshold(c, w.stat, w.limits[i], w.n)
		case w.Rule.Sigma == 0:
			clear(c[:w.n])
		default:
			shrink(c, w.coefP[k], w.stat, w.gains[i], w.n)
		}
	}
}

// clearPlane clears the sums of a plane.
func (w *worker) clearPlane(p int) {
	clear(w.sums.planes[p%len(w.sums.planes)])
	clear(w.weights.planes[p%len(w.weights.planes)])
}

// finishPlane writes the voxels of plane p once their sums are complete.
func (w *worker) finishPlane(p int) {
	first, middle := w.size(0), w.size(1)
	rows := len(w.planeW)
	for _, r := range w.columns {
		clear(r)
	}
	for _, r := range w.planeW {
		clear(r)
	}
	for row := range w.positions[1] {
		// Row of blocks `row` holds the lines row-middle+1 to row of the tile.
		for k := range first {
			for j := range middle {
				w.src[j] = w.sums.row(p, row, j*first+k)
			}
			w.bases[1].inverse(w.coef[:], w.src[:], w.scratch[:], w.n)
			for j := range middle {
				if line := row - middle + 1 + j; line >= 0 && line < rows {
					add(w.columns[line*first+k], w.coef[j], w.n)
				}
			}
		}
		for j := range middle {
			if line := row - middle + 1 + j; line >= 0 && line < rows {
				add(w.planeW[line], w.weights.row(p, row, 0), w.n)
			}
		}
	}
	for line := range rows {
		w.bases[0].inverse(w.coef[:], w.columns[line*first:(line+1)*first], w.scratch[:], w.n)
		w.writeLine(p, line)
	}
}

// writeLine writes the voxels of a line of plane p. w.coef holds the removed part of
// them by the blocks at each position.
func (w *worker) writeLine(p, line int) {
	first := w.size(0)
	x, y, z := w.voxel(first-1, line+w.size(1)-1, p)
	from, to := w.In.Index(x, y, z), w.Out.Index(x, y, z)
	back := w.scale * w.scale / w.unit // what both transforms scale by
	for i := range w.tile.Max[0] - x {
		if !w.Out.Valid(to + i) {
			continue
		}
		sum, weight := float32(0), float32(0)
		for j := range first {
			sum += w.coef[j][i+first-1-j]
			weight += w.planeW[line][i+first-1-j]
		}
		w.Out.Data[to+i] = float32(float64(w.In.Data[from+i]) - float64(sum)/(float64(weight)*back))
	}
}
