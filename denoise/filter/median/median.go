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
	nsVoxel  = 3.0    // to read and write a voxel
	nsOrder  = 0.0065 // for each of the n log2(n)^2 steps of a network with vector code
	nsSelect = 9.0    // for one value of a neighbourhood, without
)

// nanoseconds estimates the time of one core for a voxel with n voxels in its neighbourhood.
func nanoseconds(n float64) float64 {
	if n > largestNetwork || !useVector {
		return nsVoxel + nsSelect*n
	}
	return nsVoxel + nsOrder*n*math.Log2(n)*math.Log2(n)
}

// scratch estimates a worker's memory in bytes: the rows of a program, and compiling it.
func scratch(n float64, radius [3]int) int64 {
	return int64(4 * (3*min(n, largestNetwork) + 24) * float64(roundUp(tileSize[0]+2*radius[0])))
}

func bind(r denoise.Recipe, _ volume.Geometry) (denoise.Program, error) {
	p := Params{Radius: r.Axes("radius")}
	n := tile.Count(p.Radius)
	return denoise.Program{Params: p, Passes: []denoise.Pass{{
		Name: "median", Inputs: []string{denoise.Voxels}, Output: denoise.Result,
		Reach: p.Radius, Work: n * math.Log2(n+1),
		Reference: func(in []denoise.Field, x, y, z int) float64 { return reference(p, &in[0], x, y, z) },
		CPU: denoise.CPUPass{
			Tile: tileSize, Scratch: scratch(n, p.Radius), Nanoseconds: nanoseconds(n),
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
