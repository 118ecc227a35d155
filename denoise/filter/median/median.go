// Package median is the median filter, a baseline to compare with.
package median

import (
	"math"
	"slices"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "median", Title: "Median", Dims: []int{2, 3},
	Source: "baseline",
	Help:   "The middle value of a neighbourhood, to compare with. Removes single outliers.",
	Params: []denoise.Param{{
		Name: "radius", Label: "Radius", Kind: denoise.Ints, Unit: "voxels", PerAxis: true, Basic: true,
		Min: 0, Max: 16, Lo: 1, Hi: 5, Step: 1, Default: denoise.List(1),
		Help: "Half width of the neighbourhood, one number or one for each axis.",
	}},
	Strength: denoise.Strength{Param: "radius", Lo: 0, Hi: 4},
	Bind:     bind,
	Cases: []denoise.Case{
		{Name: "2-D", Dims: 2, Set: "radius=2"},
		{Name: "3-D", Dims: 3},
		{Name: "radius", Dims: 3, Set: "radius=2,0,1"},
		{Name: "large", Dims: 3, Set: "radius=2", Large: [3]int{140, 40, 9}},
	},
}

// Params are the parameters of a resolved recipe.
type Params struct {
	Radius [3]int // half widths of the neighbourhood in voxels along x, y, z
}

// Nanoseconds of one core.
const (
	nsVoxel = 28.0 // to read and write a voxel, and to find the middle
	nsRank  = 9.0  // to sort a voxel of a tile or of its surroundings
	nsStep  = 3.0  // for a voxel that comes into a neighbourhood and goes
)

// surroundings returns the voxels of a tile with its surroundings.
func surroundings(radius [3]int) float64 {
	return float64((tileSize[0] + 2*radius[0]) * (tileSize[1] + 2*radius[1]) * (tileSize[2] + 2*radius[2]))
}

// nanoseconds estimates the time of one core for a voxel.
func nanoseconds(radius [3]int) float64 {
	column := float64((2*radius[1] + 1) * (2*radius[2] + 1))
	return nsVoxel + nsRank*surroundings(radius)/surroundings([3]int{}) + nsStep*column
}

func bind(r denoise.Recipe, _ volume.Geometry) (denoise.Program, error) {
	p := Params{Radius: r.Axes("radius")}
	n := tile.Count(p.Radius)
	return denoise.Program{Params: p, Passes: []denoise.Pass{{
		Name: "median", Inputs: []string{denoise.Voxels}, Output: denoise.Result,
		Reach: p.Radius, Work: n * math.Log2(n+1),
		Reference: func(in []denoise.Field, x, y, z int) float64 { return reference(p, &in[0], x, y, z) },
		CPU: denoise.CPUPass{
			Tile: tileSize, Scratch: int64(21 * surroundings(p.Radius)), Nanoseconds: nanoseconds(p.Radius),
			Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker { return start(p, in[0], out) },
		},
	}}}, nil
}

// reference is the middle value of the neighbourhood, or the mean of the two in
// the middle.
func reference(p Params, in *denoise.Field, x, y, z int) float64 {
	values := []float64{float64(in.At(x, y, z))}
	tile.Neighbours(in, p.Radius, x, y, z, func(_, _, _, j int) {
		values = append(values, float64(in.Data[j]))
	})
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
