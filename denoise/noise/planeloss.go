package noise

import "math"

// planeGain returns by how much the standard deviation after a plane fit in windows
// of side n reads too low. Neighbours that share noise give it a slope and a mean
// of its own, which the fit takes away:
//
//	E sum e^2 = sigma^2 (n^2 - sum_b b^T rho b)
//
// over the constant and the two slopes b, each of unit length; white noise gives 3
// for the sum, which planeFit assumes.
func planeGain(c *Correlation, n int) float64 {
	if c == nil {
		return 1
	}
	constant, slope := planeBasis(n)
	taken := 0.0
	for dy := -MaxLag; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			cx, cy := overlap(constant, dx), overlap(constant, dy)
			taken += c.Rho(dx, dy, 0) * (cx*cy + overlap(slope, dx)*cy + cx*overlap(slope, dy))
		}
	}
	count := float64(n * n)
	return math.Sqrt((count - 3) / max(count-taken, count/4))
}

// slopeGain returns by how much the unevenness of a window of side n after a plane fit
// exceeds sigma in even tissue: the root of the mean of b^T rho b over both slopes.
func slopeGain(c *Correlation, n int) float64 {
	constant, slope := planeBasis(n)
	sum := 0.0
	for dy := -MaxLag; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			sum += c.Rho(dx, dy, 0) * (overlap(slope, dx)*overlap(constant, dy) + overlap(constant, dx)*overlap(slope, dy)) / 2
		}
	}
	return math.Sqrt(max(sum, 0))
}

// planeBasis returns the factors of the unit vectors of a plane along one axis.
func planeBasis(n int) (constant, slope []float64) {
	constant, slope = make([]float64, n), make([]float64, n)
	for i := range n {
		x := float64(i) - float64(n-1)/2
		constant[i] = 1 / math.Sqrt(float64(n))
		slope[i] = x / math.Sqrt(float64(n)*(float64(n)*float64(n)-1)/12)
	}
	return constant, slope
}

// overlap returns the product of b with itself d elements on.
func overlap(b []float64, d int) float64 {
	d = max(d, -d)
	sum := 0.0
	for i := d; i < len(b); i++ {
		sum += b[i] * b[i-d]
	}
	return sum
}
