// Package filtertest is a filter of two passes that reads a noise map and a
// guide. It belongs to tests alone: it shows that a filter needs a description
// and nothing else to run from recipes, from the command line and on engines.
//
// A test registers it with denoise.Register(filtertest.Filter).
package filtertest

import (
	"math"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/internal/message"
	"quell/volume"
)

// Filter describes the filter.
var Filter = denoise.Filter{
	Name: "twopass", Title: "Two passes", Source: "none", Dims: []int{2, 3},
	Help: "Averages by the noise map, then by the guide.",
	Params: []denoise.Param{
		{
			Name: "mean-radius", Label: "Radius", Kind: denoise.Ints, Unit: "voxels", PerAxis: true,
			Min: 0, Max: 8, Lo: 1, Hi: 4, Step: 1, Default: denoise.List(1),
			Help: "Half width of the neighbourhood of the first pass.",
		},
		{
			Name: "guide-weights", Label: "Guide weights", Kind: denoise.Choice, Choices: []string{"gaussian", "uniform"},
			Default: denoise.Word("gaussian"),
			Help:    "Whether the guide weights the neighbours of the second pass.",
		},
		{
			Name: "guide-sigma", Label: "Guide sigma", Kind: denoise.Float, Unit: "value",
			Min: denoise.Positive, Max: denoise.Largest, Lo: 0.1, Hi: 6, Step: 0.1,
			Default: denoise.Auto, Auto: denoise.NoiseSigma,
			Help: "How different two voxels of the guide may be and still be averaged.",
			Ignored: func(r denoise.Recipe) message.Message {
				if r.Get("guide-weights").String() == "uniform" {
					return message.Text("uniform weights do not depend on the guide")
				}
				return message.Message{}
			},
		},
		{
			Name: "uniform", Label: "Uniform", Kind: denoise.Switch, Default: denoise.Bool(false),
			Help:    "Implies uniform guide weights.",
			Implies: map[string]denoise.Value{"guide-weights": denoise.Word("uniform")},
		},
	},
	Bind: bind, ReadsNoise: true,
	Cases: []denoise.Case{
		{Name: "2-D", Dims: 2},
		{Name: "3-D", Dims: 3, Set: "guide-sigma=5"},
		{Name: "radius", Dims: 3, Set: "mean-radius=2,0,1"},
		{Name: "uniform", Dims: 3, Set: "guide-weights=uniform"},
		{Name: "CT", Dims: 3, CT: true},
		{Name: "large", Dims: 3, Set: "mean-radius=2", Large: [3]int{70, 40, 19}},
	},
}

// Params are the parameters of a resolved recipe.
type Params struct {
	Radius     [3]int
	GuideSigma float64 // +Inf: uniform weights
}

func bind(r denoise.Recipe, g volume.Geometry) (denoise.Program, error) {
	p := Params{Radius: r.Axes("mean-radius"), GuideSigma: math.Inf(1)}
	if r.Get("guide-weights").String() == "gaussian" {
		p.GuideSigma = r.Get("guide-sigma").Float()
	}
	one := r.Isotropic(1)
	mean := func(in []denoise.Field, x, y, z int) float64 { return noiseMean(p.Radius, &in[0], &in[1], x, y, z) }
	guided := func(in []denoise.Field, x, y, z int) float64 {
		return guideMean(one, p.GuideSigma, &in[0], &in[1], x, y, z)
	}
	return denoise.Program{Params: p, Passes: []denoise.Pass{
		{
			Name: "mean", Inputs: []string{denoise.Voxels, denoise.NoiseMap}, Output: "mean",
			Reach: p.Radius, Work: tile.Count(p.Radius), Reference: mean, CPU: perVoxel(mean, tile.Count(p.Radius)),
		},
		{
			Name: "guided mean", Inputs: []string{"mean", denoise.GuideVolume}, Output: denoise.Result,
			Reach: one, Work: tile.Count(one), Reference: guided, CPU: perVoxel(guided, tile.Count(one)),
		},
	}}, nil
}

// perVoxel is the fast path that is the reference.
func perVoxel(f func(in []denoise.Field, x, y, z int) float64, neighbours float64) denoise.CPUPass {
	return denoise.CPUPass{
		Tile: [3]int{32, 16, 8}, Nanoseconds: 10 * neighbours,
		Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker {
			return func() denoise.Worker {
				return tile.EachVoxel(&out, nil, func(x, y, z int) float32 { return float32(f(in, x, y, z)) })
			}
		},
	}
}

// noiseMean is the mean of a neighbourhood, weighted by 1/sigma^2 relative to the
// voxel's own sigma.
func noiseMean(radius [3]int, in, noise *denoise.Field, x, y, z int) float64 {
	here := in.Index(x, y, z)
	v, sigma := float64(in.Data[here]), float64(noise.At(x, y, z))
	num, den := 0.0, 1.0
	tile.Neighbours(in, radius, x, y, z, func(jx, jy, jz, j int) {
		ratio := sigma / float64(noise.At(jx, jy, jz))
		num += ratio * ratio * (float64(in.Data[j]) - v)
		den += ratio * ratio
	})
	return v + num/den
}

// guideMean is the mean of the next neighbours, weighted by their difference in
// the guide.
func guideMean(radius [3]int, sigma float64, in, guide *denoise.Field, x, y, z int) float64 {
	v, g := float64(in.At(x, y, z)), float64(guide.At(x, y, z))
	num, den := 0.0, 1.0
	tile.Neighbours(in, radius, x, y, z, func(jx, jy, jz, j int) {
		d := (float64(guide.At(jx, jy, jz)) - g) / sigma
		w := math.Exp(-0.5 * d * d)
		num += w * (float64(in.Data[j]) - v)
		den += w
	})
	return v + num/den
}
