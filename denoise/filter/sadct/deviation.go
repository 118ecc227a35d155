package sadct

import (
	"math"
	"math/bits"

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

// maxReach is how far a support reaches from its centre at most, maxSide its largest
// extent.
const (
	maxReach = maxLength - 1
	maxSide  = 2*maxReach + 1
)

// support is the set of pixels around a centre over which it is transformed, column by
// column: bit maxReach + dy of s[maxReach + dx] is set for the pixel at (dx, dy).
type support [maxSide]uint32

// pixels returns the number of pixels.
func (s *support) pixels() int {
	n := 0
	for _, column := range s {
		n += bits.OnesCount32(column)
	}
	return n
}

// has reports whether the pixel at (dx, dy) from the centre belongs to the support.
func (s *support) has(dx, dy int) bool {
	return dx >= -maxReach && dx <= maxReach && dy >= -maxReach && dy <= maxReach &&
		s[maxReach+dx]>>(maxReach+dy)&1 != 0
}

// sector calls f with every pixel (dx, dy) of the triangle between an axis of length
// a and a diagonal next to it of length b, given their steps: in row e of steps along
// the diagonal, the pixels from the diagonal to the straight line that joins the ends
// of both.
func sector(axis, diagonal [2]int, a, b int, f func(dx, dy int)) {
	for e := range b {
		last := a - 1
		if b > 1 {
			last = ((a-1)*(b-1) - e*(a-b)) / (b - 1) // of numbers that are not negative: rounded down
		}
		for i := e; i <= last; i++ {
			f(e*diagonal[0]+(i-e)*axis[0], e*diagonal[1]+(i-e)*axis[1])
		}
	}
}

// polygon returns the support of these lengths in the eight directions: the union of
// the eight sectors.
func polygon(lengths [8]int) (s support) {
	for d := range 8 {
		next := (d + 1) % 8
		axis, diagonal := d, next
		if d%2 == 1 {
			axis, diagonal = next, d
		}
		sector(directions[axis], directions[diagonal], lengths[axis], lengths[diagonal], s.add)
	}
	return s
}

func (s *support) add(dx, dy int) { s[maxReach+dx] |= 1 << (maxReach + dy) }

// shapes are the sectors of a list of scales, from which supports are put together:
// shapes[d][i][k] is the one between directions d and d + 1, with scales of the
// indices i and k.
type shapes [8][8][8]support

func newShapes(scales []int) *shapes {
	var all shapes
	for d := range 8 {
		for i := range 8 {
			for k := range 8 {
				here, next := scales[min(i, len(scales)-1)], scales[min(k, len(scales)-1)]
				if d%2 == 0 {
					sector(directions[d], directions[(d+1)%8], here, next, all[d][i][k].add)
				} else {
					sector(directions[(d+1)%8], directions[d], next, here, all[d][i][k].add)
				}
			}
		}
	}
	return &all
}

// of returns the support of the packed indices of the eight directions; only columns up
// to reach from the centre are touched.
func (all *shapes) of(s *support, packed, reach int) {
	columns := s[maxReach-reach : maxReach+reach+1]
	clear(columns)
	here := packed & 7
	for d := range 8 {
		next := packed >> (3 * ((d + 1) % 8)) & 7
		for i, column := range all[d][here][next][maxReach-reach : maxReach+reach+1] {
			columns[i] |= column
		}
		here = next
	}
}
