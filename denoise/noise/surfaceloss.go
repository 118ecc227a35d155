package noise

import "math"

// terms is how many terms a quadratic surface has.
const terms = 6

// degreesTo returns the degrees along x and y of the terms of a surface of that degree, by
// rising sum.
func degreesTo(degree int) (all [][2]int) {
	for sum := range degree + 1 {
		for y := range sum + 1 {
			all = append(all, [2]int{sum - y, y})
		}
	}
	return all
}

// axisBasis returns the unit vectors of degree 0 to degree along an axis of n pixels, which are
// orthogonal. Their products are the terms of a surface over n x n pixels.
func axisBasis(n, degree int) [][]float64 {
	p := make([][]float64, degree+1)
	for d := range p {
		p[d] = make([]float64, n)
		for i := range n {
			p[d][i] = math.Pow((2*float64(i)+1-float64(n))/float64(n), float64(d))
		}
		for range 2 { // the second time for rounding
			for _, lower := range p[:d] {
				part := product(lower, p[d])
				for i, a := range lower {
					p[d][i] -= part * a
				}
			}
		}
		length := math.Sqrt(product(p[d], p[d]))
		for i := range p[d] {
			p[d][i] /= length
		}
	}
	return p
}

// surfaces returns the unit vectors of surfaces of that degree over a window of side n.
func surfaces(n, degree int) [][]float64 {
	p := axisBasis(n, degree)
	var all [][]float64
	for _, d := range degreesTo(degree) {
		b := make([]float64, n*n)
		for i := range b {
			b[i] = p[d[0]][i%n] * p[d[1]][i/n]
		}
		all = append(all, b)
	}
	return all
}

// surfaceGain returns by how much the standard deviation after a surface fit in windows
// of side n reads too low. Neighbours that share noise give it a surface
// of its own, which the fit takes away:
//
//	E sum e^2 = sigma^2 (n^2 - sum_b b^T rho b)
//
// over the unit vectors b of the surface; white noise gives 6 for the sum, which
// the fit assumes.
func surfaceGain(c *Correlation, n int) float64 {
	taken := 0.0
	for _, power := range termPowers(c, n) {
		taken += power
	}
	count := float64(n * n)
	return math.Sqrt((count - terms) / max(count-taken, count/4))
}

// unevenGain returns by how much the unevenness of a window of side n after a surface fit
// exceeds sigma in even tissue: the root of the mean of b^T rho b over all terms but the
// constant.
func unevenGain(c *Correlation, n int) float64 {
	powers := termPowers(c, n)
	sum := 0.0
	for _, power := range powers[1:] {
		sum += power / (terms - 1)
	}
	return math.Sqrt(max(sum, 0))
}

// termPowers returns b^T rho b for the unit vectors b of a surface over n x n pixels.
func termPowers(c *Correlation, n int) (powers [terms]float64) {
	axis := axisBasis(n, 2)
	overlap := func(degree, lag int) float64 { return product(axis[degree][:n-lag], axis[degree][lag:]) }
	for k, d := range degreesTo(2) {
		powers[k] = c.sum(func(dx, dy int) float64 { return overlap(d[0], dx) * overlap(d[1], dy) })
	}
	return powers
}
