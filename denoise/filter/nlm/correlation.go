package nlm

import (
	"math"

	"quell/denoise"
	"quell/denoise/noise"
)

// Noise that is correlated makes near patches more alike than far ones: of two
// patches of equal structure that lie d apart the distance is 2 sigma^2 (1 - rho(d))
// on average, which is what is subtracted from it then.
//
// The correlation is a list of whole per cent: of voxels 1, 2, 3 and 4 apart within
// a slice, then of voxels 1 and 2 slices apart; what the list lacks is 0. Recipes,
// flags and messages carry such a list as it is, estimates are not good to more than
// a per cent, and the mean over all directions loses nothing (docs/benchmarks/filters.md).

// The voxels and slices that the list reaches.
const (
	lagsInSlice = noise.MaxLag
	lagsAcross  = 2
)

// correlation is rho by distance: inSlice[0] and across[0] are 1, and it falls to 0
// one voxel beyond the last.
type correlation struct {
	inSlice    [lagsInSlice + 2]float64
	across     [lagsAcross + 2]float64
	correlated bool // false: rho is 0 but at 0
}

// newCorrelation reads the parameter.
func newCorrelation(percent []int) correlation {
	var c correlation
	c.inSlice[0], c.across[0] = 1, 1
	for i, x := range percent {
		if i < lagsInSlice {
			c.inSlice[i+1] = float64(x) / 100
		} else {
			c.across[i-lagsInSlice+1] = float64(x) / 100
		}
		c.correlated = c.correlated || x != 0
	}
	return c
}

// rho is the correlation at an offset: that within a slice, interpolated between
// whole distances, times that across slices.
func (c *correlation) rho(d [3]int) float64 {
	r, dz := math.Hypot(float64(d[0]), float64(d[1])), max(d[2], -d[2])
	k := int(r)
	if k > lagsInSlice || dz > lagsAcross {
		return 0
	}
	t := r - float64(k)
	return ((1-t)*c.inSlice[k] + t*c.inSlice[k+1]) * c.across[dz]
}

// Cut is what is subtracted from the distance of two patches that lie d apart:
// 2 sigma^2 (1 - rho(d)), in the volume's unit squared.
func (p *Params) Cut(d [3]int) float64 {
	white := 2 * p.Sigma * p.Sigma
	if !p.correlation.correlated {
		return white
	}
	return white * (1 - p.correlation.rho(d))
}

// autoCorrelation is the list of the estimated correlation; 0 for white noise.
func autoCorrelation(_ denoise.Recipe, f denoise.Facts) denoise.Value {
	c := f.Noise.Correlation
	if c == nil {
		return denoise.List(0)
	}
	percent := func(x float64) int { return int(math.Round(100 * min(max(x, -1), 1))) }
	var list []int
	for d := 1; d <= lagsInSlice; d++ {
		list = append(list, percent((c.Rho(d, 0, 0)+c.Rho(0, d, 0))/2))
	}
	for d := 1; d <= lagsAcross; d++ {
		list = append(list, percent(c.Rho(0, 0, d)))
	}
	return denoise.List(list...)
}
