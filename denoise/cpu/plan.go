package cpu

import (
	"math"
	"time"

	"quell/denoise"
	"quell/volume"
)

// Plan implements denoise.Engine. The estimate is rough: half to twice.
func (e *Engine) Plan(r denoise.Recipe, g volume.Geometry) (denoise.Plan, error) {
	p, err := r.Outline(g)
	if err != nil {
		return denoise.Plan{}, err
	}
	var scratch int64
	nanoseconds := 0.0
	for _, pass := range p.Passes {
		scratch = max(scratch, pass.CPU.Scratch)
		nanoseconds += pass.CPU.Nanoseconds
	}
	nanoseconds *= float64(g.Voxels()) / float64(e.cores())
	return denoise.Plan{
		Memory:   int64(e.cores())*scratch + int64(p.Intermediates())*int64(g.Voxels())*4,
		Slabs:    1,
		Estimate: time.Duration(min(nanoseconds, math.MaxInt64/2)),
	}, nil
}
