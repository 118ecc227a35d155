package kernels

import (
	"quell/denoise"
	"quell/denoise/filter/nlm"
)

// nlmSelectParams mirrors struct NlmSelectParams of nlm_select.cu.
type nlmSelectParams struct {
	NLM    nlmParams
	Select selection
}

// nlmSelectLaunches: a thread filters one voxel.
func nlmSelectLaunches(program denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
	f, err := newField(part)
	if err != nil {
		return nil, err
	}
	p := program.Params.(nlm.Params)
	args := Pack(nlmSelectParams{NLM: newNLMParams(p, f, program.Recipe.Dims), Select: newSelection(p.Select, part)})
	launches := []Launch{{
		Module: "nlm_select", Kernel: "nlm_select", Grid: f.grid([3]int{32, 4, 1}), Block: [3]int{32, 4, 1}, Args: args,
	}}
	if p.Centre == nlm.CentreMax {
		launches = append(launches, Launch{
			Module: "nlm_select", Kernel: "nlm_select_underflow",
			Grid: [3]int{f.chunks(nlmUnderflowVoxels), 1, 1}, Block: [3]int{256, 1, 1}, Args: args,
		})
	}
	return launches, nil
}
