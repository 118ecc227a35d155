package lpa

import (
	"math"
	"slices"

	"quell/denoise"
	"quell/denoise/filter/correlation"
	"quell/volume"
)

// fast is the reference with the kernels of each scale tabled and the eight rays of
// a pixel read once. The sums are the reference's, in its order and in float64, so
// that it chooses the same scales to the last bit. If no ray leaves the slice along
// x, pixels of a row are computed side by side (rows.go). The reference computes the
// pixels near excluded voxels, which interrupt rays anywhere.
type fast struct {
	in, out denoise.Field
	p       Params
	tables  [2][]table // along the axes and along the diagonals, one for each scale
	diffs   []float64
	row     row
	near    []bool // whether rays of a pixel of a row may meet an excluded voxel
	columns []int  // working memory of findNear
}

// table holds what mean computes for one scale if the first n samples are
// valid: the weights g_j, and at position n their sum, their q and the half width
// of the confidence interval.
type table struct {
	g            []float64
	sum, q, half []float64
}

var tileSize = [3]int{256, 32, 1}

func start(p Params, in, out denoise.Field) func() denoise.Worker {
	var tables [2][]table
	for d := range tables {
		for _, h := range p.Scales {
			tables[d] = append(tables[d], p.tableOf(d, h))
		}
	}
	longest := p.Scales[len(p.Scales)-1]
	return func() denoise.Worker {
		f := &fast{in: in, out: out, p: p, tables: tables, diffs: make([]float64, longest)}
		f.row.reset(tables[0])
		return f.run
	}
}

// tableOf returns the table of scale h along direction d.
func (p *Params) tableOf(d, h int) table {
	t := table{g: make([]float64, h), sum: make([]float64, h+1), q: make([]float64, h+1), half: make([]float64, h+1)}
	sum := 0.0
	var s spread
	for j := range h {
		t.g[j] = epanechnikov(j, h)
		sum += t.g[j]
		s.add(t.g[j], p.along(d))
		t.sum[j+1], t.q[j+1] = sum, s.variance()/(sum*sum)
		t.half[j+1] = p.Gamma * p.Sigma * math.Sqrt(t.q[j+1])
	}
	return t
}

func (f *fast) run(t volume.Region, stop func() bool) {
	for z := t.Min[2]; z < t.Max[2]; z++ {
		for y := t.Min[1]; y < t.Max[1]; y++ {
			if stop() {
				return
			}
			f.eachPixel(t.Min[0], t.Max[0], y, z)
		}
	}
}

// eachPixel computes the pixels of a row from lo up to hi.
func (f *fast) eachPixel(lo, hi, y, z int) {
	if f.in.Mask == nil {
		f.clear(lo, hi, y, z)
		return
	}
	f.findNear(lo, hi, y, z)
	to := f.out.Index(0, y, z)
	for from, end := lo, lo; from < hi; from = end {
		near := f.near[from-lo]
		for end < hi && f.near[end-lo] == near {
			end++
		}
		if !near {
			f.clear(from, end, y, z)
			continue
		}
		for x := from; x < end; x++ {
			if f.out.Valid(to + x) {
				f.out.Data[to+x] = float32(reference(f.p, &f.in, x, y, z))
			}
		}
	}
}

// findNear finds the pixels of a row from lo up to hi with an excluded voxel in the square that their rays reach.
func (f *fast) findNear(lo, hi, y, z int) {
	reach := len(f.diffs) - 1
	left, right := max(lo-reach, 0), min(hi+reach, f.in.Dims[0])
	f.columns = slices.Grow(f.columns[:0], right-left+1)[:right-left+1] // excluded voxels in the columns from left
	clear(f.columns)
	for row := max(y-reach, 0); row < min(y+reach+1, f.in.Dims[1]); row++ {
		at := f.in.Index(left, row, z)
		for x, valid := range f.in.Mask[at : at+right-left] {
			if !valid {
				f.columns[x+1]++
			}
		}
	}
	for x := range right - left {
		f.columns[x+1] += f.columns[x]
	}
	f.near = f.near[:0]
	for x := lo; x < hi; x++ {
		f.near = append(f.near, f.columns[min(x+reach+1, right)-left] > f.columns[max(x-reach, left)-left])
	}
}

