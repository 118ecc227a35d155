package gpu

import (
	"context"

	"quell/denoise"
	"quell/kernels"
	"quell/volume"
)

// On returns an engine that runs a kernel of a ladder in place of those that ship, for
// benchmarks. It shares the workers and what lies on the devices with e. A recipe that
// the rung cannot run gives an error that wraps denoise.ErrUnsupported.
func (e *Engine) On(rung kernels.Rung) denoise.Engine { return ladderEngine{e, rung} }

type ladderEngine struct {
	*Engine
	rung kernels.Rung
}

func (e ladderEngine) Plan(r denoise.Recipe, g volume.Geometry) (denoise.Plan, error) {
	return e.plan(e.rung, r, g)
}

func (e ladderEngine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, report denoise.Progress) (*volume.Volume, error) {
	return e.run(ctx, e.rung, r, in, region, report)
}
