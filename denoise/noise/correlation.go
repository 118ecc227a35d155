package noise

import (
	"math"
	"sync"

	"quell/volume"
)

// Correlation is the autocorrelation of the noise: Rho(d) is the correlation of
// two voxels that lie d apart. A nil Correlation is white noise.
type Correlation struct {
	// InPlane holds rho of the offsets (dx, dy, 0), |dx|, |dy| <= MaxLag, by
	// [dy+MaxLag][dx+MaxLag].
	InPlane [2*MaxLag + 1][2*MaxLag + 1]float64 `json:"in_plane"`
	// Across holds rho of (0, 0, dz) for dz = 0..2.
	Across [3]float64 `json:"across"`
}

// MaxLag is the largest offset in a slice, in voxels, of which the correlation is
// measured; beyond it counts as 0.
const MaxLag = 4

// Rho returns the correlation of two voxels that lie (dx, dy, dz) apart: the
// product of that within the slice and that across slices. It is symmetric, 1 at
// 0 and 0 far away.
func (c *Correlation) Rho(dx, dy, dz int) float64 {
	if dx == 0 && dy == 0 && dz == 0 {
		return 1
	}
	if c == nil || max(dx, -dx) > MaxLag || max(dy, -dy) > MaxLag || max(dz, -dz) > 2 {
		return 0
	}
	return c.InPlane[dy+MaxLag][dx+MaxLag] * c.Across[max(dz, -dz)]
}

// correlationSide is the side of the windows that correlation is measured in:
// wide enough that removing a surface leaves most of it.
const correlationSide = 15

// mostCorrelated bounds the windows that the correlation is measured in; they hold
// half a million pixels.
const mostCorrelated = 2000

// correlate measures the correlation in windows of even tissue: those whose
// standard deviation is near sigma, and of these the half with the smaller slopes. It
// returns nil where there are too few.
func correlate(v *volume.Volume, ws []window, sigma float64) *Correlation {
	var c Correlation
	var across [3]float64
	pairs := [3]float64{}
	var even []window
	for _, w := range ws {
		if float64(w.sd) <= 1.15*sigma && float64(w.sd) >= 0.7*sigma {
			even = append(even, w)
		}
	}
	if half := levelHalf(even); len(half) >= minWindows {
		even = half
	}
	for i := 0; i < len(even); i += 1 + (len(even)-1)/mostCorrelated {
		w := even[i]
		at := [3]int{int(w.at[0]), int(w.at[1]), int(w.at[2])}
		r := residual(v, at)
		for dy := 0; dy <= MaxLag; dy++ {
			for dx := -MaxLag; dx <= MaxLag; dx++ {
				sum := 0.0
				for y := 0; y < correlationSide-dy; y++ {
					for x := max(0, -dx); x < correlationSide-max(0, dx); x++ {
						sum += r[y*correlationSide+x] * r[(y+dy)*correlationSide+x+dx]
					}
				}
				n := float64((correlationSide - dy) * (correlationSide - max(dx, -dx)))
				c.InPlane[dy+MaxLag][dx+MaxLag] += sum / n
			}
		}
		for dz := 0; dz <= 2 && at[2]+dz < v.Dims[2]; dz++ {
			other := r
			if dz > 0 {
				other = residual(v, [3]int{at[0], at[1], at[2] + dz})
			}
			for i := range r {
				across[dz] += r[i] * other[i]
				pairs[dz]++
			}
		}
	}
	variance := c.InPlane[MaxLag][MaxLag]
	if len(even) < minWindows || variance <= 0 {
		return nil
	}
	measured := c.InPlane
	for dy := 0; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			rho := measured[dy+MaxLag][dx+MaxLag] / variance
			c.InPlane[dy+MaxLag][dx+MaxLag], c.InPlane[MaxLag-dy][MaxLag-dx] = rho, rho
		}
	}
	c.restore()
	for dz := range across {
		if pairs[dz] > 0 {
			c.Across[dz] = max(across[dz]/pairs[dz], 0) / (across[0] / pairs[0])
		}
	}
	return &c
}

// restorations is how often restore corrects (van Cittert 1931). Of noise alone more would
// come nearer; they would also make more of what anatomy adds.
const restorations = 4

// restore turns the correlation of what fits leave into that of the noise: a fit
// takes what the pixels of a window share. It looks for the correlation that fits turn into
// the one that was measured.
func (c *Correlation) restore() {
	measured := c.InPlane
	for range restorations {
		left := afterFit(c)
		variance := left[MaxLag][MaxLag]
		for dy := 0; dy <= MaxLag; dy++ {
			for dx := -MaxLag; dx <= MaxLag; dx++ {
				x, y := MaxLag+dx, MaxLag+dy
				if dx != 0 || dy != 0 {
					rho := c.InPlane[y][x] + measured[y][x]*variance - left[y][x]
					c.InPlane[y][x], c.InPlane[MaxLag-dy][MaxLag-dx] = rho, rho
				}
			}
		}
	}
}

