package cpu

import (
	"math"

	"quell/denoise"
	"quell/volume"
)

// newBilateral is the bilateral filter as a pairwise filter: the range weight is
// that of a patch of one voxel, and the spatial weight, computed once for each
// offset, adds to its exponent. What falls below 2^-maxExponent is nothing
// beside the centre's weight of 1.
func newBilateral(p denoise.BilateralParams, in, out *volume.Volume, region volume.Region) *pairFilter {
	return &pairFilter{
		in: in, out: out, region: region,
		search: p.Radius,
		scale:  float32(0.5 * math.Log2E / (p.SigmaRange * p.SigmaRange)),
		offsets: halfWindow(p.Radius, func(d [3]int) float64 {
			return 0.5 * math.Log2E * spatial(p.GaussianParams, d[0], d[1], d[2])
		}),
		mean: func(v float64, s pairSums) (float64, bool) { return v + s.num/(s.den+1), true },
	}
}
