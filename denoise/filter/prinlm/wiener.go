package prinlm

import (
	"quell/denoise"
	"quell/denoise/dct"
)

// wienerPass returns the pass that weighs the frequencies of the noisy voxels by the
// frequencies of the pilot, block by block.
func (p Params) wienerPass() denoise.Pass {
	reference := dct.Reference(p.Wiener, p.Rule)
	return denoise.Pass{
		Name: "wiener", Inputs: []string{denoise.Voxels, pilot}, Output: denoise.Result,
		Reach: dct.Reach(p.Wiener), Work: float64(p.Wiener[0] * p.Wiener[1] * p.Wiener[2]),
		Reference: func(in []denoise.Field, x, y, z int) float64 { return reference(&in[0], &in[1], x, y, z) },
		CPU: denoise.CPUPass{
			Tile: dct.TileSize(p.Wiener), Scratch: dct.Scratch(p.Wiener, true), Nanoseconds: dct.Nanoseconds(p.Wiener, true),
			Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker {
				f := &dct.Filter{In: in[0], Pilot: &in[1], Out: out, Size: p.Wiener, Rule: p.Rule}
				return f.NewWorker
			},
		},
	}
}
