package slab

import (
	"math"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// The automatic width of the guide and the automatic reach, in mm: a vessel or a small sphere is about as large.
const (
	usualWidth = 0.9
	usualReach = 2.0
)

// autoAxis is the axis whose spacing alone differs, by more than a hundredth; z if there is none.
func autoAxis(_ denoise.Recipe, g volume.Geometry) (denoise.Value, error) {
	return denoise.Word(axisNames[thinAxis(g)]), nil
}

var axisNames = [3]string{"x", "y", "z"}

func thinAxis(g volume.Geometry) int {
	same := func(a, b float64) bool { return math.Abs(a-b) <= 0.01*max(a, b) }
	for c := range 3 {
		a, b := g.Spacing[(c+1)%3], g.Spacing[(c+2)%3]
		if same(a, b) && !same(a, g.Spacing[c]) {
			return c
		}
	}
	return 2
}

// axisOf returns the axis of a recipe, which may be automatic.
func axisOf(r denoise.Recipe, g volume.Geometry) int {
	for c, name := range axisNames {
		if r.Get("axis").String() == name {
			return c
		}
	}
	return thinAxis(g)
}

// autoGuide is 0.9 mm, at least 1 and at most 4 voxels of the slice.
func autoGuide(r denoise.Recipe, g volume.Geometry) (denoise.Value, error) {
	pixel := 1.0 // in mm
	for c := range 3 {
		if c != axisOf(r, g) {
			pixel *= math.Sqrt(g.Spacing[c])
		}
	}
	return denoise.Number(min(max(usualWidth/pixel, 1), 4)), nil
}

// autoReach is 2 mm, at least 2 slices, more if slices share noise, and at most 6 slices.
func autoReach(r denoise.Recipe, g volume.Geometry, f denoise.Facts) float64 {
	rho := autoCorrelation(r, g, f) / 100
	if given := r.Get("slice-correlation"); !given.IsAuto() {
		rho = given.Float() / 100
	}
	return min(math.Round(max(usualReach/g.Spacing[axisOf(r, g)], 2)*(1+1.5*rho*rho)), 6)
}

// autoCorrelation is the estimated correlation of neighbouring slices in whole per cent.
func autoCorrelation(r denoise.Recipe, g volume.Geometry, f denoise.Facts) float64 {
	var next [3]int
	next[axisOf(r, g)] = 1
	return max(math.Round(100*f.Noise.Correlation.Rho(next[0], next[1], next[2])), 0)
}

// autoDifference is the noise that the guide leaves.
func autoDifference(r denoise.Recipe, g volume.Geometry, f denoise.Facts) float64 {
	return f.AutoSigma() * noiseLeft(r, g, f.Noise.Correlation)
}

// leastLeft is the least noise that the guide leaves relative to that of white noise: what is measured of the
// correlation of voxels that lie far apart is uncertain.
const leastLeft = 0.3

// noiseLeft is the share of sigma that the guide leaves: the root of
//
//	sum_d A(d) rho(d) / (sum_a g_a)^2,   A(d) = sum_a g_a g_(a+d)
//
// with the taps g of the Gaussian and the offsets d within the slice.
func noiseLeft(r denoise.Recipe, g volume.Geometry, c *noise.Correlation) float64 {
	width := r.Get("guide")
	if width.IsAuto() {
		width, _ = autoGuide(r, g) // it gives no error
	}
	w := guideOf(axisOf(r, g), width.Float())
	var overlaps [3][]float64 // A over the square of the sum of the taps, along each axis by distance
	for axis := range 3 {
		taps, sum := w.Taps(axis), 0.0
		for _, tap := range taps {
			sum += tap
		}
		for d := range taps {
			overlap := 0.0
			for i, tap := range taps[d:] {
				overlap += tap * taps[i]
			}
			overlaps[axis] = append(overlaps[axis], overlap/(sum*sum))
		}
	}
	at := func(axis, d int) float64 {
		if d = max(d, -d); d < len(overlaps[axis]) {
			return overlaps[axis][d]
		}
		return 0
	}
	white, left := at(0, 0)*at(1, 0)*at(2, 0), 0.0
	const far = noise.MaxLag
	for dz := -far; dz <= far; dz++ {
		for dy := -far; dy <= far; dy++ {
			for dx := -far; dx <= far; dx++ {
				if a := at(0, dx) * at(1, dy) * at(2, dz); a > 0 {
					left += a * c.Rho(dx, dy, dz)
				}
			}
		}
	}
	return math.Sqrt(max(left, leastLeft*leastLeft*white))
}
