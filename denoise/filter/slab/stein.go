package slab

import (
	"math"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

// stein is the closed form of Stein's risk (Van De Ville, Kocher 2009) for recipes that differ in guide-sigma alone.
// With W_i = 1 + sum_j w_j and T_i(f) = sum_j 4 u_j d_j (f_j - m_i(f)) / (s_j W_i), over the j with 0 < u_j = 3 - d_j^2 < 1,
// a mean m(f) moves by T(f) with its guide. A smoothed voxel i takes the share k_il of voxel l, in its slice:
//
//	d out_i / d v_i = 1 / W_i + k_ii T_i(v) + sum_l k_il k_li (1 / W_l + T_l(g) - 1 / W_i) - sum_l k_li T_l(v) sum_q k_iq k_ql
func stein(recipes []denoise.Recipe) (denoise.SteinPass, bool) {
	var ps []Params
	for _, r := range recipes {
		ps = append(ps, newParams(r))
	}
	return denoise.SteinPass{
		Tile: [3]int{64, 16, 16},
		Start: func(in, count denoise.Field) func() denoise.SteinWorker {
			return func() denoise.SteinWorker {
				w := &steinWorker{in: in, count: count, guide: denoise.Field{Dims: in.Dims}, ps: ps}
				w.means, w.leaks = make([][]move, len(ps)), make([][]move, len(ps))
				return w.sums
			}
		},
	}, true
}

type steinWorker struct {
	ps               []Params
	in, count, guide denoise.Field
	near, far        denoise.Field // without values: what the last smoothing reads, and the one before it
	shares           []float64     // 1 / the sum of the taps of the Gaussian around the voxels of near
	means            [][]move      // by recipe, of the voxels of far
	leaks            [][]move      // by recipe, of the guide at the voxels of near, less the smoothed means
	around           []tap         // the voxel and those that smoothing reads
}

// move is a mean of neighbouring slices, its 1 / W and its T.
type move struct{ value, own, slope float64 }

// tap is a voxel that smoothing reads, and the weight there.
type tap struct {
	at     [3]int
	weight float64
}

// unit is a spacing, which the sums do not depend on.
var unit = [3]float64{1, 1, 1}

func (w *steinWorker) sums(t volume.Region, stop func() bool) []denoise.Stein {
	sums, p, in := make([]denoise.Stein, len(w.ps)), w.ps[0], &w.in
	w.near.Box = in.Around(t, p.Guide.Radius)
	w.far.Box = in.Around(w.near.Box, p.Guide.Radius)
	w.guide.Box = in.Around(w.far.Box, p.reach())
	w.guide.Data = tile.Resize(w.guide.Data, w.guide.Box.Voxels())
	if w.guide.Mask = nil; in.Mask != nil {
		w.guide.Mask = (&volume.Volume{Geometry: volume.NewGeometry(in.Box.Dims(), unit), Data: in.Data, Mask: in.Mask}).Crop(w.guide.Box).Mask
	}
	smooth := p.Guide.Pass(volume.NewGeometry(in.Dims, unit), denoise.Voxels, guideField)
	smooth.CPU.Start([]denoise.Field{*in}, w.guide)()(w.guide.Box, stop)
	w.shares = tile.Resize(w.shares, w.near.Box.Voxels())
	for k := range w.ps {
		w.means[k], w.leaks[k] = tile.Resize(w.means[k], w.far.Box.Voxels()), tile.Resize(w.leaks[k], w.near.Box.Voxels())
	}
	each := func(box volume.Region, f func(x, y, z int)) {
		for z := box.Min[2]; z < box.Max[2]; z++ {
			for y := box.Min[1]; y < box.Max[1]; y++ {
				if stop() {
					return
				}
				for x := box.Min[0]; x < box.Max[0]; x++ {
					if in.Valid(in.Index(x, y, z)) {
						f(x, y, z)
					}
				}
			}
		}
	}
	each(w.far.Box, func(x, y, z int) {
		for k, p := range w.ps {
			w.means[k][w.far.Index(x, y, z)] = p.move(in, &w.guide, x, y, z)
		}
	})
	each(w.near.Box, func(x, y, z int) {
		sum, i := 0.0, w.near.Index(x, y, z)
		w.gather(x, y, z)
		for _, l := range w.around {
			sum += l.weight
		}
		w.shares[i] = 1 / sum
		for k, p := range w.ps {
			m, smoothed := p.move(&w.guide, &w.guide, x, y, z), 0.0
			for _, l := range w.around {
				smoothed += l.weight / sum * w.means[k][w.far.Index(l.at[0], l.at[1], l.at[2])].value
			}
			m.value -= smoothed
			w.leaks[k][i] = m
		}
	})
	each(t, func(x, y, z int) {
		if w.count.Valid(w.count.Index(x, y, z)) {
			w.add(sums, x, y, z)
		}
	})
	return sums
}

// gather sets around for a voxel.
func (w *steinWorker) gather(x, y, z int) {
	g := w.ps[0].Guide
	w.around = append(w.around[:0], tap{[3]int{x, y, z}, 1})
	tile.Neighbours(&w.in, g.Radius, x, y, z, func(jx, jy, jz, _ int) {
		w.around = append(w.around, tap{[3]int{jx, jy, jz}, math.Exp(-0.5 * g.Distance(jx-x, jy-y, jz-z))})
	})
}

// add adds a voxel to the sums.
func (w *steinWorker) add(sums []denoise.Stein, x, y, z int) {
	g := w.ps[0].Guide
	taps := [3][]float64{g.Taps(0), g.Taps(1), g.Taps(2)}
	w.gather(x, y, z)
	i, own := w.far.Index(x, y, z), w.shares[w.near.Index(x, y, z)]
	moves := make([]move, len(sums)) // value: of the result; own: its derivative
	for k := range sums {
		here := w.means[k][i]
		moves[k] = move{value: here.value - float64(w.in.At(x, y, z)), own: here.own + own*here.slope}
	}
	for _, l := range w.around {
		at := w.near.Index(l.at[0], l.at[1], l.at[2])
		forth, back := own*l.weight, w.shares[at]*l.weight // k_il, k_li
		twice := 0.0                                       // the share of l after two smoothings
		for _, q := range w.around {
			weight := q.weight * w.shares[w.near.Index(q.at[0], q.at[1], q.at[2])]
			for c, a := range taps {
				if d := l.at[c] - q.at[c] + len(a)/2; d >= 0 && d < len(a) {
					weight *= a[d]
				} else {
					weight = 0
				}
			}
			twice += own * weight
		}
		for k := range moves {
			leak := w.leaks[k][at]
			moves[k].value += forth * leak.value
			moves[k].own += forth*back*(leak.own+leak.slope-w.means[k][i].own) - back*twice*w.means[k][w.far.Index(l.at[0], l.at[1], l.at[2])].slope
		}
	}
	for k, m := range moves {
		sums[k].Residual += m.value * m.value
		sums[k].Divergence += m.own
	}
}

// move returns the mean of a field at a voxel by its guide.
func (p Params) move(f, guide *denoise.Field, x, y, z int) move {
	fi, gi := float64(f.At(x, y, z)), float64(guide.At(x, y, z))
	num, den, slopeNum, slopeDen := 0.0, 1.0, 0.0, 0.0
	tile.Neighbours(f, p.reach(), x, y, z, func(jx, jy, jz, j int) {
		k := jx - x + jy - y + jz - z
		inverse := p.Inverse[max(k, -k)-1]
		d := (float64(guide.At(jx, jy, jz)) - gi) * inverse
		u, v := min(max(3-d*d, 0), 1), float64(f.Data[j])-fi
		num += u * u * v
		den += u * u
		if u > 0 && u < 1 {
			slopeNum += 4 * u * d * inverse * v
			slopeDen += 4 * u * d * inverse
		}
	})
	return move{fi + num/den, 1 / den, (slopeNum - num/den*slopeDen) / den}
}
