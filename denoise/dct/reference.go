package dct

import (
	"math"

	"quell/denoise"
)

// Reference returns the function that computes voxel (x, y, z) of in as the package
// comment defines it, with blocks of the given size along x, y and z. pilot is nil
// for a hard threshold; an excluded sample of the pilot is the one of in.
func Reference(size [3]int, rule Rule) func(in, pilot *denoise.Field, x, y, z int) float64 {
	var bases [3]*basis
	for c, n := range size {
		bases[c] = newBasis(n)
	}
	deviations := rule.Spectrum.deviations(size)
	return func(in, pilot *denoise.Field, x, y, z int) float64 {
		v := float64(in.At(x, y, z))
		last := [3]int{in.Dims[0] - size[0], in.Dims[1] - size[1], in.Dims[2] - size[2]}
		sum, weights := 0.0, 0.0
		for bz := max(z-size[2]+1, 0); bz <= min(z, last[2]); bz++ {
			for by := max(y-size[1]+1, 0); by <= min(y, last[1]); by++ {
				for bx := max(x-size[0]+1, 0); bx <= min(x, last[0]); bx++ {
					// Differences from v have the same coefficients but the first.
					at := [3]int{bx, by, bz}
					c := transform(samples(in, in, at, size, v), bases)
					var p []float64
					if pilot != nil {
						p = transform(samples(pilot, in, at, size, v), bases)
					}
					w := rule.removed(c, p, deviations)
					sum += w * sample(c, bases, [3]int{x - bx, y - by, z - bz})
					weights += w
				}
			}
		}
		return v - sum/weights
	}
}

// samples returns the block of f that begins at voxel at, less offset. An excluded
// sample is the one of in.
func samples(f, in *denoise.Field, at, size [3]int, offset float64) []float64 {
	s := make([]float64, 0, size[0]*size[1]*size[2])
	for z := at[2]; z < at[2]+size[2]; z++ {
		for y := at[1]; y < at[1]+size[1]; y++ {
			for x := at[0]; x < at[0]+size[0]; x++ {
				from := f
				if !f.Valid(f.Index(x, y, z)) {
					from = in
				}
				s = append(s, float64(from.At(x, y, z))-offset)
			}
		}
	}
	return s
}

// transform returns the orthonormal coefficients of a block, axis by axis.
func transform(s []float64, bases [3]*basis) []float64 {
	stride := 1
	for _, b := range bases {
		out := make([]float64, len(s))
		scale := 1 / math.Sqrt(float64(b.n))
		for first := 0; first < len(s); first += b.n * stride {
			for i := first; i < first+stride; i++ {
				for k, row := range b.m {
					sum := 0.0
					for j, m := range row {
						sum += m * s[i+j*stride]
					}
					out[i+k*stride] = scale * sum
				}
			}
		}
		s, stride = out, stride*b.n
	}
	return s
}

// sample returns one sample of the inverse transform of coefficients.
func sample(c []float64, bases [3]*basis, at [3]int) float64 {
	sum, i := 0.0, 0
	for _, mz := range bases[2].m {
		for _, my := range bases[1].m {
			for _, mx := range bases[0].m {
				sum += c[i] * mx[at[0]] * my[at[1]] * mz[at[2]]
				i++
			}
		}
	}
	return sum / math.Sqrt(float64(len(c)))
}
