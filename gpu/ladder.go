package gpu

import (
	"context"

	"quell/denoise"
	"quell/kernels"
	"quell/volume"
)

// On returns an engine that runs a kernel of a ladder in place of the kernels that
// ship, for benchmarks. It shares the workers and what lies on the devices with e. A
// recipe that the rung cannot run gives an error that wraps denoise.ErrUnsupported.
func (e *Engine) On(rung kernels.Rung) denoise.Engine {
	return variantEngine{e, variant{rung: rung, shapes: kernels.Shapes{}}}
}

// With returns an engine with launches of the given shapes in place of the shapes
// of Options.Tuned: empty ones are the usual. It shares as much with e as the
// engine of On.
func (e *Engine) With(shapes kernels.Shapes) denoise.Engine {
	if shapes == nil {
		shapes = kernels.Shapes{}
	}
	return variantEngine{e, variant{shapes: shapes}}
}

// variant is what runs in place of the kernels that ship, or how.
type variant struct {
	rung   kernels.Rung
	shapes kernels.Shapes // nil: the shapes of Options.Tuned for the first device
}

type variantEngine struct {
	*Engine
	variant variant
}

func (e variantEngine) Plan(r denoise.Recipe, g volume.Geometry) (denoise.Plan, error) {
	return e.plan(e.variant, r, g)
}

func (e variantEngine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, report denoise.Progress) (*volume.Volume, error) {
	return e.run(ctx, e.variant, r, in, region, report)
}
