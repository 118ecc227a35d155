package kernels

import (
	"quell/denoise"
	"quell/denoise/filter/preselect"
)

// selection mirrors struct Selection of preselect.cuh.
type selection struct {
	Mean, Deviation Box
	Apart, Ratio    float32
}

// newSelection returns the selection of a pass with the means and the deviations as
// last two inputs; without a rule it selects all neighbours.
func newSelection(rule *preselect.Rule, part Part) selection {
	if rule == nil {
		return selection{}
	}
	n := len(part.Inputs)
	return selection{
		Mean: NewBox(part.Inputs[n-2]), Deviation: NewBox(part.Inputs[n-1]), Apart: rule.Apart, Ratio: rule.Deviation,
	}
}

// preselectParams mirrors struct PreselectParams of preselect.cu.
type preselectParams struct {
	In, Out      Box
	Dims, Radius [3]int32
	Zero         float64
}

// withPreselect adds the passes of preselection to the passes of a filter; rule returns
// the rule of a program.
func withPreselect(rule func(p denoise.Program) *preselect.Rule, passes map[string]Pass) map[string]Pass {
	for name, kernel := range map[string]string{
		preselect.MeanPass: "preselect_mean", preselect.DeviationPass: "preselect_deviation",
	} {
		passes[name] = Pass{Rate: 1e12, Launches: func(p denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
			const threads = 256
			r := rule(p)
			return []Launch{{
				Module: "preselect", Kernel: kernel,
				Grid: Grid([3]int{part.Region.Voxels(), 1, 1}, [3]int{threads, 1, 1}), Block: [3]int{threads, 1, 1},
				Args: Pack(preselectParams{
					In: NewBox(part.Inputs[0]), Out: part.OutBox(), Dims: indices(part.Dims), Radius: indices(r.Radius), Zero: r.Zero,
				}),
			}}, nil
		}}
	}
	return passes
}
