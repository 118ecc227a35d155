package noise

import (
	"math"
	"slices"
	"sync"

	"quell/volume"
)

// Correlation is the autocorrelation of the noise: Rho(d) is the correlation of
// two voxels that lie d apart. A nil Correlation is white noise.
type Correlation struct {
	// InPlane holds rho of the offsets (dx, dy, 0), |dx|, |dy| <= MaxLag, by
	// [dy+MaxLag][dx+MaxLag].
	InPlane lags `json:"in_plane"`
	// Across holds rho of (0, 0, dz) for dz = 0..2.
	Across [3]float64 `json:"across"`
}

// MaxLag is the largest offset in a slice, in voxels, at which the correlation is
// measured; beyond, it counts as 0.
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

// lags holds a value for every offset in a slice, by [dy+MaxLag][dx+MaxLag].
type lags [2*MaxLag + 1][2*MaxLag + 1]float64

// set sets the value of an offset and of the opposite one.
func (l *lags) set(dx, dy int, a float64) {
	l[dy+MaxLag][dx+MaxLag], l[MaxLag-dy][MaxLag-dx] = a, a
}

// add adds the mean products of the pixels of two windows of n x n at every offset, either way.
func (l *lags) add(a, b []float64, n int) {
	for dy := 0; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			if dy == 0 && dx < 0 {
				continue // its opposite is set by dx > 0
			}
			sum, width := 0.0, n-max(dx, -dx)
			for y := range n - dy {
				near, far := y*n+max(-dx, 0), (y+dy)*n+max(dx, 0)
				for x := range width {
					sum += a[near+x]*b[far+x] + b[near+x]*a[far+x]
				}
			}
			l.set(dx, dy, l[dy+MaxLag][dx+MaxLag]+sum/float64(2*(n-dy)*width))
		}
	}
}

// correlate measures the correlation within slices in windows of even tissue: windows with
// a standard deviation near sigma, and of these the half with the evener surfaces. It returns nil if there are too
// few.
func correlate(v *volume.Volume, ws [][]window, sigma float64) *Correlation {
	even := keep(func(w window) bool { return float64(w.sd) <= 1.15*sigma && float64(w.sd) >= 0.7*sigma }, ws...)
	if half := evenest(even, quantile(unevennesses(even), 0.5), fewLevel); len(half) >= minWindows {
		even = half
	}
	if len(even) < minWindows {
		return nil
	}
	return correlationIn(v, evenOrders[0], even, correlationSide, wideSurfaces(), restorations)
}

// correlationIn returns the correlation of what a surface leaves in windows of side n after a difference across slices; the
// windows are in the order of the slices.
func correlationIn(v *volume.Volume, weights []float64, ws []window, n int, surface [][]float64, steps int) *Correlation {
	marker, z := newTissueMarker(tissue{}, v.Dims), int32(-1)
	var sum lags
	var values []float64
	for i := 0; i < len(ws); i += 1 + (len(ws)-1)/mostCorrelated {
		if w := ws[i]; w.at[2] != z {
			z = w.at[2]
			values = marker.difference(v, int(z), weights)
		}
		r := residualOf(values, v.Dims[0], ws[i].at, n, surface)
		sum.add(r, r, n)
	}
	c := Correlation{InPlane: sum, Across: [3]float64{1}}
	if !c.normalise() {
		return nil
	}
	c.restore(n, surface, steps)
	return &c
}

// normalise divides covariances by the variance; it returns false if there is none.
func (c *Correlation) normalise() bool {
	variance := c.InPlane[MaxLag][MaxLag]
	if variance <= 0 {
		return false
	}
	for y := range c.InPlane {
		for x := range c.InPlane[y] {
			c.InPlane[y][x] /= variance
		}
	}
	return true
}

// restorations is how often restore corrects (van Cittert 1931). Of noise alone more would
// come nearer; they would also make more of what anatomy adds.
const (
	restorations     = 12
	pureRestorations = 30 // of noise alone
)

