package lowrank

import (
	"math"
	"slices"

	"quell/denoise"
)

// Reference implements denoise.SeriesProgram. A place is the mean over its patches of their estimates, with weights
// 1 / (1 + rank). The singular values come from one-sided Jacobi rotations.
func (p Params) Reference(in denoise.SeriesPart) denoise.SeriesResult {
	out := denoise.SeriesResult{SeriesPart: denoise.NewSeriesPart(p.Dims, p.Volumes), Restored: make([]int, p.Volumes)}
	row := p.Volumes + 1
	sums, weights := make([]float64, len(in.Data)), make([]float64, len(in.Data)/row)
	for _, z := range p.starts(2) {
		for _, y := range p.starts(1) {
			for _, x := range p.starts(0) {
				p.referencePatch(in, [3]int{x, y, z}, sums, weights)
			}
		}
	}
	for i, weight := range weights {
		for c := range row {
			if sums[i*row+c] /= weight; weight == 0 && c < p.Volumes {
				sums[i*row+c] = float64(in.Data[i*row+c])
			} else if weight == 0 {
				sums[i*row+c] = 0
			}
			out.Data[i*row+c] = float32(sums[i*row+c])
		}
	}
	estimates := out.SeriesPart
	estimates.Data = slices.Clone(out.Data)
	for i := range out.Data {
		if c, place := i%row, i/row; c < p.Volumes && p.restores(in, sums, place, c) {
			out.Data[i] = in.Data[i]
			out.Restored[c]++
		} else if c < p.Volumes {
			out.Data[i] += float32(p.common(in, estimates, place))
		}
	}
	return out
}

// restores reports whether a voxel of volume c is restored, by the estimates of all places before the limit: more than the
// limit is removed of it, or of the mean of one of the boxes of 27 that it lies in, in sigmas of the noise of that mean. Voxels
// of which more is removed are no part of a mean.
func (p Params) restores(in denoise.SeriesPart, estimates []float64, here, c int) bool {
	if math.IsInf(p.Limit, 1) || sigmaAt(in, here) == 0 {
		return false
	}
	removed := func(i int) float64 { at := i*(p.Volumes+1) + c; return float64(in.Data[at]) - estimates[at] }
	limit := func(i int) float64 { return p.Limit * sigmaAt(in, i) }
	if math.Abs(removed(here)) > limit(here) {
		return true
	}
	restored := false
	p.box(here, func(centre int) {
		sum, squares := 0.0, 0.0
		p.box(centre, func(i int) {
			if r := removed(i); limit(i) > 0 && math.Abs(r) <= limit(i) {
				sum, squares = sum+r, squares+limit(i)*limit(i)
			}
		})
		restored = restored || limit(centre) > 0 && math.Abs(sum) > math.Sqrt(squares)
	})
	return restored
}

// common returns the number that all volumes of a place get back: the mean over them of the removed part, if that is more than noise in
// the square of 9 places.
func (p Params) common(in, estimates denoise.SeriesPart, here int) float64 {
	n, squares, own := 0, 0.0, 0.0
	p.box(here, func(at int) {
		before, sigma := in.At(at)
		if slice := p.Dims[0] * p.Dims[1]; at/slice == here/slice && *sigma > 0 {
			after, _ := estimates.At(at)
			mean := common(before, after, float64(*sigma))
			if n, squares = n+1, squares+mean*mean; at == here {
				own = mean * float64(*sigma) / math.Sqrt(float64(p.Volumes))
			}
		}
	})
	if math.IsInf(p.Limit, 1) || !isCommon(squares, n) {
		return 0
	}
	return own
}

// box calls f with the places of the 3 x 3 x 3 box around a place.
func (p Params) box(at int, f func(i int)) {
	x, y, z := at%p.Dims[0], at/p.Dims[0]%p.Dims[1], at/(p.Dims[0]*p.Dims[1])
	for k := max(z-1, 0); k <= min(z+1, p.Dims[2]-1); k++ {
		for j := max(y-1, 0); j <= min(y+1, p.Dims[1]-1); j++ {
			for i := max(x-1, 0); i <= min(x+1, p.Dims[0]-1); i++ {
				f((k*p.Dims[1]+j)*p.Dims[0] + i)
			}
		}
	}
}

// referencePatch adds the estimates of a patch and its rank to the sums.
func (p Params) referencePatch(in denoise.SeriesPart, start [3]int, sums, weights []float64) {
	var rows [][]float32
	var used []int
	variance := 0.0
	for z := start[2]; z < start[2]+p.Width[2]; z++ {
		for y := start[1]; y < start[1]+p.Width[1]; y++ {
			for x := start[0]; x < start[0]+p.Width[0]; x++ {
				i := (z*p.Dims[1]+y)*p.Dims[0] + x
				if sigma := sigmaAt(in, i); sigma > 0 {
					voxels, _ := in.At(i)
					rows, used = append(rows, voxels), append(used, i)
					variance += sigma * sigma
				}
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
			y[c][k] = float64(rows[k][c])
		}
	}
	mean, none := make([]float64, n), 0.0 // none: what a column of no length has left by rounding
	for c := range n {
		none += 1e-24 * product(y[c], y[c])
		for _, v := range y[c] {
			mean[c] += v / float64(m)
		}
		for k := range y[c] {
			y[c][k] -= mean[c]
		}
	}
	for turned := true; turned; {
		turned = false
		for i := range n {
			for j := range i {
				turned = orthogonal(y[i], y[j], v[i], v[j], none) || turned
			}
		}
	}
	var kept []int
	var factors []float64
	for c := range n {
		if f := shrink(product(y[c], y[c])/(variance/float64(m)), m-1, n); f > 0 {
			kept, factors = append(kept, c), append(factors, f)
		}
	}
	rank := float64(len(kept))
	weight := 1 / (1 + rank)
	for k, place := range used {
		weights[place] += weight
		sum := sums[place*(n+1):][:n+1]
		sum[n] += weight * rank
		for c := range n {
			estimate := mean[c]
			for j, l := range kept {
				estimate += factors[j] * y[l][k] * v[l][c]
			}
			sum[c] += weight * estimate
		}
	}
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
