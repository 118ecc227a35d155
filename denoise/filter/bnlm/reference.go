package bnlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

// reference is the mean over the blocks that voxel x belongs to of what they give it:
//
//	D_kj  = 1/|B| sum_o (v_{k+o} - v_{j+o})^2         o over the block, samples mirrored
//	w_kj  = exp(-D_kj / h^2)                          j a candidate of k
//	w_kk  = the largest w_kj, 1 if there is none
//	u_k,x = v_x + sum_j w_kj (v_{x+j-k} - v_x) / sum_j w_kj      v_x if float64 holds no w_kj
//	out_x = 1/K sum_k u_k,x
//
// j stands for a block at one of the candidates' distances that has no excluded sample
// and its middle in the volume, and with preselection is alike to k.
func reference(p Params, in []denoise.Field, x [3]int) float64 {
	v := &in[0]
	var first, last [3]int
	for c := range 3 {
		first[c], last[c] = p.Blocks(c, x[c], x[c]+1, v.Dims[c])
	}
	sum, n := 0.0, 0.0
	for kz := first[2]; kz <= last[2]; kz++ {
		for ky := first[1]; ky <= last[1]; ky++ {
			for kx := first[0]; kx <= last[0]; kx++ {
				sum += p.change(in, [3]int{p.Step[0] * kx, p.Step[1] * ky, p.Step[2] * kz}, x)
				n++
			}
		}
	}
	return float64(v.At(x[0], x[1], x[2])) + sum/n
}

// change returns u_k,x - v_x.
func (p *Params) change(in []denoise.Field, k, x [3]int) float64 {
	v := &in[0]
	here := sample(v, x, [3]int{})
	var exponents, differences []float64
	least := math.Inf(1)
	tile.Neighbours(&denoise.Field{Dims: v.Dims, Box: v.Box}, p.Search, k[0], k[1], k[2], func(jx, jy, jz, _ int) {
		j := [3]int{jx, jy, jz}
		if !p.candidate([3]int{jx - k[0], jy - k[1], jz - k[2]}) || !p.usable(v, j) || p.Select != nil && !p.Select.AlikeAt(&in[1], &in[2], k, j) {
			return
		}
		e := p.distance(v, k, j) / (p.H * p.H)
		exponents = append(exponents, e)
		differences = append(differences, sample(v, x, [3]int{jx - k[0], jy - k[1], jz - k[2]})-here)
		least = min(least, e)
	})
	if math.Exp(-least) == 0 { // no weight, or none at all
		return 0
	}
	num, den := 0.0, 1.0
	for i, e := range exponents { // relative to the largest weight, the weight of the block itself
		w := math.Exp(least - e)
		num += w * differences[i]
		den += w
	}
	return num / den
}

// sample returns the voxel at i + o, mirrored beyond the volume.
func sample(v *denoise.Field, i, o [3]int) float64 {
	return float64(v.Data[position(v, i, o)])
}

func position(v *denoise.Field, i, o [3]int) int {
	return v.Index(volume.Mirror(i[0]+o[0], v.Dims[0]), volume.Mirror(i[1]+o[1], v.Dims[1]), volume.Mirror(i[2]+o[2], v.Dims[2]))
}

// usable reports whether no sample of the block at j is excluded.
func (p *Params) usable(v *denoise.Field, j [3]int) bool {
	if v.Mask == nil {
		return true
	}
	for oz := -p.Radius[2]; oz <= p.Radius[2]; oz++ {
		for oy := -p.Radius[1]; oy <= p.Radius[1]; oy++ {
			for ox := -p.Radius[0]; ox <= p.Radius[0]; ox++ {
				if !v.Valid(position(v, j, [3]int{ox, oy, oz})) {
					return false
				}
			}
		}
	}
	return true
}

// distance is D between the blocks at k and j.
func (p *Params) distance(v *denoise.Field, k, j [3]int) float64 {
	sum := 0.0
	for oz := -p.Radius[2]; oz <= p.Radius[2]; oz++ {
		for oy := -p.Radius[1]; oy <= p.Radius[1]; oy++ {
			for ox := -p.Radius[0]; ox <= p.Radius[0]; ox++ {
				d := sample(v, k, [3]int{ox, oy, oz}) - sample(v, j, [3]int{ox, oy, oz})
				sum += d * d
			}
		}
	}
	return sum / tile.Count(p.Radius)
}