// restore turns the correlation of what fits leave into the correlation of the noise: a fit
// takes what the pixels of a window share. It looks for the correlation that fits turn into
// the one that was measured, in windows of side n, by the unit vectors b of the surface.
func (c *Correlation) restore(n int, b [][]float64, steps int) {
	measured := c.InPlane
	for range steps {
		left := afterFit(c, n, b)
		variance := left[MaxLag][MaxLag]
		for dy := 0; dy <= MaxLag; dy++ {
			for dx := -MaxLag; dx <= MaxLag; dx++ {
				if x, y := MaxLag+dx, MaxLag+dy; dx != 0 || dy != 0 {
					c.InPlane.set(dx, dy, c.InPlane[y][x]+measured[y][x]*variance-left[y][x])
				}
			}
		}
	}
}

// afterFit returns the mean covariance of the pixels at each offset of a window of side n that a
// surface was fitted to, of noise of sigma 1 with the correlation R:
//
//	C = (I - B B^T) R (I - B B^T)
//
// with the unit vectors B of the surface.
func afterFit(c *Correlation, n int, b [][]float64) (left lags) {
	g := make([][]float64, len(b)) // R B
	for k := range b {
		g[k] = make([]float64, n*n)
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
	var taken lags
	for k := range b {
		h := slices.Clone(g[k])
		for l := range b {
			part := product(b[l], g[k]) / 2
			for i := range h {
				h[i] -= part * b[l][i]
			}
		}
		taken.add(b[k], h, n)
	}
	for y := range left {
		for x := range left[y] {
			left[y][x] = c.InPlane[y][x] - 2*taken[y][x]
		}
	}
	return left
}

// wideDegree is the degree of the surfaces about which the correlation is measured. Anatomy
// leaves less to them than to quadratic ones, and what it leaves is what pixels far apart share.
const wideDegree = 3

// wideSurfaces returns their unit vectors.
var wideSurfaces = sync.OnceValue(func() [][]float64 { return surfaces(correlationSide, wideDegree) })

func product(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// residual returns the pixels of a window of side n less the surface that fits them best, by
// its unit vectors.
func residual(v *volume.Volume, at [3]int32, n int, surface [][]float64) []float64 {
	return residualOf(v.Plane(int(at[2])), v.Dims[0], at, n, surface)
}

// residualOf is residual in a slice of rows of nx values.
func residualOf[T float32 | float64](plane []T, nx int, at [3]int32, n int, surface [][]float64) []float64 {
	r := make([]float64, n*n)
	for y := range n {
		for x, a := range plane[(int(at[1])+y)*nx+int(at[0]):][:n] {
			r[y*n+x] = float64(a)
		}
	}
	for _, b := range surface {
		part := product(b, r)
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

// sum returns the sum of rho times f of the size of the offset over all offsets in a slice.
func (c *Correlation) sum(f func(dx, dy int) float64) float64 {
	sum := 0.0
	for dy := -MaxLag; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			sum += c.Rho(dx, dy, 0) * f(max(dx, -dx), max(dy, -dy))
		}
	}
	return sum
}

// gainOf returns by how much a difference along x and y reads noise of that correlation too high.
func (c *Correlation) gainOf(d difference) float64 {
	return math.Sqrt(max(c.sum(func(dx, dy int) float64 { return d.correlation(dx) * d.correlation(dy) }), 0))
}

// ofBox returns the standard deviation of the means of tissueBox x tissueBox pixels of noise of sigma 1; 1 if the
// correlation is not known.
func (c *Correlation) ofBox() float64 {
	if c == nil {
		return 1
	}
	const n = tissueBox * tissueBox
	return math.Sqrt(max(c.sum(func(dx, dy int) float64 { return float64(max(tissueBox-dx, 0) * max(tissueBox-dy, 0)) }), 0)) / n
}

// freedom returns the degrees of freedom of the mean square of noise in a window of
// n x n pixels after a surface fit.
func (c *Correlation) freedom(n int) float64 {
	sum := 0.0
	for dy := -MaxLag; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			rho := c.Rho(dx, dy, 0)
			sum += float64(max(n-max(dx, -dx), 0)*max(n-max(dy, -dy), 0)) * rho * rho
		}
	}
	return math.Max(float64(n*n*n*n)/sum-terms, 3)
}

// rootMeanSquare returns the q-quantile of the root mean square of noise of sigma 1
// with that many degrees of freedom (Wilson, Hilferty 1931).
func rootMeanSquare(freedom, q float64) float64 {
	t := 2 / (9 * freedom)
	return math.Pow(math.Max(1-t+math.Sqrt2*math.Erfinv(2*q-1)*math.Sqrt(t), 0.1), 1.5)
}
