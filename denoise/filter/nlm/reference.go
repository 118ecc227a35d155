package nlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

// reference is the non-local mean at voxel i = (x, y, z):
//
//	D_ij  = sum_k a_k |v_{i+k} - v_{j+k}|^2
//	w_ij  = exp(-max(0, D_ij - C_ij) / h^2)             weighting gaussian
//	w_ij  = T_i - D_ij,  T_i = sum_j D_ij               weighting lk, |.|^k in D
//	C_ij  = 2 sigma^2 (1 - rho(j - i))
//	out_i = v_i + sum_j w_ij (v_j - v_i) / sum_j w_ij
//
// and with rician the same of v^2, less 2 sigma^2, clamped at 0, and its root. With
// preselection inputs are the voxels, the local means and deviations, and j are the
// neighbours that are alike.
func reference(p Params, inputs []denoise.Field, x, y, z int) float64 {
	in, used := &inputs[0], p.selection(inputs)
	power := 2
	if p.LK > 0 {
		power = p.LK
	}
	var weights, values, cuts []float64
	tile.Neighbours(in, p.SearchRadius, x, y, z, func(jx, jy, jz, j int) {
		if !used([3]int{x, y, z}, [3]int{jx, jy, jz}) {
			return
		}
		weights = append(weights, patchDistance(p, in, power, x, y, z, jx, jy, jz))
		values = append(values, float64(in.Data[j]))
		cuts = append(cuts, p.Cut([3]int{jx - x, jy - y, jz - z}))
	})

	match := 1.0 // the weight of a perfect match
	if p.LK > 0 {
		match = 0
		for _, d := range weights {
			match += d
		}
	}
	for n, d := range weights {
		if p.LK > 0 {
			weights[n] = match - d
		} else {
			weights[n] = math.Exp(-max(0, d-cuts[n]) / (p.H * p.H))
		}
	}
	centre := match
	if p.Centre == CentreMax {
		centre = 0
		for _, w := range weights {
			centre = max(centre, w)
		}
	}
	if len(weights) == 0 {
		centre = 1
	}

	vi := float64(in.At(x, y, z))
	num, den := 0.0, centre
	for n, w := range weights {
		if p.Rician {
			num += w * (values[n]*values[n] - vi*vi)
		} else {
			num += w * (values[n] - vi)
		}
		den += w
	}
	switch {
	case den == 0:
		return vi
	case p.Rician:
		return math.Sqrt(max(0, vi*vi+num/den-2*p.Sigma*p.Sigma))
	}
	return vi + num/den
}

// selection returns which valid neighbours j of i are used.
func (p *Params) selection(inputs []denoise.Field) func(i, j [3]int) bool {
	if p.Select == nil {
		return func(_, _ [3]int) bool { return true }
	}
	return func(i, j [3]int) bool { return p.Select.AlikeAt(&inputs[1], &inputs[2], i, j) }
}

// patchDistance is D between the patches around i and j, mirrored at the
// volume's edge.
func patchDistance(p Params, in *denoise.Field, power, ix, iy, iz, jx, jy, jz int) float64 {
	f := p.PatchRadius
	at := func(x, y, z int) float64 {
		return float64(in.At(volume.Mirror(x, in.Dims[0]), volume.Mirror(y, in.Dims[1]), volume.Mirror(z, in.Dims[2])))
	}
	sum := 0.0
	for kz := -f[2]; kz <= f[2]; kz++ {
		for ky := -f[1]; ky <= f[1]; ky++ {
			for kx := -f[0]; kx <= f[0]; kx++ {
				d := math.Abs(at(ix+kx, iy+ky, iz+kz) - at(jx+kx, jy+ky, jz+kz))
				term := p.tap(0, kx) * p.tap(1, ky) * p.tap(2, kz)
				for range power {
					term *= d
				}
				sum += term
			}
		}
	}
	return sum
}
