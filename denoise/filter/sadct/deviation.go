package sadct

import (
	"math"

	"quell/denoise/filter/correlation"
)

// Lags is how many pixels apart the noise is correlated at most, along either axis.
const Lags = 4

// LeastPower bounds the power of a coefficient in noise of sigma 1 from below: an estimated
// correlation may say less than there is, or less than 0.
const LeastPower = 1.0 / 32

// Rho holds the correlation of pixels (dx, dy) apart, by [dy][dx]. It is the same in all
// four quarters.
type Rho [Lags + 1][Lags + 1]float64

func rhoOf(c correlation.Correlation) *Rho {
	if c.White() {
		return nil
	}
	rho := new(Rho)
	for dy := range rho {
		for dx := range rho[dy] {
			rho[dy][dx] = c.Rho([3]int{dx, dy, 0})
		}
	}
	return rho
}

// along returns the variance of sum_j g_j n_j of noise of sigma 1 along a line with steps of
// dx and dy, each 0 or 1.
func (r *Rho) along(g []float64, dx, dy int) float64 {
	white, shared := 0.0, 0.0
	for j, a := range g {
		white += float64(a * a)
		if r == nil {
			continue
		}
		for k := 1; k <= min(Lags, j); k++ {
			shared += float64(r[k*dy][k*dx] * float64(a*g[j-k]))
		}
	}
	return max(white+2*shared, LeastPower*white)
}

// deviations hold the standard deviations of coefficients in correlated noise of sigma 1,
// those of a rectangle: with coefficient k of columns of m pixels and coefficient l of the
// DCT over n columns the power is
//
//	sum_{dx, dy} a_m(k, dy) a_n(l, dx) rho(dx, dy),  a_n(l, d) = sum_j b_l(j) b_l(j + d)
//
// with the orthonormal rows b of length n. Of a support m is the length of its longest
// column and n the number of columns that have a coefficient k: the power of shorter
// columns at about the same frequency is taken to be the same.
type deviations struct {
	side int
	all  []float64 // see of
}

// newDeviations returns nil for white noise.
func newDeviations(rho *Rho, side int) *deviations {
	if rho == nil {
		return nil
	}
	var products [][Lags + 1]float64 // of row l of length n at n (n-1) / 2 + l
	for n := 1; n <= side; n++ {
		for l := range n {
			b := dct().exact[n][l*n : (l+1)*n]
			var a [Lags + 1]float64
			for i := range b {
				for d := 0; d <= min(Lags, i); d++ {
					p := b[i] * b[i-d]
					if d > 0 {
						p *= 2
					}
					a[d] += p
				}
			}
			products = append(products, a)
		}
	}
	d := &deviations{side: side, all: make([]float64, 0, len(products)*len(products))}
	for _, y := range products {
		for _, x := range products {
			power := 0.0
			for dy, b := range y {
				for dx, a := range x {
					power += b * a * rho[dy][dx]
				}
			}
			d.all = append(d.all, math.Sqrt(max(power, LeastPower)))
		}
	}
	return d
}

// of returns the deviations of the coefficients l < n that follow from coefficients k of
// columns of up to m pixels.
func (d *deviations) of(m, k, n int) []float64 {
	rows := d.side * (d.side + 1) / 2
	at := (m*(m-1)/2+k)*rows + n*(n-1)/2
	return d.all[at : at+n]
}
