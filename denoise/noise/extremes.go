package noise

import (
	"context"
	"math"
	"slices"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// Text that is burnt into the pixels, hot pixels and padding that no file marks lie far from all other
// values. They would count in the range of the values, of which noise is a share, and as edges in the
// windows. Values count as such if they stand alone:
const (
	extremeBins  = 500
	extremeTop   = 450   // bins from here on are the top
	mostExtreme  = 0.1   // the largest share of the voxels that the top may be
	extremeBulk  = 0.5   // all else lies in at most this share of the range, with fewer voxels than the top between
	leastPadding = 0.001 // the smallest share of the voxels that have a lowest value below 0 if that is padding
	paddingGap   = 0.1   // the share of the range above it that holds no value
	tailGap      = 10    // empty bins that end the tail of the others
	mostSampled  = 1 << 20
)

// withoutExtremes returns v with the values that stand alone marked as padding, in shared memory, and the
// ends of the range of the others: above the bulk, or below it if the lowest value is negative and is
// padding. Without such values it is v itself. The error is the context's.
func withoutExtremes(ctx context.Context, v *volume.Volume) (counted *volume.Volume, lo, hi float32, err error) {
	if lo, hi, err = v.Range(ctx); err != nil {
		return nil, 0, 0, err
	}
	above, below := extremes(v, lo, hi)
	if above >= hi && below <= lo {
		return v, lo, hi, nil
	}
	out := *v
	out.Mask = volume.Make[bool](len(v.Data))
	n := v.SliceVoxels()
	err = parallel.For(ctx, v.Dims[2], func(z int) error {
		for i := z * n; i < (z+1)*n; i++ {
			out.Mask[i] = v.Valid(i) && v.Data[i] <= above && v.Data[i] >= below
		}
		return nil
	})
	if err != nil {
		return nil, 0, 0, err
	}
	lo, hi, err = out.Range(ctx)
	return &out, lo, hi, err
}

// extremes returns the values beyond which values between lo and hi stand alone; lo and hi themselves if none does.
func extremes(v *volume.Volume, lo, hi float32) (above, below float32) {
	width := float64(hi) - float64(lo)
	if !(width > 0) || math.IsInf(width, 0) {
		return hi, lo
	}
	var bins [extremeBins]int
	lowest, total := 0, 0
	for i, step := 0, max(len(v.Data)/mostSampled, 1)|1; i < len(v.Data); i += step {
		if v.Valid(i) {
			total++
			bins[min(int((float64(v.Data[i])-float64(lo))/width*extremeBins), extremeBins-1)]++
			if v.Data[i] == lo {
				lowest++
			}
		}
	}
	at := func(bin int) float32 { return float32(float64(lo) + float64(bin)*width/extremeBins) }
	above, below = hi, lo
	top := 0
	for _, n := range bins[extremeTop:] {
		top += n
	}
	between, bulk := 0, extremeTop
	for ; bulk > 0 && between+bins[bulk-1] <= top; bulk-- {
		between += bins[bulk-1]
	}
	if float64(top) <= mostExtreme*float64(total) && float64(bulk) <= extremeBulk*extremeBins {
		for empty, bin := 0, bulk; bin < extremeTop && empty < tailGap; bin++ { // the tail of the bulk
			if empty++; bins[bin] > 0 {
				empty, bulk = 0, bin+1
			}
		}
		above = at(bulk)
	}
	first := 1
	for ; first < extremeBins && bins[first] == 0; first++ {
	}
	if lo < 0 && lowest == bins[0] && float64(lowest) >= leastPadding*float64(total) && float64(first) > paddingGap*extremeBins {
		below = at(first)
	}
	return above, below
}

// ofOccupied is ofDifferences of the slices between constant ones at either end, such as
// slices that a reconstruction or a mask left empty: differences that reach into them read too
// little noise. The values lie between lo and hi. A constant slice has no figure.
func ofOccupied(ctx context.Context, v *volume.Volume, lo, hi float32) (Estimate, error) {
	r := v.Bounds()
	for r.Max[2] > 0 && constant(v.Plane(r.Max[2]-1)) {
		r.Max[2]--
	}
	for r.Min[2] < r.Max[2] && constant(v.Plane(r.Min[2])) {
		r.Min[2]++
	}
	if r.Min[2] == r.Max[2] || r == v.Bounds() {
		return ofDifferences(ctx, v, lo, hi)
	}
	from, to := v.Index(0, 0, r.Min[2]), r.Max[2]*v.Dims[0]*v.Dims[1]
	part := &volume.Volume{Geometry: v.Geometry.Crop(r), Data: v.Data[from:to], Unit: v.Unit, Modality: v.Modality, Encoding: v.Encoding}
	if v.Mask != nil {
		part.Mask = v.Mask[from:to]
	}
	lo, hi, err := part.Range(ctx)
	if err != nil {
		return Estimate{}, err
	}
	e, err := ofDifferences(ctx, part, lo, hi)
	none := Figure{Confidence: None, Why: message.New(message.NoiseFew, "every voxel of the slice has the same value")}
	e.PerSlice = slices.Concat(slices.Repeat([]Figure{none}, r.Min[2]), e.PerSlice, slices.Repeat([]Figure{none}, v.Dims[2]-r.Max[2]))
	return e, err
}

// constant says whether all values are the same.
func constant(values []float32) bool {
	for _, x := range values {
		if x != values[0] {
			return false
		}
	}
	return true
}
