package kernels

import (
	"fmt"
	"slices"

	"quell/denoise/filter/lpa"
)

// maxScales is the most scales the lpa kernel takes, and the longest of them.
const maxScales = 32

// paperScales are the scales of Klepaczko 2013, for which there is a kernel
// with unrolled loops.
var paperScales = []int{1, 2, 3, 5, 7, 8}

// lpaParams mirrors struct LpaParams of params.cuh.
type lpaParams struct {
	Field  field
	Map    uint64  // the chosen scales, 8 bytes a voxel, by direction; 0: not wanted
	Width  float64 // gamma sigma
	Count  int32   // scales
	Scales [maxScales]int32
	_      int32
}

// lpaLaunch: a block filters 32x32 pixels of a slice. The map, where wanted, gets for
// every pixel of the region the index of the chosen scale in each of the eight
// directions, in steps of 45 degrees from +x towards +y; padding has 0.
func lpaLaunch(p lpa.Params, f field, scaleMap uint64) (Launch, error) {
	if len(p.Scales) == 0 || len(p.Scales) > maxScales || slices.Max(p.Scales) > maxScales || slices.Min(p.Scales) < 1 {
		return Launch{}, fmt.Errorf("kernels: lpa takes up to %d scales from 1 to %d, not %v", maxScales, maxScales, p.Scales)
	}
	args := lpaParams{Field: f, Map: scaleMap, Width: p.Gamma * p.Sigma, Count: int32(len(p.Scales))}
	for i, h := range p.Scales {
		args.Scales[i] = int32(h)
	}
	kernel := "lpa_any"
	if slices.Equal(p.Scales, paperScales) && f.Mask == 0 {
		kernel = "lpa_paper"
	}
	return Launch{
		Module: "lpa",
		Kernel: kernel,
		Grid:   f.grid([3]int{32, 32, 1}),
		Block:  [3]int{32, 8, 1},
		Args:   pack(args),
	}, nil
}
