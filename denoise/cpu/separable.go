package cpu

import (
	"sync/atomic"

	"quell/denoise"
	"quell/volume"
)

// gaussianFilter is the Gaussian mean as normalised convolution (Knutsson,
// Westin 1993), in float64: with m = 1 on voxels that are used and 0 elsewhere,
//
//	out = G(m v) / G(m),
//
// where G is three passes along the axes. A constant comes back exactly: the
// quotient is off by far less than float32 resolves.
type gaussianFilter struct {
	in, out *volume.Volume
	region  volume.Region
	radius  [3]int
	taps    [3][]float64 // 2r+1 along each axis
}

func newGaussian(p denoise.GaussianParams, in, out *volume.Volume, region volume.Region) *gaussianFilter {
	f := &gaussianFilter{in: in, out: out, region: region, radius: p.Radius}
	for c := range 3 {
		f.taps[c] = p.Taps(c)
	}
	return f
}

// tileSize keeps the halo below the tile and the tile within a few megabytes.
func (f *gaussianFilter) tileSize() [3]int {
	if f.radius[2] == 0 {
		return [3]int{256, 128, 1}
	}
	return [3]int{128, max(32, 2*f.radius[1]), max(32, 2*f.radius[2])}
}

func (f *gaussianFilter) newWorker() worker {
	var values block
	var v, m, scratch []float64
	return func(tile volume.Region, stop *atomic.Bool) {
		values.load(f.in, tile.Grow(f.radius, f.in.Geometry))
		n := len(values.v) - lanes
		v, m, scratch = resize64(v, n), resize64(m, n), resize64(scratch, n)
		for i := range v {
			m[i] = 1
			if values.mask != nil {
				m[i] = float64(values.mask[i])
			}
			v[i] = m[i] * float64(values.v[i])
		}
		for c := range 3 {
			if f.radius[c] > 0 {
				smooth(scratch, v, values.dims, c, f.taps[c], stop)
				v, scratch = scratch, v
				smooth(scratch, m, values.dims, c, f.taps[c], stop)
				m, scratch = scratch, m
			}
		}
		if stop.Load() {
			return
		}
		for z := tile.Min[2]; z < tile.Max[2]; z++ {
			for y := tile.Min[1]; y < tile.Max[1]; y++ {
				from := values.at(tile.Min[0], y, z)
				to := f.out.Index(tile.Min[0]-f.region.Min[0], y-f.region.Min[1], z-f.region.Min[2])
				for x := range tile.Max[0] - tile.Min[0] {
					// A voxel far from all valid ones has m = 0, and is masked itself.
					if f.out.Valid(to + x) {
						f.out.Data[to+x] = float32(v[from+x] / m[from+x])
					}
				}
			}
		}
	}
}

// smooth convolves src along one axis; what is outside counts as 0.
func smooth(dst, src []float64, dims [3]int, axis int, taps []float64, stop *atomic.Bool) {
	step := [3]int{1, dims[0], dims[0] * dims[1]}[axis]
	r := len(taps) / 2
	for z := range dims[2] {
		if stop.Load() {
			return
		}
		for y := range dims[1] {
			first := (z*dims[1] + y) * dims[0]
			row := dst[first : first+dims[0]]
			if axis == 0 {
				for x := range row {
					sum := 0.0
					for k := max(-r, -x); k <= min(r, dims[0]-1-x); k++ {
						sum += float64(taps[r+k] * src[first+x+k])
					}
					row[x] = sum
				}
				continue
			}
			clear(row)
			at := [3]int{0, y, z}[axis]
			for k := max(-r, -at); k <= min(r, dims[axis]-1-at); k++ {
				g, from := taps[r+k], src[first+k*step:][:dims[0]]
				for x := range row {
					row[x] += float64(g * from[x])
				}
			}
		}
	}
}

func resize64(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	return s[:n]
}
