package dct

import "math"

// Largest is the largest size of a block along an axis.
const Largest = 8

// basis is the DCT-II of n samples, scaled by sqrt(n) so that its first row is all
// ones: m[k][i] = 1 for k = 0 and sqrt(2) cos(pi (2i+1) k / 2n) otherwise. Its
// transpose is n times its inverse.
type basis struct {
	n int
	m [][]float64

	// The first (n+1)/2 samples of the rows, and of the even and the odd rows
	// sample by sample. Even rows are symmetric, odd ones antisymmetric.
	rows, even, odd [][]float32
}

func newBasis(n int) *basis {
	b := &basis{n: n, even: make([][]float32, (n+1)/2), odd: make([][]float32, (n+1)/2)}
	for k := range n {
		m, row := make([]float64, n), make([]float32, (n+1)/2)
		for i := range m {
			m[i] = 1
			if k > 0 {
				m[i] = cosine((2*i+1)*k, n)
			}
		}
		for i := range row {
			row[i] = float32(m[i])
			if k%2 == 0 {
				b.even[i] = append(b.even[i], row[i])
			} else {
				b.odd[i] = append(b.odd[i], row[i])
			}
		}
		b.m, b.rows = append(b.m, m), append(b.rows, row)
	}
	return b
}

// cosine returns sqrt(2) cos(pi a / 2n). Angles that are mirror images of each other
// have the same magnitude to the bit, so that differences of equal samples vanish.
func cosine(a, n int) float64 {
	a %= 4 * n
	switch {
	case a > 2*n:
		return cosine(4*n-a, n)
	case a > n:
		return -cosine(2*n-a, n)
	case a == n:
		return 0
	case 2*a == n:
		return 1
	case 3*a == 2*n:
		return math.Sqrt2 / 2
	}
	return math.Sqrt2 * math.Cos(math.Pi*float64(a)/float64(2*n))
}

// forward transforms the rows of src: dst[k] = sum_i m[k][i] src[i]. scratch is
// memory for Largest rows.
func (b *basis) forward(dst, src, scratch [][]float32, n int) {
	if b.n == 1 {
		copy(dst[0][:n], src[0][:n])
		return
	}
	pairs := b.n / 2
	var sums, differences [(Largest + 1) / 2][]float32
	for i := range pairs {
		sums[i], differences[i] = scratch[i], scratch[pairs+i]
		sumDifference(sums[i], differences[i], src[i], src[b.n-1-i], n)
	}
	if b.n%2 == 1 {
		sums[pairs] = src[pairs]
	}
	for k := range b.n {
		if k%2 == 0 {
			combine(dst[k], sums[:], b.rows[k], n)
		} else {
			combine(dst[k], differences[:], b.rows[k][:pairs], n)
		}
	}
}

// inverse is n times the inverse of forward: dst[i] = sum_k m[k][i] src[k].
func (b *basis) inverse(dst, src, scratch [][]float32, n int) {
	if b.n == 1 {
		copy(dst[0][:n], src[0][:n])
		return
	}
	var even, odd [(Largest + 1) / 2][]float32
	for k := range b.n {
		if k%2 == 0 {
			even[k/2] = src[k]
		} else {
			odd[k/2] = src[k]
		}
	}
	for i := range b.n / 2 {
		combine(scratch[0], even[:], b.even[i], n)
		combine(scratch[1], odd[:], b.odd[i], n)
		sumDifference(dst[i], dst[b.n-1-i], scratch[0], scratch[1], n)
	}
	if b.n%2 == 1 {
		combine(dst[b.n/2], even[:], b.even[b.n/2], n)
	}
}

// Rows returns the first (n+1)/2 samples of the rows of the DCT of n samples, times
// sqrt(n): 1 in the first row and sqrt(2) cos(pi (2i+1) k / 2n) in row k.
func Rows(n int) [][]float32 { return newBasis(n).rows }

// Rule gives the part that is removed from the coefficients of a block, and what the block
// counts. The mean of the block, its first coefficient, always stays.
//
// Without a pilot it is a hard threshold: a coefficient of magnitude Threshold s or
// less is removed, with s its standard deviation in noise of sigma 1, and the block weighs
// 1 / the number of coefficients that stay. With one it is Wiener's: a coefficient keeps
// the share g = P^2 / (P^2 + (Sigma s)^2) of itself, with P the coefficient of the same
// block of the pilot, and the block weighs 1 / sum g^2.
type Rule struct {
	Threshold float64 // of orthonormal coefficients of white noise, in the volume's unit
	Sigma     float64 // of the noise, with a pilot

	Spectrum *Spectrum // of the noise in blocks of the filter's size; nil if it is white
}

// removed replaces orthonormal coefficients by their removed parts, in place,
// and returns the weight of the block. deviations are those of the spectrum, pilot is nil
// for a hard threshold.
func (r Rule) removed(c, pilot, deviations []float64) (weight float64) {
	if pilot == nil {
		kept := 1.0
		for k := 1; k < len(c); k++ {
			if math.Abs(c[k]) > r.Threshold*deviations[k] {
				kept, c[k] = kept+1, 0
			}
		}
		c[0] = 0
		return 1 / kept
	}
	gains := 1.0
	for k := 1; k < len(c); k++ {
		gain := 1.0
		if r.Sigma > 0 {
			q := pilot[k] / (r.Sigma * deviations[k])
			gain = 1 - 1/(1+q*q)
		}
		gains += gain * gain
		c[k] *= 1 - gain
	}
	c[0] = 0
	return 1 / gains
}

// Limits are the thresholds of the coefficients of a block in the unit of the fast forms,
// x fastest.
func (r Rule) Limits(size [3]int) []float32 {
	_, scale := Units(size)
	var limits []float32
	for _, s := range r.Spectrum.deviations(size) {
		limits = append(limits, float32(min(r.Threshold*s*scale, math.MaxFloat32)))
	}
	return limits
}

// Gain is the factor of a coefficient of the pilot, in the unit of the fast forms, whose
// standard deviation in noise of sigma 1 is s: one over the deviation in the noise; 0 if
// there is none.
func (r Rule) Gain(size [3]int, s float64) float32 {
	if r.Sigma == 0 {
		return 0
	}
	_, scale := Units(size)
	return float32(min(1/(r.Sigma*s*scale), math.MaxFloat32))
}
