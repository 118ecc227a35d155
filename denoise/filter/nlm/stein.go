package nlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/pairwise"
	"quell/denoise/tile"
)

// stein is the closed form of Stein's risk (Van De Ville, Kocher 2009) for
// recipes that differ in h alone. Rician averages and lk weights have none here.
func stein(recipes []denoise.Recipe) (denoise.SteinPass, bool) {
	ps := make([]Params, len(recipes))
	for i, r := range recipes {
		ps[i] = newParams(r)
	}
	p := ps[0]
	if p.Rician || p.LK > 0 {
		return denoise.SteinPass{}, false
	}
	return denoise.SteinPass{
		Tile: pairwise.TileSize(p.SearchRadius, p.PatchRadius),
		Start: func(in, count denoise.Field) func() denoise.SteinWorker {
			s := &pairwise.Stein{
				Filter: *pairs(p, in), Count: count,
				Exact: func(b *tile.Block, unit float64, x, y, z int, to []pairwise.Change) {
					exact(ps, &in, b, unit, x, y, z, to)
				},
			}
			for _, p := range ps {
				s.Strengths = append(s.Strengths, exponent(p))
			}
			return s.NewWorker
		},
	}, true
}

// exact computes, by the definitions and in float64, what the means of ps do to a
// voxel: how far it moves, and the derivative of its new value by its old one,
//
//	w_ij' = -w_ij D_ij' / h^2,  0 where D_ij <= 2 sigma^2
//	D_ij' = 2 sum_k a_k (v_{i+k} - v_{j+k}) ([i+k is i] - [j+k is i])
//
// where a sample outside the volume is the voxel that it mirrors. Weights count
// relative to the largest where that is the weight of the voxel itself.
func exact(ps []Params, in *denoise.Field, b *tile.Block, unit float64, x, y, z int, to []pairwise.Change) {
	type pair struct{ difference, distance, slope float64 }
	var all []pair
	here := float64(b.Values[b.At(x, y, z)])
	least := math.Inf(1)
	tile.Neighbours(in, ps[0].SearchRadius, x, y, z, func(jx, jy, jz, _ int) {
		d, slope := slopedDistance(&ps[0], in, b, [3]int{x, y, z}, [3]int{jx, jy, jz})
		all = append(all, pair{float64(b.Values[b.At(jx, jy, jz)]) - here, d, slope})
		least = min(least, d)
	})
	for k, p := range ps {
		p = p.in(unit)
		bias, h2 := 2*p.Sigma*p.Sigma, p.H*p.H
		first, own := 0.0, 1.0 // the exponent that weights are relative to, and the voxel's own weight
		if p.Centre == CentreMax {
			first = max(0, least-bias) / h2
		}
		to[k] = pairwise.Change{Derivative: 1}
		if len(all) == 0 || first > underflow {
			continue // the voxel stays as it is
		}
		var num, slopeNum, slopeDen float64
		den, ownAdded := own, p.Centre != CentreMax
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
			if q.distance == least && !ownAdded {
				slopeDen += slope
				ownAdded = true
			}
		}
		to[k].Residual = num / den / unit
		to[k].Derivative += (slopeNum - num/den*slopeDen) / den
	}
}

// slopedDistance returns D between the patches around i and j in a block, and its
// derivative by the voxel i.
func slopedDistance(p *Params, in *denoise.Field, b *tile.Block, i, j [3]int) (distance, slope float64) {
	f := p.PatchRadius
	isHere := func(at [3]int, kx, ky, kz int) bool {
		return tile.Mirror(at[0]+kx, in.Dims[0]) == i[0] && tile.Mirror(at[1]+ky, in.Dims[1]) == i[1] && tile.Mirror(at[2]+kz, in.Dims[2]) == i[2]
	}
	first, second := b.At(i[0], i[1], i[2]), b.At(j[0], j[1], j[2])
	for kz := -f[2]; kz <= f[2]; kz++ {
		for ky := -f[1]; ky <= f[1]; ky++ {
			for kx := -f[0]; kx <= f[0]; kx++ {
				k := (kz*b.Dims[1]+ky)*b.Dims[0] + kx
				d := float64(b.Values[first+k]) - float64(b.Values[second+k])
				a := p.tap(0, kx) * p.tap(1, ky) * p.tap(2, kz)
				distance += a * d * d
				if isHere(i, kx, ky, kz) {
					slope += 2 * a * d
				}
				if isHere(j, kx, ky, kz) {
					slope -= 2 * a * d
				}
			}
		}
	}
	return distance, slope
}
