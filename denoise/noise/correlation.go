package noise

import (
	"math"

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
// wide enough that removing a plane does not remove much of it.
const correlationSide = 15

// mostCorrelated bounds the windows that the correlation is measured in; they hold
// half a million pixels.
const mostCorrelated = 2000

// correlate measures the correlation in windows of even tissue: those whose
// standard deviation is near sigma. It returns nil where there are too few.
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
	for dz := range across {
		if pairs[dz] > 0 {
			c.Across[dz] = max(across[dz]/pairs[dz], 0) / (across[0] / pairs[0])
		}
	}
	return &c
}

// residual returns a window less its plane fit.
func residual(v *volume.Volume, at [3]int) []float64 {
	const n = correlationSide
	const half = float64(n-1) / 2
	r := make([]float64, n*n)
	var sum, sumX, sumY, axis float64
	for y := range n {
		for x, a := range v.Data[v.Index(at[0], at[1]+y, at[2]):][:n] {
			r[y*n+x] = float64(a)
			sum += float64(a)
			sumX += float64(a) * (float64(x) - half)
			sumY += float64(a) * (float64(y) - half)
			axis += (float64(x) - half) * (float64(x) - half)
		}
	}
	for y := range n {
		for x := range n {
			r[y*n+x] -= sum/(n*n) + sumX/axis*(float64(x)-half) + sumY/axis*(float64(y)-half)
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
