package denoise

import (
	"fmt"
	"slices"
	"strings"
)

// Filter describes one filter: its name, where it is from and its parameters.
type Filter struct {
	Name   string  // as in a recipe and on the command line
	Title  string  // as in a menu
	Source string  // the paper that defines it
	Dims   []int   // dimensionalities it has, the default first
	Params []Param // in the order they are shown
	Help   string  // one or two sentences for a person
}

// Param finds a parameter by name.
func (f Filter) Param(name string) (Param, bool) {
	i := slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		return Param{}, false
	}
	return f.Params[i], true
}

// Parameters that several filters share.
var (
	spatialSigma = Param{
		Name: "sigma-spatial", Label: "Spatial sigma", Kind: Float, Unit: "mm", Basic: true,
		Min: 1e-3, Max: 1e3, Lo: 0.2, Hi: 5, Step: 0.1, Default: Number(1),
		Help: "Width of the spatial Gaussian; wider averages over more neighbours and blurs more.",
	}
	voxelUnits = Param{
		Name: "voxel-units", Label: "Sigma in voxels", Kind: Switch, Default: Bool(false),
		Help: "Measure the spatial sigma in voxels instead of millimetres.",
	}
	windowRadius = Param{
		Name: "radius", Label: "Radius", Kind: Ints, Unit: "voxels", Lens: []int{1, 3}, Auto: true,
		Min: 0, Max: 64, Lo: 1, Hi: 8, Step: 1, Default: Auto,
		Help: "Reach of the window, one number or one for each axis; auto is twice the spatial sigma, rounded up.",
	}
)

