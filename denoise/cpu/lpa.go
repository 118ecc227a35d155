package cpu

import (
	"math"
	"sync/atomic"

	"quell/denoise"
	"quell/volume"
)

// lpaFilter is reference_lpa.go with the windows of each scale tabled and the
// eight rays of a pixel read from a block. The sums are the reference's, in its
// order and in float64, so that it chooses the same scales to the last bit.
type lpaFilter struct {
	in, out *volume.Volume
	region  volume.Region
	p       denoise.LPAParams
	windows []lpaTable // one for each scale
}

// lpaTable holds what lpaMean computes for one scale where no sample is left
// out of the first n: g_j, and at n their sum, their q and the half width of
// the confidence interval.
type lpaTable struct {
	g            []float64
	sum, q, half []float64
}

func newLPA(p denoise.LPAParams, in, out *volume.Volume, region volume.Region) *lpaFilter {
	f := &lpaFilter{in: in, out: out, region: region, p: p}
	for _, h := range p.Scales {
		t := lpaTable{g: make([]float64, h), sum: make([]float64, h+1), q: make([]float64, h+1), half: make([]float64, h+1)}
		sum, sum2 := 0.0, 0.0
		for j := range h {
			t.g[j] = lpaWindow(j, h)
			sum += t.g[j]
			sum2 += float64(t.g[j] * t.g[j])
			t.sum[j+1], t.q[j+1] = sum, sum2/(sum*sum)
			t.half[j+1] = p.Gamma * p.Sigma * math.Sqrt(t.q[j+1])
		}
		f.windows = append(f.windows, t)
	}
	return f
}

func (f *lpaFilter) tileSize() [3]int { return [3]int{256, 32, 1} }

func (f *lpaFilter) newWorker() worker {
	longest := f.p.Scales[len(f.p.Scales)-1]
	diffs := make([]float64, longest)
	return func(tile volume.Region, stop *atomic.Bool) {
		z := tile.Min[2]
		for y := tile.Min[1]; y < tile.Max[1]; y++ {
			if stop.Load() {
				return
			}
			to := f.out.Index(tile.Min[0]-f.region.Min[0], y-f.region.Min[1], z-f.region.Min[2])
			for x := tile.Min[0]; x < tile.Max[0]; x++ {
				if i := to + x - tile.Min[0]; f.out.Valid(i) {
					f.out.Data[i] = float32(f.pixel(diffs, x, y, z))
				}
			}
		}
	}
}

// pixel is the LPA-ICI estimate at (x, y, z).
func (f *lpaFilter) pixel(diffs []float64, x, y, z int) float64 {
	if f.in.Mask != nil {
		// Padding breaks the rays anywhere: no table holds that.
		return referenceLPA(f.p, f.in, x, y, z)
	}
	v0 := float64(f.in.At(x, y, z))
	num, den := 0.0, 0.0
	for d := range lpaDirections {
		mu, q := f.direction(f.ray(diffs, x, y, z, d), v0)
		num += (mu - v0) / q
		den += 1 / q
	}
	return v0 + num/den
}

// ray reads v_j - v_0 along a direction for as long as the slice goes on.
func (f *lpaFilter) ray(diffs []float64, x, y, z, direction int) []float64 {
	step := lpaDirections[direction]
	n := min(len(diffs), room(x, step[0], f.in.Dims[0]), room(y, step[1], f.in.Dims[1]))
	first, stride := f.in.Index(x, y, z), step[1]*f.in.Dims[0]+step[0]
	v0 := float64(f.in.Data[first])
	for j := range n {
		diffs[j] = float64(f.in.Data[first+j*stride]) - v0
	}
	return diffs[:n]
}

// room is how many samples fit from i on in steps of d on an axis of n.
func room(i, d, n int) int {
	switch d {
	case 1:
		return n - i
	case -1:
		return i + 1
	}
	return math.MaxInt
}

// direction is lpaDirection on a ray, without the scale.
func (f *lpaFilter) direction(ray []float64, v0 float64) (mu, q float64) {
	lower, upper := math.Inf(-1), math.Inf(1)
	for s := range f.windows {
		t := &f.windows[s]
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
