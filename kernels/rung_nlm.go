package kernels

import (
	"errors"

	"quell/denoise"
	"quell/denoise/filter/nlm"
)

// nlmRungs are the kernels of rungs/nlm.cu.
func nlmRungs() map[string]rung {
	at := func(kernel string, block [3]int, shape func(l Launch, f field, reach [3]int32) (Launch, error)) rung {
		return rung{nlm.Filter.Name, block, 100, func(p denoise.Program, f field, block [3]int) (Launch, error) {
			q := p.Params.(nlm.Params)
			if q.LK > 0 || q.Rician {
				return Launch{}, errors.New("the rung has Gaussian weights and averages values")
			}
			args := newNLMParams(q, f, p.Recipe.Dims)
			var reach [3]int32
			for c := range 3 {
				reach[c] = args.Search[c] + args.Patch[c]
			}
			return shape(Launch{Module: "rungs/nlm", Kernel: kernel, Grid: f.grid(block), Block: block, Args: Pack(args)}, f, reach)
		}}
	}
	return map[string]rung{
		"nlm_formula": at("nlm_formula", [3]int{32, 8, 1}, func(l Launch, _ field, _ [3]int32) (Launch, error) { return l, nil }),
		"nlm_shared": at("nlm_shared", [3]int{32, 8, 1}, func(l Launch, _ field, reach [3]int32) (Launch, error) {
			return tileLaunch(l, reach, 0)
		}),
		"nlm_column": at("nlm_column", [3]int{16, 16, 1}, func(l Launch, f field, reach [3]int32) (Launch, error) {
			if l.Block[2] != 1 {
				return l, errors.New("a thread filters a column along z: blocks are one thread deep")
			}
			l.Grid = f.grid([3]int{l.Block[0], l.Block[1], int(f.Max[2] - f.Min[2])})
			return tileLaunch(l, reach, 2*int(reach[2])+1)
		}),
	}
}
