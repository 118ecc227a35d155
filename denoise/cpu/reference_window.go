package cpu

import (
	"math"
	"slices"

	"quell/denoise"
	"quell/volume"
)

// referenceGaussian: out_i = v_i + sum g_j (v_j - v_i) / sum g_j with
// g_j = exp(-1/2 sum_a (d_a s_a / sigma)^2).
func referenceGaussian(p denoise.GaussianParams, in *volume.Volume, x, y, z int) float64 {
	vi := float64(in.At(x, y, z))
	num, den := 0.0, 1.0
	window(in, p.Radius, x, y, z, func(jx, jy, jz, j int) {
		w := math.Exp(-0.5 * spatial(p, jx-x, jy-y, jz-z))
		num += w * (float64(in.Data[j]) - vi)
		den += w
	})
	return vi + num/den
}

// referenceBilateral: as gaussian, with weights g_j exp(-1/2 ((v_j-v_i)/sigma_r)^2).
func referenceBilateral(p denoise.BilateralParams, in *volume.Volume, x, y, z int) float64 {
	vi := float64(in.At(x, y, z))
	num, den := 0.0, 1.0
	window(in, p.Radius, x, y, z, func(jx, jy, jz, j int) {
		d := float64(in.Data[j]) - vi
		w := math.Exp(-0.5 * (spatial(p.GaussianParams, jx-x, jy-y, jz-z) + d/p.SigmaRange*d/p.SigmaRange))
		num += w * d
		den += w
	})
	return vi + num/den
}

// spatial is sum_a (d_a s_a / sigma)^2.
func spatial(p denoise.GaussianParams, dx, dy, dz int) float64 {
	sum := 0.0
	for c, d := range [3]int{dx, dy, dz} {
		sum += float64(d) * p.Scale[c] * float64(d) * p.Scale[c]
	}
	return sum
}

// referenceMedian: the middle value of the window, or the mean of the two in
// the middle.
func referenceMedian(p denoise.MedianParams, in *volume.Volume, x, y, z int) float64 {
	values := []float64{float64(in.At(x, y, z))}
	window(in, p.Radius, x, y, z, func(_, _, _, j int) {
		values = append(values, float64(in.Data[j]))
	})
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
