package noise

import (
	"math"
	"slices"
)

// difference is a symmetric difference filter: its middle coefficient and those to
// either side of it.
type difference []float32

// The differences along one axis, not normalised.
var (
	second = difference{-2, 1}
	fourth = difference{6, -4, 1}
	sixth  = difference{-20, 15, -6, 1}
)

// reach returns how many voxels to either side are read.
func (d difference) reach() int { return len(d) - 1 }

// norm returns the variance of the differences along every axis that has a reach,
// taken in turn, on white noise of sigma 1.
func (d difference) norm(reach [3]int) float64 {
	sum := float64(d[0]) * float64(d[0])
	for _, t := range d[1:] {
		sum += 2 * float64(t) * float64(t)
	}
	norm := 1.0
	for _, r := range reach {
		if r > 0 {
			norm *= sum
		}
	}
	return norm
}

// along writes to dst the differences of row around its elements from on; row has
// the reach to either side.
func (d difference) along(dst, row []float32, from int) {
	d.combine(dst, func(k int) []float32 { return row[from+k : from+k+len(dst)] })
}

// combine writes the difference of rows to dst. at returns the row k voxels from
// the middle one. It is nearly all of the time that an estimate takes.
func (d difference) combine(dst []float32, at func(k int) []float32) {
	row := func(k int) []float32 { return at(k)[:len(dst)] }
	t := d
	m := row(0)
	a1, b1 := row(-1), row(1)
	switch len(t) {
	case 2:
		for i := range dst {
			dst[i] = t[0]*m[i] + t[1]*(a1[i]+b1[i])
		}
	case 3:
		t0, t1, t2 := t[0], t[1], t[2]
		a2, b2 := row(-2), row(2)
		for i := range dst {
			dst[i] = t0*m[i] + t1*(a1[i]+b1[i]) + t2*(a2[i]+b2[i])
		}
	case 4:
		t0, t1, t2, t3 := t[0], t[1], t[2], t[3]
		a2, b2, a3, b3 := row(-2), row(2), row(-3), row(3)
		for i := range dst {
			dst[i] = t0*m[i] + t1*(a1[i]+b1[i]) + t2*(a2[i]+b2[i]) + t3*(a3[i]+b3[i])
		}
	}
}

// correlation returns the correlation of two differences of white noise that lie
// lag voxels apart along the axis.
func (d difference) correlation(lag int) float64 {
	full := append(slices.Clone(d[1:]), d...)
	slices.Reverse(full[:len(d)-1])
	sum, norm := 0.0, 0.0
	for i, t := range full {
		norm += float64(t) * float64(t)
		if j := i + lag; j < len(full) {
			sum += float64(t) * float64(full[j])
		}
	}
	return sum / norm
}

// extent returns how many differences of white noise in a row one independent sample
// of them covers: the sum of the squared correlations.
func (d difference) extent() float64 {
	sum := 1.0
	for lag := 1; lag <= 2*d.reach(); lag++ {
		sum += 2 * d.correlation(lag) * d.correlation(lag)
	}
	return sum
}

// pureNoise returns the q-quantile of the root mean squares of differences in
// windows of white noise of sigma 1.
//
// The mean square is a quadratic form of normal values; its quantile follows from
// its first three cumulants (Jensen, Solomon 1972), which are traces of powers of
// the correlation matrix of the differences. That matrix is the product of one
// matrix for every axis longer than 1.
func pureNoise(d difference, size [3]int, q float64) float64 {
	k2, k3 := 2.0, 8.0
	for _, n := range size {
		if n == 1 {
			continue
		}
		t2, t3 := traces(d, n)
		k2 *= t2 / float64(n*n)
		k3 *= t3 / float64(n*n*n)
	}
	h := 1 - k3/(3*k2*k2)
	z := math.Sqrt2 * math.Erfinv(2*q-1)
	return math.Sqrt(math.Pow(1+h*(h-1)*k2/2+z*h*math.Sqrt(k2), 1/h))
}

// traces returns the traces of the second and the third power of the correlation
// matrix of n differences in a row.
func traces(d difference, n int) (t2, t3 float64) {
	rho := make([]float64, n)
	for lag := range rho {
		rho[lag] = d.correlation(lag)
	}
	at := func(i, j int) float64 { return rho[max(i-j, j-i)] }
	for i := range n {
		for j := range n {
			t2 += at(i, j) * at(i, j)
			for k := range n {
				t3 += at(i, j) * at(j, k) * at(k, i)
			}
		}
	}
	return t2, t3
}
