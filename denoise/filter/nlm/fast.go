package nlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/pairwise"
	"quell/denoise/tile"
)

// start runs non-local means as a pairwise filter.
func start(p Params, inputs []denoise.Field, out denoise.Field) func() denoise.Worker {
	in := inputs[0]
	f := pairs(p, in)
	f.Out = out
	f.Mean = mean(p)
	if p.Select != nil {
		f.Select = &pairwise.Selection{
			Mean: inputs[1], Deviation: inputs[2], Apart: p.Select.Apart, Ratio: p.Select.Deviation,
		}
	}
	used := p.selection(inputs)
	f.Faint = func(b *tile.Block, unit float64, x, y, z int) float64 {
		return faint(p.in(unit), &in, used, b, x, y, z)
	}
	if p.LK == 0 {
		e := exponent(p)
		f.Scale, f.Bias = e.Scale, e.Bias
		if !p.correlation.White() {
			f.Offsets = pairwise.HalfNeighbourhood(p.SearchRadius, func(d [3]int) float64 { return -e.Bias * p.correlation.Rho(d) })
		}
	}
	return f.NewWorker
}

// pairs describes the pairs of a neighbourhood and their distances.
func pairs(p Params, in denoise.Field) *pairwise.Filter {
	f := &pairwise.Filter{
		In:     in,
		Search: p.SearchRadius, Patch: p.PatchRadius,
		Offsets: pairwise.HalfNeighbourhood(p.SearchRadius, func([3]int) float64 { return 0 }),
		Peak:    p.Centre == CentreMax, Squares: p.Rician, LK: p.LK,
	}
	fx := p.PatchRadius[0]
	for k := 1; k <= fx; k++ {
		f.Side = append(f.Side, float32(p.Taps[fx+k]/p.Taps[fx]))
	}
	return f
}

// exponent is the exponent of the Gaussian weights as a power of 2: exp(-(D - 2
// sigma^2) / h^2) = 2^-(Scale D' + Bias), D' having a_0 = 1. Correlated noise adds
// -Bias rho to the bias of an offset.
func exponent(p Params) pairwise.Exponent {
	axes := 0
	for _, f := range p.PatchRadius {
		if f > 0 {
			axes++
		}
	}
	perUnit := math.Log2E / (p.H * p.H)
	return pairwise.Exponent{
		Scale: perUnit * math.Pow(p.Taps[p.PatchRadius[0]], float64(axes)),
		Bias:  -2 * p.Sigma * p.Sigma * perUnit,
	}
}

// in returns the parameters for values that were multiplied by unit.
func (p Params) in(unit float64) Params {
	p.H *= unit
	p.Sigma *= unit
	return p
}

// mean returns the function that turns the sums of a voxel into its new value.
func mean(p Params) func(v, unit float64, s pairwise.Sums) (value float64, ok bool) {
	switch {
	case p.LK > 0:
		return func(v, unit float64, s pairwise.Sums) (float64, bool) {
			// With T = sum D = s.Den: sum (T - D) = (n - 1) T, and so on.
			num, den := s.Den*s.Delta-s.Num, (s.N-1)*s.Den
			switch {
			case s.N == 0:
				num, den = 0, 1
			case p.Centre == CentreMax:
				den += s.Den + s.Peak
			default:
				den += s.Den
			}
			return p.result(v, unit, num, den), true
		}
	case p.Centre == CentreMax:
		return func(v, unit float64, s pairwise.Sums) (float64, bool) {
			return p.result(v, unit, s.Num, s.Den+s.Peak), s.Peak >= pairwise.FaintPeak
		}
	}
	return func(v, unit float64, s pairwise.Sums) (float64, bool) {
		return p.result(v, unit, s.Num, s.Den+1), true
	}
}

// result is the new value of a voxel of value v, if the weighted differences sum up
// to num and the weights to den. Values were multiplied by unit.
func (p *Params) result(v, unit, num, den float64) float64 {
	switch {
	case den == 0:
		return v
	case p.Rician:
		sigma := p.Sigma * unit
		return math.Sqrt(max(0, v*v+num/den-2*sigma*sigma))
	}
	return v + num/den
}

// underflow is the exponent of e beyond which a float64 is 0.
const underflow = 746

// negligible is the exponent of e, relative to the largest weight, beyond which a
// weight is as good as 0.
const negligible = 42

// faint is the mean, with Gaussian weights and centre rule max, of a voxel that
// resembles none of its neighbourhood: its weights are far below what float32
// holds, but it is their ratios that count. The sums are the reference's, in
// float64, with two short cuts that float64 cannot resolve: a patch is given up
// as soon as its weight would be 0, or 2^-60 of the largest one so far.
func faint(p Params, in *denoise.Field, used func(i, j [3]int) bool, b *tile.Block, x, y, z int) float64 {
	here := b.At(x, y, z)
	v := func(i int) float64 { return float64(b.Values[i]) }
	least := math.Inf(1) // the smallest exponent so far
	num, den := 0.0, 0.0
	alone := true
	tile.Neighbours(in, p.SearchRadius, x, y, z, func(jx, jy, jz, _ int) {
		if !used([3]int{x, y, z}, [3]int{jx, jy, jz}) {
			return
		}
		alone = false
		there, cut := b.At(jx, jy, jz), p.Cut([3]int{jx - x, jy - y, jz - z})
		limit := min(underflow, least+negligible)*p.H*p.H + cut
		d, below := limitedDistance(p, b, here, there, limit)
		if !below {
			return
		}
		e := max(0, d-cut) / (p.H * p.H)
		least = min(least, e)
		w := math.Exp(-e)
		dv := v(there) - v(here)
		if p.Rician {
			dv *= v(there) + v(here)
		}
		num += w * dv
		den += w
	})
	den += math.Exp(-least) // the largest weight; 0 if there is none
	if den == 0 && alone {
		den = 1
	}
	return p.result(v(here), 1, num, den)
}

// limitedDistance is D between the patches at positions i and j of a block, or
// false as soon as it exceeds limit.
func limitedDistance(p Params, b *tile.Block, i, j int, limit float64) (float64, bool) {
	f := p.PatchRadius
	sum := 0.0
	for kz := -f[2]; kz <= f[2]; kz++ {
		for ky := -f[1]; ky <= f[1]; ky++ {
			row := (kz*b.Dims[1] + ky) * b.Dims[0]
			a := p.tap(2, kz) * p.tap(1, ky)
			for kx := -f[0]; kx <= f[0]; kx++ {
				d := float64(b.Values[i+row+kx]) - float64(b.Values[j+row+kx])
				sum += a * p.tap(0, kx) * d * d
			}
			if sum > limit {
				return sum, false
			}
		}
	}
	return sum, true
}