var filters = []Filter{
	{
		Name: "nlm", Title: "Non-local means", Dims: []int{2, 3},
		Source: "Buades, Coll, Morel 2005; Upadhya 2018 (3-D)",
		Help:   "Averages voxels whose surroundings look alike. Keeps edges and texture best; costs most.",
		Params: []Param{
			{
				Name: "h", Label: "Strength h", Kind: Float, Unit: "value", Auto: true, Basic: true,
				Min: 1e-6, Max: 1e9, Lo: 1, Hi: 100, Step: 1, Default: Auto,
				Help: "How different two patches may be and still be averaged; higher removes more. Auto is h² = 2σ² from the estimated noise.",
			},
			{
				Name: "patch-radius", Label: "Patch radius", Kind: Int, Unit: "voxels", Basic: true,
				Min: 0, Max: 8, Lo: 0, Hi: 4, Step: 1, Default: Number(1),
				Help: "Half width of the patches that are compared; larger patches are steadier and keep less fine detail.",
			},
			{
				Name: "search-radius", Label: "Search radius", Kind: Int, Unit: "voxels", Basic: true,
				Min: 0, Max: 32, Lo: 1, Hi: 10, Step: 1, Default: Number(3),
				Help: "How far to look for similar patches; the time grows with its square (2-D) or cube (3-D).",
			},
			{
				Name: "patch-weights", Label: "Patch weights", Kind: Choice, Choices: []string{"uniform", "gaussian"},
				Default: Word("gaussian"),
				Help:    "Whether all voxels of a patch count alike or the middle counts more.",
			},
			{
				Name: "patch-sigma", Label: "Patch sigma", Kind: Float, Unit: "voxels",
				Min: 0.05, Max: 100, Lo: 0.3, Hi: 4, Step: 0.1, Default: Number(1),
				Help: "Width of the Gaussian patch weights.",
			},
			{
				Name: "sigma", Label: "Noise sigma", Kind: Float, Unit: "value", Auto: true,
				Min: 0, Max: 1e9, Lo: 0, Hi: 50, Step: 0.5, Default: Number(0),
				Help: "Noise level taken off every patch distance (2σ²) and, with Rician, off the mean square; 0 is the papers' formula.",
			},
			{
				Name: "centre", Label: "Centre weight", Kind: Choice, Choices: []string{"max", "one"}, Default: Word("max"),
				Help: "Weight of the voxel itself: the largest of its neighbours' weights, or that of a perfect match.",
			},
			{
				Name: "weighting", Label: "Weighting", Kind: Choice, Choices: []string{"gaussian", "lk"}, Default: Word("gaussian"),
				Help: "Gaussian weights, or Upadhya's linear weights of L_k distances (eq. 5-8), which blur.",
			},
			{
				Name: "k", Label: "Norm k", Kind: Int, Min: 1, Max: 4, Lo: 1, Hi: 4, Step: 1, Default: Number(2),
				Help: "The norm of the lk weighting.",
			},
			{
				Name: "rician", Label: "Rician noise", Kind: Switch, Default: Bool(false),
				Help: "For MR magnitude images: average squares, take 2σ² off and draw the root, which removes the bias of dark regions.",
			},
		},
	},
	{
		Name: "bilateral", Title: "Bilateral", Dims: []int{2, 3},
		Source: "Tomasi, Manduchi 1998; Bethel 2009 (3-D, eq. 1-3)",
		Help:   "Averages neighbours that are near in space and in value. Fast; keeps strong edges.",
		Params: []Param{
			{
				Name: "sigma-range", Label: "Range sigma", Kind: Float, Unit: "value", Percent: true, Basic: true,
				Min: 1e-6, Max: 1e9, Lo: 1, Hi: 200, Step: 1, Default: Percent(15),
				Help: "How different two values may be and still be averaged, in the volume's unit or as % of its range; higher removes more.",
			},
			spatialSigma, windowRadius, voxelUnits,
		},
	},
	{
		Name: "lpa", Title: "LPA-ICI", Dims: []int{2},
		Source: "Katkovnik, Egiazarian, Astola 2006; Klepaczko 2013 (eq. 1-4)",
		Help:   "Grows a neighbourhood around every pixel in eight directions for as long as the image stays even, and averages it.",
		Params: []Param{
			{
				Name: "gamma", Label: "Gamma", Kind: Float, Basic: true,
				Min: 1e-3, Max: 100, Lo: 0.2, Hi: 4, Step: 0.05, Default: Number(1.05),
				Help: "Width of the confidence intervals in sigmas; higher tolerates more and smooths more.",
			},
			{
				Name: "sigma", Label: "Noise sigma", Kind: Float, Unit: "value", Auto: true, Basic: true,
				Min: 0, Max: 1e9, Lo: 0, Hi: 50, Step: 0.5, Default: Auto,
				Help: "Noise level of the whole image; auto estimates it.",
			},
			{
				Name: "scales", Label: "Scales", Kind: Ints, Unit: "voxels",
				Min: 1, Max: 32, Lo: 1, Hi: 32, Step: 1, Default: List(1, 2, 3, 5, 7, 8),
				Help: "The lengths that are tried in each direction, rising from 1.",
			},
		},
	},
	{
		Name: "gaussian", Title: "Gaussian", Dims: []int{2, 3},
		Source: "baseline; Bethel 2009 fig. 1",
		Help:   "A plain blur, to compare with.",
		Params: []Param{spatialSigma, windowRadius, voxelUnits},
	},
	{
		Name: "median", Title: "Median", Dims: []int{2, 3},
		Source: "baseline",
		Help:   "The middle value of a window, to compare with. Removes single outliers.",
		Params: []Param{
			{
				Name: "radius", Label: "Radius", Kind: Ints, Unit: "voxels", Lens: []int{1, 3}, Basic: true,
				Min: 0, Max: 16, Lo: 1, Hi: 5, Step: 1, Default: List(1),
				Help: "Reach of the window, one number or one for each axis.",
			},
		},
	},
}

// Filters returns every filter, the most used first. The result is shared and
// must not be changed.
func Filters() []Filter { return filters }

// FilterByName finds a filter, or says which there are.
func FilterByName(name string) (Filter, error) {
	names := make([]string, len(filters))
	for i, f := range filters {
		if f.Name == name {
			return f, nil
		}
		names[i] = f.Name
	}
	return Filter{}, fmt.Errorf("no filter is called %q; there are %s", name, strings.Join(names, ", "))
}
