// Package correlation is the parameter by which filters know that the noise is
// correlated, and the correlation that it states.
package correlation

import (
	"math"

	"quell/denoise"
	"quell/denoise/dct"
	"quell/denoise/noise"
	"quell/volume"
)

// Name is the name of the parameter in recipes.
const Name = "correlation"

// The voxels and slices that the list reaches.
const (
	lagsInSlice = noise.MaxLag
	lagsAcross  = 2
)

// Correlation is rho by distance, as the parameter states it: whole per cent of voxels
// 1, 2, 3 and 4 apart within a slice, then of voxels 1 and 2 slices apart; what the list
// lacks is 0. If voxels 1, 2, 3 and 4 apart along y follow, those in the slice are along x, and rho
// within the slice is the product of both. Recipes, flags and messages carry such a list as it is, and estimates
// are not good to more than a per cent. On CT the mean over all directions loses nothing
// (docs/benchmarks/quality.md). The zero value is white noise.
type Correlation struct {
	// By distance from 1 on; rho is 1 at 0, and falls to 0 one voxel beyond the last.
	inSlice [lagsInSlice]float64 // along x if there is a list along y
	across  [lagsAcross]float64
	alongY  [lagsInSlice]float64
	apart   bool // there is a list along y
}

// New reads the parameter.
func New(percent []int) Correlation {
	var c Correlation
	for i, x := range percent {
		switch rho := float64(x) / 100; {
		case i < lagsInSlice:
			c.inSlice[i] = rho
		case i < lagsInSlice+lagsAcross:
			c.across[i-lagsInSlice] = rho
		default:
			c.alongY[i-lagsInSlice-lagsAcross], c.apart = rho, true
		}
	}
	return c
}

// Of returns the correlation that a resolved recipe states.
func Of(r denoise.Recipe) Correlation { return New(r.Get(Name).Ints()) }

// In returns the correlation that the recipe resolves to on a volume with facts f.
func In(r denoise.Recipe, f denoise.Facts) Correlation {
	v := r.Get(Name)
	if v.IsAuto() {
		v = auto(r, f)
	}
	return New(v.Ints())
}

// InTissue is In for the automatic strengths on a CT: ok says that the noise was measured in
// its tissue and is correlated in the recipe. Noise that is said to be white there has the
// strengths of any other volume.
func InTissue(r denoise.Recipe, f denoise.Facts) (c Correlation, ok bool) {
	c = In(r, f)
	return c, f.Noise.InTissue() && !c.White()
}

// Thick reports whether the slices of a volume lie so far apart, more than 4 mm, that anatomy
// differs from one to the next.
func Thick(g volume.Geometry) bool { return g.Spacing[2] > 4 }

// Samples is the number of voxels of a slice that one independent sample of the noise
// covers: the sum of rho^2 over all offsets, 1 for white noise.
func (c *Correlation) Samples() float64 {
	sum := 0.0
	for dy := -lagsInSlice; dy <= lagsInSlice; dy++ {
		for dx := -lagsInSlice; dx <= lagsInSlice; dx++ {
			rho := c.Rho([3]int{dx, dy, 0})
			sum += rho * rho
		}
	}
	return sum
}

// White reports whether rho is 0 but at 0.
func (c *Correlation) White() bool { return *c == Correlation{apart: c.apart} }

// Rho is the correlation of two voxels that lie d apart along x, y and z: that within a
// slice, interpolated between whole distances unless it is a product, times that across slices.
func (c *Correlation) Rho(d [3]int) float64 {
	across := lag(c.across[:], max(d[2], -d[2]))
	if c.apart {
		return lag(c.inSlice[:], max(d[0], -d[0])) * lag(c.alongY[:], max(d[1], -d[1])) * across
	}
	return c.Within(math.Hypot(float64(d[0]), float64(d[1]))) * across
}

// Within is the correlation at a distance of r >= 0 voxels within a slice, the mean of both axes.
func (c *Correlation) Within(r float64) float64 {
	k := int(r)
	t := r - float64(k)
	within := func(list *[lagsInSlice]float64) float64 { return (1-t)*lag(list[:], k) + t*lag(list[:], k+1) }
	if c.apart {
		return (within(&c.inSlice) + within(&c.alongY)) / 2
	}
	return within(&c.inSlice)
}

// Spectrum is the spectrum of the noise in blocks of that size; nil if it is white.
func (c *Correlation) Spectrum(size [3]int) *dct.Spectrum {
	if c.White() {
		return nil
	}
	return dct.NewSpectrum(size, c.Rho)
}

// lag is rho k voxels or slices apart.
func lag(list []float64, k int) float64 {
	switch {
	case k == 0:
		return 1
	case k > len(list):
		return 0
	}
	return list[k-1]
}

// Param returns the parameter of a filter whose noise is white in a recipe that does not
// name it.
func Param(help string) denoise.Param {
	return denoise.Param{
		Name: Name, Label: "Correlation", Kind: denoise.Ints, Unit: "%", Longest: 2*lagsInSlice + lagsAcross,
		Min: -100, Max: 100, Lo: -100, Hi: 100, Step: 1,
		Default: denoise.Auto, Absent: denoise.List(0), Auto: &denoise.AutoRule{Found: auto}, Help: help,
	}
}

// auto is the list of the estimated correlation; 0 for white noise. It is the mean of both axes of the slice, unless
// the noise of a scanner's k-space, which is read out along one axis and encoded along the other, is nearer to the product.
func auto(_ denoise.Recipe, f denoise.Facts) denoise.Value {
	c := f.Noise.Correlation
	if c == nil {
		return denoise.List(0)
	}
	percent := func(x float64) int { return int(math.Round(100 * min(max(x, -1), 1))) }
	var both, x, y, across []int
	for d := 1; d <= lagsInSlice; d++ {
		both = append(both, percent((c.Rho(d, 0, 0)+c.Rho(0, d, 0))/2))
		x, y = append(x, percent(c.Rho(d, 0, 0))), append(y, percent(c.Rho(0, d, 0)))
	}
	for d := 1; d <= lagsAcross; d++ {
		across = append(across, percent(c.Rho(0, 0, d)))
	}
	mean, product := append(both, across...), append(append(x, across...), y...)
	if !f.Noise.InTissue() && misses(c, New(product)) < misses(c, New(mean)) {
		return denoise.List(product...)
	}
	return denoise.List(mean...)
}

// misses is the squared difference of the correlation in the slice from a list of it.
func misses(c *noise.Correlation, list Correlation) float64 {
	sum := 0.0
	for dy := 0; dy <= noise.MaxLag; dy++ {
		for dx := -noise.MaxLag; dx <= noise.MaxLag; dx++ {
			off := c.Rho(dx, dy, 0) - list.Rho([3]int{dx, dy, 0})
			sum += off * off
		}
	}
	return sum
}
