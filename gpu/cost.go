package gpu

import (
	"quell/denoise"
	"quell/gpu/wire"
	"quell/volume"
)

// What a filter's kernels do in a second on the device that they were measured
// on (NVIDIA H200, see docs/benchmarks/gpu.md), in the unit of steps. Other
// devices are taken to differ by processors times clock. The figures cut runs
// into blocks and tell a person roughly how long a run takes; nothing depends
// on their being right.
var stepsPerSecond = map[string]float64{
	"nlm":       8e11, // weights
	"bilateral": 3e12, // weights
	"gaussian":  1e12, // voxels of the window
	"median":    1e11, // comparisons of a sort
	"lpa":       3e12, // taps
}

// reference is that device's processors times its clock in kHz.
const reference = 132 * 1.98e6

// bind returns the passes of a resolved recipe. The engine has checked in Plan and
// Run that it binds.
func bind(r denoise.Recipe, g volume.Geometry) denoise.Program {
	p, err := r.Bind(g)
	if err != nil {
		panic(err)
	}
	return p
}

// steps is the work for one voxel, in the unit of stepsPerSecond.
func steps(r denoise.Recipe, g volume.Geometry) float64 { return bind(r, g).Passes[0].Work }

// modelRate returns the voxels a second that a device like d should filter.
func modelRate(d wire.Device, r denoise.Recipe, g volume.Geometry) float64 {
	speed := float64(d.Processors) * float64(d.ClockKHz) / reference
	return max(speed, 1e-6) * stepsPerSecond[r.Filter] / steps(r, g)
}

// busBytesPerSecond is what voxels cross the bus with at the least.
const busBytesPerSecond = 8e9
