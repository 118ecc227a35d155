package median

import (
	"math"
	"sync"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

var tileSize = [3]int{256, 16, 1}

// largestNetwork is the number of voxels of a neighbourhood up to which networks are
// used. Larger ones would still be faster than selection, but take too long to compile
// for a small volume.
const largestNetwork = 400

// worker computes medians row by row with a network, and one by one by selection if
// none applies: in large neighbourhoods, next to excluded voxels, and in volumes so
// narrow that a neighbourhood is clipped at both ends of the x axis.
//
// If the volume ends along y or z, a neighbourhood has fewer rows: that is another
// network. If it ends along x, infinite values take the place of missing columns
// (pad).
type worker struct {
	Params
	in, out denoise.Field
	memory  []float32 // of a program
	holes   []int     // for each column of a row, how many before it have an excluded voxel
	values  []float32 // to select from
}

func start(p Params, in, out denoise.Field) func() denoise.Worker {
	return func() denoise.Worker {
		w := &worker{Params: p, in: in, out: out}
		return w.run
	}
}

// variant is what networks differ in.
type variant struct {
	rows  int  // of the neighbourhood inside the volume
	width int  // of the neighbourhood
	upper bool // some median is the mean of two values
}

// pitch returns the values in a row of the program.
func (v variant) pitch() int { return roundUp(tileSize[0] + v.width - 1) }

// programs holds the programs that were compiled, of 140 kB at most; all there can be would take 50
// MB. They outlive the run: a judgement runs the filter some hundred times on small boxes, and
// compiling took a tenth of the time and left most of the garbage.
var programs = struct {
	sync.Mutex
	of map[variant]*program
}{of: map[variant]*program{}}

// program returns the program of v, compiled once. It is safe for concurrent use.
func (v variant) program() *program {
	programs.Lock()
	defer programs.Unlock()
	if programs.of[v] == nil {
		programs.of[v] = newNetwork(v.rows, v.width, v.upper).compile(v.pitch())
	}
	return programs.of[v]
}

// usesNetwork reports whether medians in a volume with n voxels along x are computed by
// a network.
func (p Params) usesNetwork(n int) bool {
	return tile.Count(p.Radius) <= largestNetwork && n >= 2*p.Radius[0]
}

func (w *worker) run(t volume.Region, stop func() bool) {
	for z := t.Min[2]; z < t.Max[2]; z++ {
		for y := t.Min[1]; y < t.Max[1]; y++ {
			if stop() {
				return
			}
			row := volume.Region{Min: [3]int{t.Min[0], y, z}, Max: [3]int{t.Max[0], y + 1, z + 1}}
			if w.usesNetwork(w.in.Dims[0]) {
				w.network(row)
			} else {
				w.selection(row, func(int) bool { return true })
			}
		}
	}
}

// selection computes those voxels of a row that are wanted, x counted from its first.
func (w *worker) selection(row volume.Region, wanted func(x int) bool) {
	to := w.out.Index(row.Min[0], row.Min[1], row.Min[2])
	for x := range row.Dims()[0] {
		if w.out.Valid(to+x) && wanted(x) {
			w.values = neighbourhood(w.values[:0], w.Params, &w.in, row.Min[0]+x, row.Min[1], row.Min[2])
			w.out.Data[to+x] = median(w.values)
		}
	}
}

// network computes a row of voxels.
func (w *worker) network(row volume.Region) {
	box := w.in.Around(row, w.Radius)
	left := box.Min[0] - (row.Min[0] - w.Radius[0]) // missing columns
	right := row.Max[0] + w.Radius[0] - box.Max[0]
	n := row.Dims()[0]
	rows, columns := box.Dims()[1]*box.Dims()[2], n+2*w.Radius[0]
	wanted := variant{rows, 2*w.Radius[0] + 1, rows%2 == 0 || left+right > 0}
	p := wanted.program()
	w.memory = tile.Resize(w.memory, max(p.size, len(w.memory)))
	k := 0
	for z := box.Min[2]; z < box.Max[2]; z++ {
		for y := box.Min[1]; y < box.Max[1]; y++ {
			line := w.memory[k*wanted.pitch():][:columns]
			copy(line[left:], w.in.Data[w.in.Index(box.Min[0], y, z):][:box.Dims()[0]])
			pad(line, left, right, k < (rows+1)/2)
			k++
		}
	}
	run(p.operations, w.memory, roundUp(columns))

	middle := w.memory[p.results[0]:][:n]
	if p.upper {
		next := w.memory[p.results[1]:][:n]
		// The middle is the mean of two if an odd number of columns of an odd number of
		// voxels is missing, and everywhere if their number is even.
		first, last, step := left-1, n-right, 2
		if rows%2 == 0 {
			first, last, step = n-1, n, 1
		}
		for x := first; x >= 0; x -= step {
			if x < n { // the row may end before the columns do
				middle[x] = mean(middle[x], next[x])
			}
		}
		for x := last; x < n; x += step {
			if x >= 0 {
				middle[x] = mean(middle[x], next[x])
			}
		}
	}
	to := w.out.Index(row.Min[0], row.Min[1], row.Min[2])
	if w.in.Mask == nil {
		copy(w.out.Data[to:], middle)
		return
	}
	w.findHoles(box, left, columns)
	whole := func(x int) bool { return w.holes[x] == w.holes[x+2*w.Radius[0]+1] }
	for x, v := range middle {
		if w.out.Valid(to+x) && whole(x) {
			w.out.Data[to+x] = v
		}
	}
	w.selection(row, func(x int) bool { return !whole(x) })
}

// findHoles counts the columns of a box with excluded voxels. The box begins at column
// left of a row of so many.
func (w *worker) findHoles(box volume.Region, left, columns int) {
	w.holes = tile.Resize(w.holes, columns+1)
	clear(w.holes)
	for z := box.Min[2]; z < box.Max[2]; z++ {
		for y := box.Min[1]; y < box.Max[1]; y++ {
			for x, valid := range w.in.Mask[w.in.Index(box.Min[0], y, z):][:box.Dims()[0]] {
				if !valid {
					w.holes[left+x+1] = 1
				}
			}
		}
	}
	for x := range columns {
		w.holes[x+1] += w.holes[x]
	}
}

// pad fills the columns of a row that lie outside the volume, left and right of its
// ends. In the first half of the rows, of an odd number the larger one, the column next
// to the volume is -inf, the next one +inf and so on; in the other half the signs are
// opposite. Two columns therefore leave the middle at its place. One, if it has an odd
// number of voxels, leaves the lower of two middle values in the place of the middle.
func pad(row []float32, left, right int, first bool) {
	v := float32(math.Inf(1))
	if first {
		v = -v
	}
	for d := range max(left, right) {
		if d < left {
			row[left-1-d] = v
		}
		if d < right {
			row[len(row)-right+d] = v
		}
		v = -v
	}
}
