package measure

import (
	"math"

	"quell/volume"
)

// Sample is one point of a line profile.
type Sample struct {
	Distance float64 // mm from the start
	Value    float64 // in the volume's unit; NaN outside the volume and next to padding
}

// Profile samples v along the straight line between two voxel indices, which may be
// fractional, by trilinear interpolation. It takes one sample per voxel along the axis
// along which the line is longest: a line along an axis between whole indices gives
// the voxels themselves. The result is nil if an index is not finite.
func Profile(v *volume.Volume, from, to [3]float64) []Sample {
	longest := 0.0
	for c := range from {
		longest = max(longest, math.Abs(to[c]-from[c]))
	}
	if !(longest < math.MaxInt32) {
		return nil
	}
	steps := max(int(math.Ceil(longest)), 1)
	if longest == 0 {
		steps = 0
	}
	start := v.Affine.Apply(from[0], from[1], from[2])
	samples := make([]Sample, steps+1)
	for k := range samples {
		at := from
		if k > 0 {
			f := float64(k) / float64(steps)
			for c := range at {
				at[c] = from[c]*(1-f) + to[c]*f
			}
		}
		samples[k] = Sample{
			Distance: v.Affine.Apply(at[0], at[1], at[2]).Sub(start).Norm(),
			Value:    interpolate(v, at),
		}
	}
	return samples
}

// interpolate returns the trilinear interpolation at a voxel index; NaN outside the
// volume, or if a voxel with a weight above 0 is padding.
func interpolate(v *volume.Volume, at [3]float64) float64 {
	var base [3]int
	var part [3]float64
	for c, x := range at {
		if !(x >= 0 && x <= float64(v.Dims[c]-1)) {
			return math.NaN()
		}
		base[c] = int(x)
		part[c] = x - float64(base[c])
	}
	sum := 0.0
	for corner := range 8 {
		weight, at := 1.0, base
		for c := range at {
			if corner>>c&1 == 1 {
				at[c]++
				weight *= part[c]
			} else {
				weight *= 1 - part[c]
			}
		}
		if weight == 0 {
			continue
		}
		i := v.Index(at[0], at[1], at[2])
		if !v.Valid(i) {
			return math.NaN()
		}
		sum += weight * float64(v.Data[i])
	}
	return sum
}
