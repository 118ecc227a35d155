package kernels

import (
	"fmt"
	"slices"

	"quell/denoise"
	"quell/denoise/filter/lpa"
)

func init() {
	const rate = 3e12 // taps per second
	Register(lpa.Filter.Name, map[string]Pass{"estimate": onField(rate, func(p denoise.Program, f field, shape int) ([]Launch, error) {
		return lpaLaunches(p.Params.(lpa.Params), f, shape)
	})})
}

// maxScales is the largest number of scales of the lpa kernel, and the longest scale.
const maxScales = 32

// paperScales are the scales of Klepaczko 2013, which have a kernel with unrolled
// loops.
var paperScales = []int{1, 2, 3, 5, 7, 8}

// lpaParams mirrors struct LpaParams of lpa_params.cuh.
type lpaParams struct {
	Field  field
	Map    uint64  // 8 bytes per voxel for the chosen scales, which only the kernel check reads; 0: none
	Width  float64 // gamma sigma
	Rho    [2][lpa.Lags]float64
	Count  int32 // scales
	Scales [maxScales]int32
	_      int32
}

// lpaShapes are the rows of threads of a block.
var lpaShapes = shapes{"rows of threads", []int{8, 4, 2}}

// lpaLaunches: a block filters 32x32 pixels of a slice, four in a thread; less with fewer
// rows of threads.
func lpaLaunches(p lpa.Params, f field, shape int) ([]Launch, error) {
	const each = 4
	rows := lpaShapes.of(shape)
	if len(p.Scales) == 0 || len(p.Scales) > maxScales || slices.Max(p.Scales) > maxScales || slices.Min(p.Scales) < 1 {
		return nil, fmt.Errorf("the kernel takes up to %d scales from 1 to %d, not %v", maxScales, maxScales, p.Scales)
	}
	args := lpaParams{Field: f, Width: p.Gamma * p.Sigma, Count: int32(len(p.Scales))}
	for i, h := range p.Scales {
		args.Scales[i] = int32(h)
	}
	kernel := "lpa_any"
	if slices.Equal(p.Scales, paperScales) && f.Mask == 0 {
		kernel = "lpa_paper"
	}
	if p.Rho != nil {
		args.Rho = *p.Rho
		kernel += "_correlated"
	}
	return []Launch{{
		Module: "lpa",
		Kernel: kernel,
		Grid:   f.grid([3]int{32, each * rows, 1}),
		Block:  [3]int{32, rows, 1},
		Args:   Pack(args),
	}}, nil
}
