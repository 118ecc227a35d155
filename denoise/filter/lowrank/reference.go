package lowrank

import (
	"math"

	"quell/denoise"
)

// Reference computes the voxels of a place of a whole series, in float64: the definition of the filter, which every engine is
// tested against. Before the limit, the result is the mean over the patches of the place of their estimates, with weights
// 1 / (1 + rank). The singular values come from one-sided Jacobi rotations.
func (p Params) Reference(in denoise.SeriesPart, x, y, z int) (voxels []float64, rank float64) {
	at := (z*p.Dims[1]+y)*p.Dims[0] + x
	voxels = make([]float64, p.Volumes)
	before := in.Data[at*p.Volumes:][:p.Volumes]
	if in.Mask != nil && !in.Mask[at] {
		for c, v := range before {
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
	for c, v := range before {
		voxels[c] /= weights
		if math.Abs(voxels[c]-float64(v)) > p.Limit {
			voxels[c] = float64(v)
		}
	}
	return voxels, rank / weights
}

// referencePatch returns what a patch estimates at a place, and its rank.
func (p Params) referencePatch(in denoise.SeriesPart, start [3]int, at int) (estimate []float64, rank int) {
	var rows [][]float64
	here := -1
	for z := start[2]; z < start[2]+p.Width[2]; z++ {
		for y := start[1]; y < start[1]+p.Width[1]; y++ {
			for x := start[0]; x < start[0]+p.Width[0]; x++ {
				i := (z*p.Dims[1]+y)*p.Dims[0] + x
				if in.Mask != nil && !in.Mask[i] {
					continue
				}
				if i == at {
					here = len(rows)
				}
				row := make([]float64, p.Volumes)
				for c := range row {
					row[c] = float64(in.Data[i*p.Volumes+c])
				}
				rows = append(rows, row)
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
	estimate = make([]float64, n)
	for c := range n {
		f := shrink(product(y[c], y[c]), m, n)
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
