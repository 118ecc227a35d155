// Package spatial holds the spatial Gaussian that the gaussian and bilateral
// filters share: its parameters and its weights.
package spatial

import (
	"math"

	"quell/denoise"
	"quell/internal/message"
	"quell/volume"
)

// maxRadius is the largest half width of the neighbourhood.
const maxRadius = 64

// Params returns the parameters of the spatial Gaussian. If each axis may have its own, sigma is
// no strength that can be searched for.
func Params(perAxis bool) []denoise.Param {
	help := "Width of the spatial Gaussian; wider averages over more neighbours and blurs more."
	if perAxis {
		help = "Width of the spatial Gaussian, one number or one for each axis; wider averages over more neighbours and blurs more."
	}
	return []denoise.Param{
		{
			Name: "sigma-spatial", Label: "Spatial sigma", Kind: denoise.Float, Unit: "mm", Basic: true,
			Min: 1e-3, Max: 1e3, Lo: 0.2, Hi: 5, Step: 0.1, Default: denoise.Number(1), PerAxis: perAxis,
			Help: help,
		},
		{
			Name: "radius", Label: "Radius", Kind: denoise.Ints, Unit: "voxels", PerAxis: true,
			Min: 0, Max: maxRadius, Lo: 1, Hi: 8, Step: 1, Default: denoise.Auto,
			Auto: &denoise.AutoRule{Value: autoRadius},
			Help: "Half width of the neighbourhood, one number or one for each axis; auto is twice the spatial sigma, rounded up.",
		},
		{
			Name: "voxel-units", Label: "Sigma in voxels", Kind: denoise.Switch, Default: denoise.Bool(false),
			Help: "Measure the spatial sigma in voxels instead of millimetres.",
		},
	}
}

// autoRadius is ceil(2 sigma / spacing) along each axis.
func autoRadius(r denoise.Recipe, g volume.Geometry) (denoise.Value, error) {
	sigma := r.AxisNumbers("sigma-spatial")
	var radius [3]int
	for c := range r.Dims {
		reach := math.Ceil(2 * sigma[c] * perVoxel(r, g, c))
		if reach > maxRadius {
			return denoise.Value{}, message.Errorf(message.RecipeValue, "a spatial sigma of %g reaches %.0f voxels along %c, more than %d; make it smaller or give a radius",
				sigma[c], reach, 'x'+rune(c), maxRadius)
		}
		radius[c] = int(reach)
	}
	return denoise.List(radius[:]...), nil
}

// perVoxel converts the spatial sigma to voxels along axis c.
func perVoxel(r denoise.Recipe, g volume.Geometry, c int) float64 {
	if r.Get("voxel-units").On() {
		return 1
	}
	return 1 / g.Spacing[c]
}

// Weights is the spatial Gaussian of a resolved recipe:
// g = exp(-1/2 sum_a (d_a Scale_a)^2) for the offset d in voxels.
type Weights struct {
	Radius [3]int     // half widths of the neighbourhood in voxels along x, y, z
	Scale  [3]float64 // voxels to sigmas
}

// Others returns the sum of the weights of all voxels of a neighbourhood but its centre,
// which has weight 1, for a recipe with a radius that may be automatic; 0 if that is too
// large.
func Others(r denoise.Recipe, g volume.Geometry) float64 {
	if r.Get("radius").IsAuto() {
		radius, err := autoRadius(r, g)
		if err != nil {
			return 0
		}
		r = r.With("radius", radius)
	}
	w, product := NewWeights(r, g), 1.0
	for c := range 3 {
		sum := 0.0
		for _, tap := range w.Taps(c) {
			sum += tap
		}
		product *= sum
	}
	return product - 1
}

// NewWeights returns the weights of a resolved recipe on a volume of geometry g.
func NewWeights(r denoise.Recipe, g volume.Geometry) Weights {
	w := Weights{Radius: r.Axes("radius")}
	sigma := r.AxisNumbers("sigma-spatial")
	for c := range 3 {
		w.Scale[c] = 1 / (sigma[c] * perVoxel(r, g, c))
	}
	return w
}

// Distance returns sum_a (d_a Scale_a)^2, the squared distance in sigmas.
func (w Weights) Distance(dx, dy, dz int) float64 {
	sum := 0.0
	for c, d := range [3]int{dx, dy, dz} {
		sum += float64(d) * w.Scale[c] * float64(d) * w.Scale[c]
	}
	return sum
}

// Taps returns the factor of g along axis c for d = -Radius..Radius.
func (w Weights) Taps(c int) []float64 {
	taps := make([]float64, 2*w.Radius[c]+1)
	for k := range taps {
		d := float64(k-w.Radius[c]) * w.Scale[c]
		taps[k] = math.Exp(-0.5 * d * d)
	}
	return taps
}
