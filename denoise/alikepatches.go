package denoise

import (
	"context"
	"math"

	"quell/volume"
)

// Whether patches show the same tissue or not decides what non-local means do. Of the means
//
//	u_i = v_i + sum_j w_ij (v_j - v_i) / (1 + sum_j w_ij),   w_ij = exp(-D_ij / (t sigma)^2)
//	D_ij = sum_k a_k (v_{i+k} - v_{j+k})^2
//
// over the neighbours j within a slice, with patches of 3 x 3 under a Gaussian a of 1 voxel, it
// is the t with the least error by Stein's unbiased risk (Van De Ville, Kocher 2009):
//
//	D_ij'  = 2 sum_k a_k (v_{i+k} - v_{j+k}) (rho_{i,i+k} - rho_{i,j+k})
//	w_ij'  = -w_ij D_ij' / (t sigma)^2
//	u_i'   = 1 + (sum_j (w_ij' (v_j - v_i) - w_ij (1 - rho_ij)) - (u_i - v_i) sum_j w_ij') / (1 + sum_j w_ij)
//	risk_i = (u_i - v_i)^2 / sigma^2 - 1 + 2 u_i'
//
// with ' the sum over all voxels m of the derivative by v_m times the correlation rho_im of the
// noise.

const (
	// mostAlikePatches is the largest t that is tried; the others follow as from MostAlike.
	mostAlikePatches = 5.0
	// patchSearch is how far the neighbours lie, in voxels, and patchView how far the voxels that are read.
	patchSearch = 3
	patchView   = patchSearch + 1
	viewSide    = 2*patchView + 1
)

// view is what lies around a voxel: voxels less it, in sigmas, or its correlation with them.
type view [viewSide * viewSide]float64

// around returns the position of a voxel in a view.
func (view) around(dx, dy int) int { return (dy+patchView)*viewSide + dx + patchView }

// patchWeights are a by dy + 1 and dx + 1.
var patchWeights = func() (a [3][3]float64) {
	side := 1 + 2*math.Exp(-0.5)
	for dy := range a {
		for dx := range a[dy] {
			a[dy][dx] = math.Exp(-0.5*float64((dx-1)*(dx-1)+(dy-1)*(dy-1))) / (side * side)
		}
	}
	return a
}()

// alikePatches measures t in the foreground of a volume with the noise of f. It returns 0 if
// there is too little to measure, or no noise that counts. The error is the context's.
func (f Facts) alikePatches(ctx context.Context, v *volume.Volume) (float64, error) {
	if f.AutoSigma() == 0 {
		return 0, ctx.Err()
	}
	var rho view
	for dy := -patchView; dy <= patchView; dy++ {
		for dx := -patchView; dx <= patchView; dx++ {
			rho[rho.around(dx, dy)] = f.Noise.Correlation.Rho(dx, dy, 0)
		}
	}
	in := f.inSigmas()
	const others = (2*patchSearch+1)*(2*patchSearch+1) - 1
	return f.leastError(ctx, v, mostAlikePatches, others, func(risk *[alikeSteps]float64, i int) bool {
		var near view
		if !near.read(v, in, i) {
			return false
		}
		near.addRisks(&rho, risk)
		return true
	})
}

// read fills the view with what lies around voxel i, each made one in sigmas by in, unless a
// part of that is missing.
func (near *view) read(v *volume.Volume, in func(float32) float64, i int) bool {
	nx, ny := v.Dims[0], v.Dims[1]
	x, y := i%nx, i/nx%ny
	if x < patchView || y < patchView || x >= nx-patchView || y >= ny-patchView {
		return false
	}
	here := in(v.Data[i])
	for dy := -patchView; dy <= patchView; dy++ {
		for dx := -patchView; dx <= patchView; dx++ {
			j := i + dy*nx + dx
			if !v.Valid(j) {
				return false
			}
			near[near.around(dx, dy)] = in(v.Data[j]) - here
		}
	}
	return true
}

// addRisks adds the risk of the mean for the voxel in the middle, at each t, in noise that
// has the correlation rho with it.
func (near *view) addRisks(rho *view, risk *[alikeSteps]float64) {
	var den, num, slopeNum, slopeDen [alikeSteps]float64
	for y := -patchSearch; y <= patchSearch; y++ {
		for x := -patchSearch; x <= patchSearch; x++ {
			if x == 0 && y == 0 {
				continue
			}
			d, white := near[near.around(x, y)], 1-rho[rho.around(x, y)]
			distance, slope := near.distance(rho, x, y)
			perT := 1 / (mostAlikePatches * mostAlikePatches) // 1 / t^2
			w := math.Exp(-distance * perT)
			for k := range alikeSteps {
				change := -w * slope * perT
				den[k] += w
				num[k] += w * d
				slopeNum[k] += change*d - w*white
				slopeDen[k] += change
				w, perT = w*w, 2*perT
			}
		}
	}
	for k := range alikeSteps {
		moved := num[k] / (1 + den[k])
		kept := 1 + (slopeNum[k]-moved*slopeDen[k])/(1+den[k])
		risk[k] += moved*moved - 1 + 2*kept
	}
}

// distance returns D to the neighbour at x, y, and D'.
func (near *view) distance(rho *view, x, y int) (distance, slope float64) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			here, there := near.around(dx, dy), near.around(x+dx, y+dy)
			d, a := near[here]-near[there], patchWeights[dy+1][dx+1]
			distance += a * d * d
			slope += 2 * a * d * (rho[here] - rho[there])
		}
	}
	return distance, slope
}
