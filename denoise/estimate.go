package denoise

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"quell/volume"
)

// The quick noise estimate behind automatic values (Coupe et al. 2008); the
// thorough one is package denoise/noise. A pseudo-residual is a voxel less the
// mean of its neighbours along the axes, scaled so that white noise keeps its
// standard deviation:
//
//	3-D: e_i = sqrt(6/7) (v_i - mean of the six neighbours)
//	2-D: e_i = sqrt(4/5) (v_i - mean of the four neighbours)
//	sigma = 1.4826 median |e_i|
//
// over the voxels above Otsu's threshold whose neighbours all exist and are not
// padding. The median is exact although |e| is never stored: the bits of positive
// floats rise with their value, so one pass over the voxels counts the upper half
// of the bits, and a second one the lower half of those with the median's upper
// half.

// madToSigma converts a median absolute deviation into a standard deviation.
const madToSigma = 1.4826

// volumeSigma is the estimate for the whole volume.
func volumeSigma(ctx context.Context, v *volume.Volume, threshold float32) float64 {
	r := residuals{v: v, threshold: threshold, dims: 3, z0: 0, z1: v.Dims[2]}
	if v.Dims[2] < 3 {
		r.dims = 2
	}
	return r.sigma(ctx, 1)
}

// residuals iterates over the pseudo-residuals of the slices z0 <= z < z1.
type residuals struct {
	v         *volume.Volume
	threshold float32
	dims      int
	z0, z1    int
}

// sigma is 1.4826 median |e|, or 0 if there are fewer than least residuals.
func (r residuals) sigma(ctx context.Context, least int64) float64 {
	upper := r.count(ctx, upperHalf)
	var n int64
	for _, c := range upper {
		n += c
	}
	if n < least {
		return 0
	}
	low := r.kth(ctx, upper, (n-1)/2)
	high := low
	if n%2 == 0 {
		high = r.kth(ctx, upper, n/2)
	}
	return madToSigma * (low + high) / 2
}

// kth returns the k-th smallest |e|, counted from 0, given the counts of upper
// halves.
func (r residuals) kth(ctx context.Context, upper []int64, k int64) float64 {
	top, k := nth(upper, k)
	low, _ := nth(r.count(ctx, top), k)
	return float64(math.Float32frombits(uint32(top)<<16 | uint32(low)))
}

// nth returns the bin that holds item k, counted from 0, and its number in the bin.
func nth(bins []int64, k int64) (bin int, rest int64) {
	for bin < len(bins)-1 && k >= bins[bin] {
		k -= bins[bin]
		bin++
	}
	return bin, k
}

// upperHalf selects the upper halves of the bits in count.
const upperHalf = -1

// count is the histogram of the bits of |e| in 65536 bins: of their upper halves,
// or of the lower halves of those whose upper half is top.
func (r residuals) count(ctx context.Context, top int) []int64 {
	bins := make([]int64, 1<<16)
	var mu sync.Mutex
	chunk := max(1, (r.z1-r.z0)/16) // slices that share one set of local bins
	eachSlice(ctx, (r.z1-r.z0+chunk-1)/chunk, func(i int) {
		local := make([]int64, len(bins))
		var row []float32
		first := r.z0 + i*chunk
		for z := first; z < min(first+chunk, r.z1) && ctx.Err() == nil; z++ {
			for y := 1; y < r.v.Dims[1]-1; y++ {
				row = r.row(row[:0], y, z)
				for _, e := range row {
					bits := math.Float32bits(e)
					if top == upperHalf {
						local[bits>>16]++
					} else if int(bits>>16) == top {
						local[bits&0xffff]++
					}
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for b, c := range local {
			bins[b] += c
		}
	})
	return bins
}

// row appends every |e| of a row of slice z.
func (r residuals) row(row []float32, y, z int) []float32 {
	v := r.v
	steps := []int{1, v.Dims[0], v.SliceVoxels()}[:r.dims]
	if r.dims == 3 && (z < 1 || z >= v.Dims[2]-1) {
		return row
	}
	n := float64(2 * r.dims)
	scale := math.Sqrt(n / (n + 1))
	for i := v.Index(1, y, z); i < v.Index(v.Dims[0]-1, y, z); i++ {
		if !(v.Data[i] > r.threshold) || !v.Valid(i) {
			continue
		}
		sum, complete := 0.0, true
		for _, s := range steps {
			sum += float64(v.Data[i-s]) + float64(v.Data[i+s])
			complete = complete && v.Valid(i-s) && v.Valid(i+s)
		}
		if complete {
			row = append(row, float32(min(math.Abs(scale*(float64(v.Data[i])-sum/n)), math.MaxFloat32)))
		}
	}
	return row
}

// otsuBins is the usual number of bins.
const otsuBins = 256

// otsu returns the threshold that divides the values into two classes with the
// largest variance between them (Otsu 1979): the middle of the last bin of the
// lower class. lo < hi is the volume's range.
func otsu(ctx context.Context, v *volume.Volume, lo, hi float32) float32 {
	width := (float64(hi) - float64(lo)) / otsuBins
	bins := make([]int64, otsuBins)
	eachSlice(ctx, v.Dims[2], func(z int) {
		var local [otsuBins]int64
		mask := v.PlaneMask(z)
		for i, x := range v.Plane(z) {
			if mask == nil || mask[i] {
				local[min(int((float64(x)-float64(lo))/width), otsuBins-1)]++
			}
		}
		for b, c := range local {
			atomic.AddInt64(&bins[b], c)
		}
	})
	var total, moment float64
	for b, c := range bins {
		total += float64(c)
		moment += float64(c) * float64(b)
	}
	best, cut := -1.0, 0
	var below, belowMoment float64
	for b, c := range bins[:otsuBins-1] {
		below += float64(c)
		belowMoment += float64(c) * float64(b)
		above := total - below
		if below == 0 || above == 0 {
			continue
		}
		d := belowMoment/below - (moment-belowMoment)/above
		if between := below * above * d * d; between > best {
			best, cut = between, b
		}
	}
	return float32(float64(lo) + (float64(cut)+0.5)*width)
}
