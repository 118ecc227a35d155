package noise

import (
	"context"
	"slices"

	"quell/internal/message"
	"quell/volume"
)

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