// afterFit returns the mean covariance of the pixels at each offset of a window that a
// quadratic surface was fitted to, of noise of sigma 1 with the correlation R:
//
//	C = (I - B B^T) R (I - B B^T)
//
// with the unit vectors B of the surface.
func afterFit(c *Correlation) (left [2*MaxLag + 1][2*MaxLag + 1]float64) {
	const n = correlationSide
	b := surfaces()
	var g [terms][n * n]float64 // R B
	for k := range b {
		for y := range n {
			for x := range n {
				for j := max(y-MaxLag, 0); j <= min(y+MaxLag, n-1); j++ {
					for i := max(x-MaxLag, 0); i <= min(x+MaxLag, n-1); i++ {
						g[k][y*n+x] += c.InPlane[j-y+MaxLag][i-x+MaxLag] * b[k][j*n+i]
					}
				}
			}
		}
	}
	// C = R - B h^T - h B^T with h = R B - B (B^T R B) / 2.
	h := g
	for k := range b {
		for l := range b {
			part := product(b[l][:], g[k][:]) / 2
			for i := range h[k] {
				h[k][i] -= part * b[l][i]
			}
		}
	}
	for dy := 0; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			sum, count := 0.0, 0.0
			for y := range n - dy {
				for x := max(-dx, 0); x < n-max(dx, 0); x++ {
					i, j := y*n+x, (y+dy)*n+x+dx
					count++
					for k := range b {
						sum += b[k][i]*h[k][j] + h[k][i]*b[k][j]
					}
				}
			}
			a := c.InPlane[dy+MaxLag][dx+MaxLag] - sum/count
			left[MaxLag+dy][MaxLag+dx], left[MaxLag-dy][MaxLag-dx] = a, a
		}
	}
	return left
}

// terms is how many terms a quadratic surface has.
const terms = 6

// surfaces returns the unit vectors of quadratic surfaces over a window of correlationSide.
var surfaces = sync.OnceValue(func() (b [terms][correlationSide * correlationSide]float64) {
	const n = correlationSide
	var p [3][n]float64 // unit vectors of degree 0, 1 and 2 along one axis
	for i := range n {
		x := float64(i) - float64(n-1)/2
		p[0][i], p[1][i], p[2][i] = 1, x, x*x-float64(n*n-1)/12
	}
	for d := range p {
		length := math.Sqrt(product(p[d][:], p[d][:]))
		for i := range p[d] {
			p[d][i] /= length
		}
	}
	for k, d := range [terms][2]int{{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}} {
		for i := range b[k] {
			b[k][i] = p[d[0]][i%n] * p[d[1]][i/n]
		}
	}
	return b
})

func product(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// levelHalf returns the half of the windows with the smaller slopes.
func levelHalf(ws []window) []window {
	return level(ws, quantile(unevennesses(ws), 0.5))
}

// residual returns a window less the quadratic surface that fits it best.
func residual(v *volume.Volume, at [3]int) []float64 {
	const n = correlationSide
	r := make([]float64, n*n)
	for y := range n {
		for x, a := range v.Data[v.Index(at[0], at[1]+y, at[2]):][:n] {
			r[y*n+x] = float64(a)
		}
	}
	for _, b := range surfaces() {
		part := product(b[:], r)
		for i := range r {
			r[i] -= part * b[i]
		}
	}
	return r
}

// Effective returns the number of voxels that one independent sample of the
// noise covers within a slice: 1 for white noise.
func (c *Correlation) Effective() float64 {
	if c == nil {
		return 1
	}
	sum := 0.0
	for _, row := range c.InPlane {
		for _, rho := range row {
			sum += rho * rho
		}
	}
	return math.Max(sum, 1)
}

// freedom returns the degrees of freedom of the mean square of noise in a window of
// n x n pixels after a plane fit.
func (c *Correlation) freedom(n int) float64 {
	sum := 0.0
	for dy := -MaxLag; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			rho := c.Rho(dx, dy, 0)
			sum += float64(max(n-max(dx, -dx), 0)*max(n-max(dy, -dy), 0)) * rho * rho
		}
	}
	return math.Max(float64(n*n*n*n)/sum-3, 3)
}

// rootMeanSquare returns the q-quantile of the root mean square of noise of sigma 1
// with that many degrees of freedom (Wilson, Hilferty 1931).
func rootMeanSquare(freedom, q float64) float64 {
	t := 2 / (9 * freedom)
	return math.Pow(math.Max(1-t+math.Sqrt2*math.Erfinv(2*q-1)*math.Sqrt(t), 0.1), 1.5)
}
