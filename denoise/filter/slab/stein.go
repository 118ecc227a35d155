package slab

import (
	"math"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

// stein is the closed form of Stein's risk (Van De Ville, Kocher 2009) for recipes that differ in guide-sigma alone. A
// voxel moves the smoothed volume in its own slice, at its place by its share in that mean:
//
//	d out_i / d v_i = (1 + sum_j w_j' (v_j - out_i)) / (1 + sum_j w_j)
//	w_j'            = 4 u_j d_j / (s_j sum_a g_a) if 2 < d_j^2 < 3, else 0;   u_j = 3 - d_j^2
//
// with s_j the noise of the difference d_j, and g_a the taps of the Gaussian on the voxels that it uses.
func stein(recipes []denoise.Recipe) (denoise.SteinPass, bool) {
	var ps []Params
	for _, r := range recipes {
		ps = append(ps, newParams(r))
	}
	return denoise.SteinPass{
		Tile: tileSize,
		Start: func(in, count denoise.Field) func() denoise.SteinWorker {
			return func() denoise.SteinWorker { return steinWorker(ps, in, count) }
		},
	}, true
}

// unit is a spacing, which the sums do not depend on.
var unit = [3]float64{1, 1, 1}

func steinWorker(ps []Params, in, count denoise.Field) denoise.SteinWorker {
	guide := denoise.Field{Dims: in.Dims}
	fields := []denoise.Field{in, {}}
	return func(t volume.Region, stop func() bool) []denoise.Stein {
		guide.Box = in.Around(t, ps[0].reach())
		guide.Data = tile.Resize(guide.Data, guide.Box.Voxels())
		if guide.Mask = nil; in.Mask != nil {
			guide.Mask = (&volume.Volume{Geometry: volume.NewGeometry(in.Box.Dims(), unit), Data: in.Data, Mask: in.Mask}).Crop(guide.Box).Mask
		}
		ps[0].Guide.Pass(volume.NewGeometry(in.Dims, unit), denoise.Voxels, guideField).CPU.Start(fields[:1], guide)()(guide.Box, stop)
		fields[1] = guide
		sums := make([]denoise.Stein, len(ps))
		for z := t.Min[2]; z < t.Max[2]; z++ {
			for y := t.Min[1]; y < t.Max[1]; y++ {
				if stop() {
					return sums
				}
				for x := t.Min[0]; x < t.Max[0]; x++ {
					if !count.Valid(count.Index(x, y, z)) {
						continue
					}
					share := 1 / ps[0].taps(&in, x, y, z)
					for k, p := range ps {
						moved, derivative := p.move(fields, share, x, y, z)
						sums[k].Residual += moved * moved
						sums[k].Divergence += derivative
					}
				}
			}
		}
		return sums
	}
}

// taps is the sum of the taps of the Gaussian around a voxel, over the voxels that are used.
func (p Params) taps(in *denoise.Field, x, y, z int) float64 {
	sum := 1.0
	tile.Neighbours(in, p.Guide.Radius, x, y, z, func(jx, jy, jz, _ int) {
		sum += math.Exp(-0.5 * p.Guide.Distance(jx-x, jy-y, jz-z))
	})
	return sum
}

// move returns how far the average moves a voxel, and the derivative of the result by the voxel, whose share in its own
// smoothed value is given.
func (p Params) move(in []denoise.Field, share float64, x, y, z int) (moved, derivative float64) {
	guide := &in[1]
	vi, gi := float64(in[0].At(x, y, z)), float64(guide.At(x, y, z))
	num, den, slopeNum, slopeDen := 0.0, 1.0, 0.0, 0.0
	tile.Neighbours(&in[0], p.reach(), x, y, z, func(jx, jy, jz, j int) {
		k := jx - x + jy - y + jz - z
		inverse := p.Inverse[max(k, -k)-1]
		d := (float64(guide.At(jx, jy, jz)) - gi) * inverse
		u, v := min(max(3-d*d, 0), 1), float64(in[0].Data[j])-vi
		num += u * u * v
		den += u * u
		if u > 0 && u < 1 {
			slope := 4 * u * d * inverse * share
			slopeNum += slope * v
			slopeDen += slope
		}
	})
	moved = num / den
	return moved, (1 + slopeNum - moved*slopeDen) / den
}
