package gaussian

import (
	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

// tileSize keeps the halo smaller than the tile and the tile within a few
// megabytes.
func tileSize(radius [3]int) [3]int {
	if radius[2] == 0 {
		return [3]int{256, 128, 1}
	}
	return [3]int{128, max(32, 2*radius[1]), max(32, 2*radius[2])}
}

// start runs the Gaussian mean as normalised convolution (Knutsson, Westin 1993),
// in float64: with m = 1 on voxels that are used and 0 elsewhere,
//
//	out = G(m v) / G(m),
//
// where G is three passes along the axes. A constant comes back exactly: the
// quotient is off by far less than float32 resolves.
func start(p Params, in, out denoise.Field) func() denoise.Worker {
	var taps [3][]float64
	for c := range 3 {
		taps[c] = p.Taps(c)
	}
	return func() denoise.Worker {
		var values tile.Block
		var v, m, scratch []float64
		return func(t volume.Region, stop func() bool) {
			values.Load(&in, in.Around(t, p.Radius))
			n := len(values.Values) - tile.Lanes
			v, m, scratch = tile.Resize(v, n), tile.Resize(m, n), tile.Resize(scratch, n)
			for i := range v {
				m[i] = 1
				if values.Mask != nil {
					m[i] = float64(values.Mask[i])
				}
				v[i] = m[i] * float64(values.Values[i])
			}
			for c := range 3 {
				if p.Radius[c] > 0 {
					smooth(scratch, v, values.Dims, c, taps[c], stop)
					v, scratch = scratch, v
					smooth(scratch, m, values.Dims, c, taps[c], stop)
					m, scratch = scratch, m
				}
			}
			if stop() {
				return
			}
			for z := t.Min[2]; z < t.Max[2]; z++ {
				for y := t.Min[1]; y < t.Max[1]; y++ {
					from, to := values.At(t.Min[0], y, z), out.Index(t.Min[0], y, z)
					for x := range t.Max[0] - t.Min[0] {
						// A voxel far from all valid ones has m = 0, and is excluded itself.
						if out.Valid(to + x) {
							out.Data[to+x] = float32(v[from+x] / m[from+x])
						}
					}
				}
			}
		}
	}
}

// smooth convolves src along one axis; voxels outside the block count as 0.
func smooth(dst, src []float64, dims [3]int, axis int, taps []float64, stop func() bool) {
	step := [3]int{1, dims[0], dims[0] * dims[1]}[axis]
	r := len(taps) / 2
	for z := range dims[2] {
		if stop() {
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
