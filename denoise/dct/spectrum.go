package dct

import "math"

// Spectrum holds the standard deviations of the orthonormal coefficients of a block in
// noise of sigma 1: those of the frequencies within a slice, by [ky][kx], times those
// across slices, by kz. In white noise all are 1.
type Spectrum struct {
	Within [Largest][Largest]float64
	Across [Largest]float64
}

// leastPower bounds the power of a frequency from below: what an estimated correlation
// says beyond it is its own error, and may be less than 0.
const leastPower = 1.0 / 32

// NewSpectrum returns the spectrum of blocks of that size in noise of the correlation rho
// of two voxels that lie (dx, dy, dz) apart, which is the product of rho(dx, dy, 0) and
// rho(0, 0, dz) and symmetric along each axis. With the rows b_k of the transform along an
// axis, of the matrix R of rho, the power of coefficient k is
//
//	b_k^T R b_k = sum_d a_k(d) rho(d),  a_k(d) = sum_i b_k(i) b_k(i + d)
func NewSpectrum(size [3]int, rho func(d [3]int) float64) *Spectrum {
	var products [3][][]float64
	for c, n := range size {
		products[c] = newBasis(n).products()
	}
	s := new(Spectrum)
	for ky, ay := range products[1] {
		for kx, ax := range products[0] {
			power := 0.0
			for dy, y := range ay {
				for dx, x := range ax {
					power += x * y * rho([3]int{dx, dy, 0})
				}
			}
			s.Within[ky][kx] = deviation(power)
		}
	}
	for kz, az := range products[2] {
		power := 0.0
		for dz, z := range az {
			power += z * rho([3]int{0, 0, dz})
		}
		s.Across[kz] = deviation(power)
	}
	return s
}

func deviation(power float64) float64 { return math.Sqrt(max(power, leastPower)) }

// products returns, for each row of the orthonormal transform, the sums of the products
// of samples that lie d apart in either direction.
func (b *basis) products() [][]float64 {
	all := make([][]float64, b.n)
	for k, row := range b.m {
		all[k] = make([]float64, b.n)
		for i := range row {
			for j := range row {
				all[k][max(i-j, j-i)] += row[i] * row[j] / float64(b.n)
			}
		}
	}
	return all
}

// At is the standard deviation of coefficient (kx, ky, kz); 1 of white noise, which has no
// spectrum.
func (s *Spectrum) At(kx, ky, kz int) float64 {
	if s == nil {
		return 1
	}
	return s.Within[ky][kx] * s.Across[kz]
}

// deviations returns the standard deviations of the coefficients of a block of that size,
// x fastest.
func (s *Spectrum) deviations(size [3]int) []float64 {
	all := make([]float64, 0, size[0]*size[1]*size[2])
	for kz := range size[2] {
		for ky := range size[1] {
			for kx := range size[0] {
				all = append(all, s.At(kx, ky, kz))
			}
		}
	}
	return all
}