// clear computes the pixels of a row from lo up to hi, none of which has an excluded voxel near it.
func (f *fast) clear(lo, hi, y, z int) {
	// Those from first up to end are computed side by side.
	first, end := hi, hi
	if reach := len(f.diffs) - 1; vector() {
		if from, to := max(lo, reach), min(hi, f.in.Dims[0]-reach); to-from >= lanes {
			first, end = from, to
			f.estimateRow(first, end, y, z)
		}
	}
	to := f.out.Index(0, y, z)
	for x := lo; x < first; x++ {
		f.out.Data[to+x] = float32(f.pixel(x, y, z))
	}
	for x := end; x < hi; x++ {
		f.out.Data[to+x] = float32(f.pixel(x, y, z))
	}
}

// estimateRow computes the pixels of a row from lo up to hi, if their rays do not leave
// the slice along x.
func (f *fast) estimateRow(lo, hi, y, z int) {
	for d, step := range directions {
		n := min(len(f.diffs), denoise.Room(y, step[1], f.in.Dims[1]))
		f.row.direct(d, step[1]*f.in.Box.Dims()[0]+step[0], n, f.tables[d%2])
	}
	from, to := f.in.Index(lo, y, z), f.out.Index(lo, y, z)
	f.row.estimate(f.out.Data[to:to+hi-lo], f.in.Data, from)
}

// pixel is the LPA-ICI estimate at (x, y, z), with no excluded voxel near it.
func (f *fast) pixel(x, y, z int) float64 {
	v0 := float64(f.in.At(x, y, z))
	num, den := 0.0, 0.0
	for d := range directions {
		mu, q := f.direction(f.tables[d%2], f.ray(x, y, z, d), v0)
		num += (mu - v0) / q
		den += 1 / q
	}
	return v0 + num/den
}

// ray returns v_j - v_0 along a direction, up to the edge of the slice.
func (f *fast) ray(x, y, z, d int) []float64 {
	step := directions[d]
	diffs := f.diffs
	n := min(len(diffs), denoise.Room(x, step[0], f.in.Dims[0]), denoise.Room(y, step[1], f.in.Dims[1]))
	first, stride := f.in.Index(x, y, z), step[1]*f.in.Box.Dims()[0]+step[0]
	v0 := float64(f.in.Data[first])
	for j := range n {
		diffs[j] = float64(f.in.Data[first+j*stride]) - v0
	}
	return diffs[:n]
}

// direction is the function direction on a ray.
func (f *fast) direction(tables []table, ray []float64, v0 float64) (mu, q float64) {
	lower, upper := math.Inf(-1), math.Inf(1)
	for s := range tables {
		t := &tables[s]
		n := min(len(ray), len(t.g))
		g := t.g[:n]
		sum := 0.0
		for j, d := range ray[:n] {
			sum += float64(g[j] * d)
		}
		m := v0 + sum/t.sum[n]
		if low := m - t.half[n]; low > lower {
			lower = low
		}
		if high := m + t.half[n]; high < upper {
			upper = high
		}
		if lower > upper {
			break
		}
		mu, q = m, t.q[n]
	}
	return mu, q
}

// Lags is how many samples of a ray on the noise is correlated at most.
const Lags = 4

// LeastSpread bounds what correlated noise leaves of the variance that white noise has in a
// mean: an estimated correlation may say less than there is, or less than 0.
const LeastSpread = 1.0 / 16

// rhoOf returns the correlation of the noise 1, 2, ... samples apart along an axis of the
// slice, and along a diagonal; nil if it is white.
func rhoOf(c correlation.Correlation) *[2][Lags]float64 {
	if c.White() {
		return nil
	}
	rho := new([2][Lags]float64)
	for k := range Lags {
		rho[0][k], rho[1][k] = c.Within(float64(k+1)), c.Within(math.Sqrt2*float64(k+1))
	}
	return rho
}

// along returns the correlation along direction d, nil if the noise is white.
func (p *Params) along(d int) *[Lags]float64 {
	if p.Rho == nil {
		return nil
	}
	return &p.Rho[d%2]
}

// spread is the variance of a sum of g_j times noise of sigma 1 along a ray, in this order
// on every path:
//
//	sum_j g_j^2 + 2 sum_j sum_k rho_k g_j g_{j-k}
type spread struct {
	white, shared float64
	last          [Lags]float64 // the weights before, the last first
}

// add takes the next sample on the ray; one that is not used weighs 0.
func (s *spread) add(g float64, rho *[Lags]float64) {
	s.white += float64(g * g)
	if rho == nil {
		return
	}
	for k, r := range rho {
		s.shared += float64(r * float64(g*s.last[k]))
	}
	copy(s.last[1:], s.last[:])
	s.last[0] = g
}

func (s *spread) variance() float64 { return max(s.white+2*s.shared, LeastSpread*s.white) }
