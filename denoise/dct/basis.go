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
