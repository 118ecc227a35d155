package kernels

import (
	"fmt"

	"quell/denoise"
	"quell/denoise/filter/nlm"
)

// nlmSelectParams mirrors struct NlmSelectParams of nlm_select_params.cuh.
type nlmSelectParams struct {
	NLM    nlmParams
	Select selection
}

// nlmSelectLaunches: the kernels have the tiles of those without preselection. Regions
// that are thin along x are not swapped.
func nlmSelectLaunches(program denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
	f, err := newField(part)
	if err != nil {
		return nil, err
	}
	p, dims := program.Params.(nlm.Params), program.Recipe.Dims
	args := Pack(nlmSelectParams{NLM: newNLMParams(p, f, dims), Select: newSelection(p.Select, part)})
	patch := p.PatchRadius[0]
	if t, fast := nlmTileOf(p, dims); fast {
		return []Launch{{
			Module: "nlm_select", Kernel: fmt.Sprintf("nlm_select_%dd_f%d", dims, patch),
			Grid: f.grid(t.dims(patch, 1)), Block: [3]int{32, t.warps, 1}, Shared: t.shared(patch, dims), Args: args,
		}}, nil
	}
	average := Launch{
		Module: "nlm_select", Kernel: "nlm_select_any", Grid: f.grid([3]int{32, 4, 1}), Block: [3]int{32, 4, 1}, Args: args,
	}
	return append([]Launch{average}, nlmUnderflow(p, f, average.Module, args)...), nil
}
