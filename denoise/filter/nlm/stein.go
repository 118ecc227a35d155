package nlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/pairwise"
	"quell/denoise/tile"
	"quell/volume"
)

// stein is the closed form of Stein's risk (Van De Ville, Kocher 2009) for recipes that
// differ in h alone. Rician averages and lk weights have none here, nor has
// preselection, in which the choice jumps with the voxels; Stein's risk itself has none
// for correlated noise.
func stein(recipes []denoise.Recipe) (denoise.SteinPass, bool) {
	ps := make([]Params, len(recipes))
	for i, r := range recipes {
		ps[i] = newParams(r)
	}
	p := ps[0]
	if p.Rician || p.LK > 0 || p.Select != nil || !p.correlation.White() {
		return denoise.SteinPass{}, false
	}
	return denoise.SteinPass{
		Tile: pairwise.TileSize(p.SearchRadius, p.PatchRadius),
		Start: func(in, count denoise.Field) func() denoise.SteinWorker {
			s := &pairwise.Stein{
				Filter: *pairs(p, in), Count: count,
				Exact: func(b *tile.Block, unit float64, x, y, z int, marked []bool, to []pairwise.Change) {
					exact(ps, &in, b, unit, [3]int{x, y, z}, marked, to)
				},
			}
			for _, p := range ps {
				s.Strengths = append(s.Strengths, exponent(p))
			}
			return s.NewWorker
		},
	}, true
}

// exact computes, by the definitions and in float64, what the marked means do to
// voxel i: how far it moves, and the derivative of its new value by its old one,
//
//	w_ij' = -w_ij D_ij' / h^2,  0 if D_ij <= 2 sigma^2
//	D_ij' = 2 sum_k a_k (v_{i+k} - v_{j+k}) ([i+k is i] - [j+k is i])
//
// where a sample outside the volume is the voxel that it mirrors. Weights count
// relative to the largest if that is the weight of the voxel itself, and less than
// 2^-60 of the largest is 0, as in faint.
func exact(ps []Params, in *denoise.Field, b *tile.Block, unit float64, i [3]int, marked []bool, to []pairwise.Change) {
	type pair struct{ difference, distance, slope float64 }
	var all []pair
	p := &ps[0]
	at := b.At(i[0], i[1], i[2])
	samples := samplesOf(p, in.Dims, i)
	widest := 0.0 // the largest h^2 that is asked for
	for k, p := range ps {
		if marked[k] {
			widest = max(widest, p.H*p.H*unit*unit)
		}
	}
	bias := 2 * p.Sigma * p.Sigma * unit * unit
	least, limit := math.Inf(1), math.Inf(1)
	alone := true
	tile.Neighbours(in, p.SearchRadius, i[0], i[1], i[2], func(jx, jy, jz, _ int) {
		j := b.At(jx, jy, jz)
		alone = false
		d, below := limitedDistance(*p, b, at, j, limit)
		if !below {
			return
		}
		slope := samples.slope(p, b, at, j, [3]int{}) - samples.slope(p, b, at, j, [3]int{jx - i[0], jy - i[1], jz - i[2]})
		all = append(all, pair{float64(b.Values[j]) - float64(b.Values[at]), d, slope})
		if d < least {
			least, limit = d, max(d, bias)+negligible*widest
		}
	})
	for k, p := range ps {
		if !marked[k] {
			continue
		}
		p = p.in(unit)
		to[k] = pairwise.Change{Derivative: 1}
		h2 := p.H * p.H
		first := 0.0 // the exponent that weights are relative to
		if p.Centre == CentreMax {
			first = max(0, least-bias) / h2
		}
		if alone || first > underflow {
			continue // the voxel stays as it is
		}
		num, den, slopeNum, slopeDen := 0.0, 1.0, 0.0, 0.0
		peak := p.Centre == CentreMax // the slope of the voxel's own weight is still to be added
		for _, q := range all {
			e := max(0, q.distance-bias) / h2
			w, slope := math.Exp(first-e), 0.0
			if q.distance > bias {
				slope = -w * q.slope / h2
			}
			num += w * q.difference
			den += w
			slopeNum += slope*q.difference - w
			slopeDen += slope
			if peak && q.distance == least {
				slopeDen += slope
				peak = false
			}
		}
		to[k].Residual = num / den / unit
		to[k].Derivative += (slopeNum - num/den*slopeDen) / den
	}
}

// samples lists, for each axis and each difference d = j - i from -r to r, the
// offsets k at which sample j + k of a patch is i itself.
type samples struct {
	search [3]int
	axis   [3][][]int
}

func samplesOf(p *Params, dims, i [3]int) samples {
	s := samples{search: p.SearchRadius}
	for c := range 3 {
		s.axis[c] = make([][]int, 2*p.SearchRadius[c]+1)
		for n := range s.axis[c] {
			for k := -p.PatchRadius[c]; k <= p.PatchRadius[c]; k++ {
				if volume.Mirror(i[c]+n-p.SearchRadius[c]+k, dims[c]) == i[c] {
					s.axis[c][n] = append(s.axis[c][n], k)
				}
			}
		}
	}
	return s
}

// slope returns 2 sum a_k (v_{i+k} - v_{j+k}) over the k at which sample i+d+k is
// voxel i; i and j are positions in the block.
func (s *samples) slope(p *Params, b *tile.Block, i, j int, d [3]int) float64 {
	sum := 0.0
	for _, kz := range s.axis[2][d[2]+s.search[2]] {
		for _, ky := range s.axis[1][d[1]+s.search[1]] {
			for _, kx := range s.axis[0][d[0]+s.search[0]] {
				k := (kz*b.Dims[1]+ky)*b.Dims[0] + kx
				sum += 2 * p.tap(0, kx) * p.tap(1, ky) * p.tap(2, kz) * (float64(b.Values[i+k]) - float64(b.Values[j+k]))
			}
		}
	}
	return sum
}
