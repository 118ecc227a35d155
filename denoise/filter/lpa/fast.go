package lpa

import (
	"math"

	"quell/denoise"
	"quell/volume"
)

// fast is the reference with the kernels of each scale tabled and the eight rays of
// a pixel read once. The sums are the reference's, in its order and in float64, so
// that it chooses the same scales to the last bit. If no ray leaves the slice along
// x, pixels of a row are computed side by side (rows.go).
type fast struct {
	in, out denoise.Field
	p       Params
	tables  [2][]table // along the axes and along the diagonals, one for each scale
	diffs   []float64
	row     row
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
	longest := len(f.diffs)
	for z := t.Min[2]; z < t.Max[2]; z++ {
		for y := t.Min[1]; y < t.Max[1]; y++ {
			if stop() {
				return
			}
			// The pixels from lo up to hi are computed side by side.
			lo, hi := t.Max[0], t.Max[0]
			if vector() && f.in.Mask == nil {
				first, end := max(t.Min[0], longest-1), min(t.Max[0], f.in.Dims[0]-longest+1)
				if end-first >= lanes {
					lo, hi = first, end
					f.estimateRow(lo, hi, y, z)
				}
			}
			f.eachPixel(t.Min[0], lo, y, z)
			f.eachPixel(hi, t.Max[0], y, z)
		}
	}
}

// eachPixel computes the pixels of a row from lo up to hi one by one.
func (f *fast) eachPixel(lo, hi, y, z int) {
	to := f.out.Index(0, y, z)
	for x := lo; x < hi; x++ {
		if f.out.Valid(to + x) {
			f.out.Data[to+x] = float32(f.pixel(x, y, z))
		}
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

// pixel is the LPA-ICI estimate at (x, y, z).
func (f *fast) pixel(x, y, z int) float64 {
	if f.in.Mask != nil {
		// Excluded voxels interrupt the rays anywhere: no table covers that.
		return reference(f.p, &f.in, x, y, z)
	}
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
