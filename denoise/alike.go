package denoise

import (
	"context"
	"math"

	"quell/denoise/noise"
	"quell/internal/parallel"
	"quell/volume"
)

// Whether two neighbours show the same tissue or not decides what averaging them does, and
// differs from anatomy to anatomy. It is measured on the noisy image: of the means
//
//	u_i = v_i + sum_j w_ij (v_j - v_i) / (1 + sum_j w_ij),   w_ij = g_ij exp(-1/2 ((v_j - v_i) / (t sigma))^2)
//
// over the neighbours within a slice, with g a Gaussian of 1 mm, it is the t with the least
// error by Stein's unbiased risk. The derivatives are known:
//
//	du_i/dv_j = (w_ij (1 - z_ij^2) + (u_i - v_i) w_ij z_ij / (t sigma)) / (1 + sum_j w_ij),   z_ij = (v_j - v_i) / (t sigma)
//	du_i/dv_i = 1 - sum_j du_i/dv_j
//	risk_i    = (u_i - v_i)^2 / sigma^2 - 1 + 2 (du_i/dv_i + sum_j rho_ij du_i/dv_j)
//
// with the correlation rho of the noise.

const (
	// MostAlike is the largest t that is tried, and the others are MostAlike / sqrt(2)^k, so
	// that each weight is the square of the previous weight.
	MostAlike  = 10.0
	alikeSteps = 7

	// alikePairs is about how many pairs are looked at in a volume that is all foreground.
	alikePairs = 1 << 20
	// alikeVoxels is the fewest voxels with a risk that says anything; fewer than
	// alikeEnough are only looked at if there are no more.
	alikeVoxels, alikeEnough = 1000, 4000
	// alikeWeight is the least sum of g at which means differ from the voxels.
	alikeWeight = 0.25
	// alikeRadius bounds the neighbourhood, in voxels.
	alikeRadius = 8
)

// neighbour is an offset within a slice.
type neighbour struct {
	dx, dy int
	g      float64
	white  float64 // 1 - rho
}

// neighbours returns the neighbours of a Gaussian of 1 mm, to 2 mm, and the sum of their
// weights.
func neighbours(g volume.Geometry, c *noise.Correlation) (all []neighbour, sum float64) {
	radius := func(axis int) int { return min(int(math.Ceil(2/g.Spacing[axis])), alikeRadius) }
	for dy := -radius(1); dy <= radius(1); dy++ {
		for dx := -radius(0); dx <= radius(0); dx++ {
			if dx == 0 && dy == 0 {
				continue
			}
			x, y := float64(dx)*g.Spacing[0], float64(dy)*g.Spacing[1]
			n := neighbour{dx, dy, math.Exp(-0.5 * (x*x + y*y)), 1 - c.Rho(dx, dy, 0)}
			all, sum = append(all, n), sum+n.g
		}
	}
	return all, sum
}

// alike measures t in the foreground of a volume with the noise of f. It returns 0 if
// there is too little to measure, or no noise that counts. The error is the context's.
func (f Facts) alike(ctx context.Context, v *volume.Volume) (float64, error) {
	around, weight := neighbours(v.Geometry, f.Noise.Correlation)
	if f.AutoSigma() == 0 || weight < alikeWeight {
		return 0, ctx.Err()
	}
	in := f.inSigmas()
	return f.leastError(ctx, v, MostAlike, len(around), func(risk *[alikeSteps]float64, i int) bool {
		addRisks(risk, v, in, around, i)
		return true
	})
}

// leastError returns the t at which the risk that add sums up is the least, at most most and
// at least most / sqrt(2)^6; 0 with too few voxels. add returns false for a voxel that it
// cannot look at, and compares each with that many others.
func (f Facts) leastError(ctx context.Context, v *volume.Volume, most float64, others int, add addRisk) (float64, error) {
	for step := max(len(v.Data)*others/alikePairs, 1) | 1; ; step = step/16 | 1 {
		s, err := f.meanRisks(ctx, v, step, add)
		switch {
		case err != nil:
			return 0, err
		case s.voxels >= alikeEnough || step == 1 && s.voxels >= alikeVoxels:
			return most * leastRisk(s.risk), nil
		case step == 1:
			return 0, nil
		}
	}
}

// addRisk adds the risk of voxel i at each t, unless it returns false.
type addRisk func(risk *[alikeSteps]float64, i int) bool

// riskSums is the risk at each t, summed over voxels.
type riskSums struct {
	risk   [alikeSteps]float64
	voxels int
}

// meanRisks sums over every step-th voxel that lies in the foreground. An odd step visits
// all columns.
func (f Facts) meanRisks(ctx context.Context, v *volume.Volume, step int, add addRisk) (total riskSums, err error) {
	perSlice := make([]riskSums, v.Dims[2])
	err = parallel.For(ctx, v.Dims[2], func(z int) error {
		s, first := &perSlice[z], z*v.SliceVoxels()
		for i := (first + step - 1) / step * step; i < first+v.SliceVoxels(); i += step {
			if f.Foreground(i) && add(&s.risk, i) {
				s.voxels++
			}
		}
		return nil
	})
	for _, s := range perSlice { // in order: the same bits on any number of cores
		total.voxels += s.voxels
		for k := range s.risk {
			total.risk[k] += s.risk[k]
		}
	}
	return total, err
}

// addRisks adds the risk of the means around voxel i of the volume that in makes of v.
func addRisks(risk *[alikeSteps]float64, v *volume.Volume, in func(float32) float64, around []neighbour, i int) {
	here := in(v.Data[i])
	x, y := i%v.Dims[0], i/v.Dims[0]%v.Dims[1]
	var den, num, slopeNum, slopeDen [alikeSteps]float64 // in sigmas
	for _, n := range around {
		if x+n.dx < 0 || x+n.dx >= v.Dims[0] || y+n.dy < 0 || y+n.dy >= v.Dims[1] {
			continue
		}
		j := i + n.dy*v.Dims[0] + n.dx
		if !v.Valid(j) {
			continue
		}
		d := in(v.Data[j]) - here
		perT := d / (MostAlike * MostAlike) // d / t^2
		e := math.Exp(-0.5 * d * perT)
		for k := range alikeSteps {
			w := n.g * e
			den[k] += w
			num[k] += w * d
			slopeNum[k] += n.white * w * (1 - d*perT)
			slopeDen[k] += n.white * w * perT
			e, perT = e*e, 2*perT
		}
	}
	for k := range alikeSteps {
		moved := num[k] / (1 + den[k])
		kept := 1 - (slopeNum[k]+moved*slopeDen[k])/(1+den[k])
		risk[k] += moved*moved - 1 + 2*kept
	}
}

// leastRisk returns the t at which the risk is the least, as a share of the largest: the
// vertex of the parabola through the least and its neighbours, over the logarithm of t.
func leastRisk(risk [alikeSteps]float64) float64 {
	k := 0
	for i, r := range risk {
		if r < risk[k] {
			k = i
		}
	}
	at := float64(k)
	if k > 0 && k < alikeSteps-1 {
		if bend := risk[k-1] - 2*risk[k] + risk[k+1]; bend > 0 {
			at += 0.5 * (risk[k-1] - risk[k+1]) / bend
		}
	}
	return math.Exp2(-at / 2)
}
