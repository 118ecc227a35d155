package kernels

import (
	"errors"
	"fmt"
	"slices"

	"quell/denoise"
	"quell/denoise/filter/lpa"
)

// lpaApron is the apron of the tiles in rungs/lpa.cu, and the longest scale.
const lpaApron = 8

// lpaRungs are the kernels of rungs/lpa.cu. Their blocks have a fixed shape.
func lpaRungs() map[string]rung {
	all := map[string]rung{}
	for kernel, rows := range map[string]int{
		"lpa_basic": 1, "lpa_shared": 1, "lpa_shared2": 2, "lpa_r32": 2, "lpa_r40": 2, "lpa_r48": 2, "lpa_r64": 2,
	} {
		block := [3]int{16, 16, 1}
		all[kernel] = rung{lpa.Filter.Name, "estimate", block, 5, func(p denoise.Program, _ Part, f field, given [3]int) ([]Launch, error) {
			if given != block {
				return nil, fmt.Errorf("the rung has blocks of %dx%d threads", block[0], block[1])
			}
			q := p.Params.(lpa.Params)
			if q.Rho != nil {
				return nil, errors.New("the rung takes white noise alone")
			}
			if slices.Max(q.Scales) > lpaApron {
				return nil, fmt.Errorf("the rung takes scales up to %d", lpaApron)
			}
			launches, err := lpaLaunches(q, f, 0)
			if err != nil {
				return nil, err
			}
			l := &launches[0]
			l.Module, l.Kernel, l.Block = "rungs/lpa", kernel, block
			l.Grid = f.grid([3]int{block[0], rows * block[1], 1})
			return launches, nil
		}, nil}
	}
	return all
}
