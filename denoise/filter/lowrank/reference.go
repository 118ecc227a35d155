package lowrank

import (
	"math"

	"quell/denoise"
)

// Reference computes the voxels of a place of a whole series, in float64, before the limit: the definition of the filter, which
// every engine is tested against. It is the mean over the patches of the place of their estimates, with weights 1 / (1 + rank).
// The singular values come from one-sided Jacobi rotations.
func (p Params) Reference(in denoise.SeriesPart, x, y, z int) (voxels []float64, rank float64) {
	at := (z*p.Dims[1]+y)*p.Dims[0] + x
	voxels = make([]float64, p.Volumes)
	if here, sigma := in.At(at); *sigma == 0 {
		for c, v := range here {
			voxels[c] = float64(v)
		}
		return voxels, 0
	}
	var around [3][]int // the starts of the patches of the place
	for c, i := range [3]int{x, y, z} {
		for _, s := range p.starts(c) {
			if s <= i && i < s+p.Width[c] {
				around[c] = append(around[c], s)
			}
		}
	}
	weights := 0.0
	for _, sz := range around[2] {
		for _, sy := range around[1] {
			for _, sx := range around[0] {
				estimate, r := p.referencePatch(in, [3]int{sx, sy, sz}, at)
				weight := 1 / (1 + float64(r))
				weights += weight
				rank += weight * float64(r)
				for c, v := range estimate {
					voxels[c] += weight * v
				}
			}
		}
	}
	for c := range voxels {
		voxels[c] /= weights
	}
	return voxels, rank / weights
}

// ReferenceLimit reports whether a voxel of volume c is restored, by the estimates of all places before the limit: more than the
// limit is removed of it, or of the mean of one of the boxes of 27 that it lies in, in sigmas of the noise of that mean. Voxels
// of which more is removed are no part of a mean.
func (p Params) ReferenceLimit(in denoise.SeriesPart, estimates [][]float64, x, y, z, c int) bool {
	removed := func(i int) float64 { v, _ := in.At(i); return float64(v[c]) - estimates[i][c] }
	limit := func(i int) float64 { return p.Limit * sigmaAt(in, i) }
	here := (z*p.Dims[1]+y)*p.Dims[0] + x
	if limit(here) == 0 || math.Abs(removed(here)) > limit(here) {
		return limit(here) > 0
	}
	restored := false
	p.box(x, y, z, func(bx, by, bz, centre int) {
		sum, squares := 0.0, 0.0
		p.box(bx, by, bz, func(_, _, _, i int) {
			if r := removed(i); limit(i) > 0 && math.Abs(r) <= limit(i) {
				sum, squares = sum+r, squares+limit(i)*limit(i)
			}
		})
		restored = restored || limit(centre) > 0 && math.Abs(sum) > math.Sqrt(squares)
	})
	return restored
}

// box calls f with the places of the 3 x 3 x 3 box around a place.
func (p Params) box(x, y, z int, f func(x, y, z, i int)) {
	for k := max(z-1, 0); k <= min(z+1, p.Dims[2]-1); k++ {
		for j := max(y-1, 0); j <= min(y+1, p.Dims[1]-1); j++ {
			for i := max(x-1, 0); i <= min(x+1, p.Dims[0]-1); i++ {
				f(i, j, k, (k*p.Dims[1]+j)*p.Dims[0]+i)
			}
		}
	}
}

// referencePatch returns what a patch estimates at a place, and its rank.
func (p Params) referencePatch(in denoise.SeriesPart, start [3]int, at int) (estimate []float64, rank int) {
	var rows [][]float64
	here, variance := -1, 0.0
	for z := start[2]; z < start[2]+p.Width[2]; z++ {
		for y := start[1]; y < start[1]+p.Width[1]; y++ {
			for x := start[0]; x < start[0]+p.Width[0]; x++ {
				i := (z*p.Dims[1]+y)*p.Dims[0] + x
				voxels, _ := in.At(i)
				if sigmaAt(in, i) == 0 {
					continue
				}
				if i == at {
					here = len(rows)
				}
				row := make([]float64, p.Volumes)
				for c, v := range voxels {
					row[c] = float64(v)
				}
				rows = append(rows, row)
				variance += sigmaAt(in, i) * sigmaAt(in, i)
			}
		}
	}
	// Columns of Y V are orthogonal once V is found: their lengths are the singular values.
	m, n := len(rows), p.Volumes
	y, v := make([][]float64, n), make([][]float64, n)
	for c := range n {
		y[c], v[c] = make([]float64, m), make([]float64, n)
		v[c][c] = 1
		for k := range m {
			y[c][k] = rows[k][c]
		}
	}
	mean := make([]float64, n)
	for c := range n {
		for _, v := range y[c] {
			mean[c] += v / float64(m)
		}
		for k := range y[c] {
			y[c][k] -= mean[c]
		}
	}
	none := 0.0 // what a column of no length has left by rounding
	for _, row := range rows {
		none += 1e-24 * product(row, row)
	}
	for turned := true; turned; {
		turned = false
		for i := range n {
			for j := range i {
				turned = orthogonal(y[i], y[j], v[i], v[j], none) || turned
			}
		}
	}
	estimate = mean
	for c := range n {
		f := shrink(product(y[c], y[c])/(variance/float64(m)), m-1, n)
		if f == 0 {
			continue
		}
		rank++
		for k := range n {
			estimate[k] += f * y[c][here] * v[c][k]
		}
	}
	return estimate, rank
}

// orthogonal turns two columns, and those of V, so that the first two are orthogonal. It reports whether they were not.
func orthogonal(a, b, va, vb []float64, none float64) bool {
	aa, bb, ab := product(a, a), product(b, b), product(a, b)
	if min(aa, bb) <= none || math.Abs(ab) <= 1e-13*math.Sqrt(aa*bb) {
		return false
	}
	zeta := (bb - aa) / (2 * ab)
	t := math.Copysign(1, zeta) / (math.Abs(zeta) + math.Hypot(1, zeta))
	c := 1 / math.Hypot(1, t)
	s := c * t
	for _, pair := range [][2][]float64{{a, b}, {va, vb}} {
		for k, x := range pair[0] {
			pair[0][k], pair[1][k] = c*x-s*pair[1][k], s*x+c*pair[1][k]
		}
	}
	return true
}

func product(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func sigmaAt(in denoise.SeriesPart, i int) float64 {
	_, sigma := in.At(i)
	return float64(*sigma)
}
