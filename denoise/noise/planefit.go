package noise

import (
	"context"
	"math"
	"slices"

	"quell/internal/parallel"
	"quell/volume"
)

// The estimator for correlated noise. In windows of a slice that lie in soft
// tissue a plane is fitted and removed; the standard deviation of what remains
// has a sharp peak over the windows at that of the noise, since even tissue
// always gives the same value and structure scatters to higher ones. sigma is
// the mode of log sd.

// Soft tissue in HU: neither lung, bone nor air. The means of tissueBox x
// tissueBox pixels must lie between.
const (
	tissueLow  = -30
	tissueHigh = 130
	tissueBox  = 5
)

// tissue marks the pixels of slice z whose neighbourhood has the mean of soft
// tissue and holds no padding.
func tissue(v *volume.Volume, z int) []bool {
	nx, ny := v.Dims[0], v.Dims[1]
	const h = tissueBox / 2
	ok := make([]bool, nx*ny)
	plane, mask := v.Plane(z), v.PlaneMask(z)
	columns := make([]float64, nx)
	for y := h; y < ny-h; y++ {
		clear(columns)
		for j := y - h; j <= y+h; j++ {
			for x, a := range plane[j*nx : (j+1)*nx] {
				if mask != nil && !mask[j*nx+x] {
					columns[x] = math.Inf(1)
					continue
				}
				columns[x] += float64(a)
			}
		}
		for x := h; x < nx-h; x++ {
			mean := 0.0
			for _, c := range columns[x-h : x+h+1] {
				mean += c
			}
			mean /= tissueBox * tissueBox
			ok[y*nx+x] = mean > tissueLow && mean < tissueHigh
		}
	}
	return ok
}

// planeWindow returns the side of the windows in pixels: about 4.5 mm, which is
// larger than the correlation of usual kernels and smaller than most organs.
func planeWindow(g volume.Geometry) int {
	n := int(math.Round(4.5 / math.Min(g.Spacing[0], g.Spacing[1])))
	return min(max(n, 7), 11) | 1
}

// minWindows is the fewest windows that an estimate rests on.
const minWindows = 40

// planeFits measures the windows of side n, a third of a window apart, that lie in
// the soft tissue of the slices. The error is the context's.
func planeFits(ctx context.Context, v *volume.Volume, n int) ([]window, error) {
	if v.Dims[0] < n || v.Dims[1] < n {
		return nil, nil
	}
	found := make([][]window, v.Dims[2])
	err := parallel.For(ctx, v.Dims[2], func(z int) error {
		ok := tissue(v, z)
		step := max(n/3, 1)
		for y := 0; y+n <= v.Dims[1]; y += step {
			for x := 0; x+n <= v.Dims[0]; x += step {
				if allTrue(ok, v.Dims[0], x, y, n) {
					found[z] = append(found[z], planeFit(v, n, x, y, z))
				}
			}
		}
		return nil
	})
	return slices.Concat(found...), err
}

// allTrue says whether the n x n pixels from (x, y) on are all marked.
func allTrue(ok []bool, nx, x, y, n int) bool {
	// Most windows outside tissue differ in a corner.
	if !ok[y*nx+x] || !ok[(y+n-1)*nx+x+n-1] {
		return false
	}
	for j := y; j < y+n; j++ {
		if slices.Contains(ok[j*nx+x:j*nx+x+n], false) {
			return false
		}
	}
	return true
}

// planeFit measures one window.
func planeFit(v *volume.Volume, n, x, y, z int) window {
	half := float64(n-1) / 2
	var sum, squares, sumX, sumY float64
	origin := float64(v.At(x+n/2, y+n/2, z)) // keeps the squares small
	for j := range n {
		rowSum := 0.0
		for i, a := range v.Data[v.Index(x, y+j, z):][:n] {
			d := float64(a) - origin
			rowSum += d
			squares += d * d
			sumX += d * (float64(i) - half)
		}
		sum += rowSum
		sumY += rowSum * (float64(j) - half)
	}
	count := float64(n * n)
	axis := count * (count - 1) / 12 // sum of (i - half)^2 over the window
	slopes := (sumX*sumX + sumY*sumY) / axis
	rest := squares - sum*sum/count - slopes
	return window{
		at:     [3]int32{int32(x), int32(y), int32(z)},
		sd:     float32(math.Sqrt(max(rest, 0) / (count - 3))),
		mean:   float32(origin + sum/count),
		uneven: float32(math.Sqrt(slopes / 2)),
	}
}

// level returns the windows of plane fits whose slopes noise covers: those that are not
// more uneven than most, and at least the levelest, a share of all and fewLevel. Structure that raises
// the standard deviation of a window mostly raises its slopes as well, of which the noise
// is independent of what a fit leaves.
func level(ws []window, most float64) []window {
	share := math.Max(levelShare, math.Min(float64(fewLevel)/math.Max(float64(len(ws)), 1), 1))
	limit := float32(math.Max(most, quantile(unevennesses(ws), share)))
	var kept []window
	for _, w := range ws {
		if w.uneven <= limit {
			kept = append(kept, w)
		}
	}
	return kept
}

const (
	levelShare = 0.15
	fewLevel   = 10 * minWindows
)

func unevennesses(ws []window) []float64 {
	out := make([]float64, len(ws))
	for i, w := range ws {
		out[i] = float64(w.uneven)
	}
	return out
}

// sds returns the standard deviations of windows.
func sds(ws []window) []float64 {
	out := make([]float64, len(ws))
	for i, w := range ws {
		out[i] = float64(w.sd)
	}
	return out
}
