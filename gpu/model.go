package gpu

import (
	"quell/denoise"
	"quell/gpu/wire"
	"quell/kernels"
)

// The rates of package kernels are measured on an NVIDIA H200. Other devices are assumed
// to differ by processors times clock. The model sizes blocks and estimates run times;
// no result depends on it.

// measuredSpeed is the H200's processors times its clock in kHz.
const measuredSpeed = 132 * 1.98e6

// modelRate returns the voxels per second that all passes of a program together should
// compute on a device like d. All passes have kernels.
func modelRate(d wire.Device, p denoise.Program) float64 {
	speed := max(float64(d.Processors)*float64(d.ClockKHz)/measuredSpeed, 1e-6)
	total := 0.0
	for i, pass := range p.Passes {
		steps, _ := kernels.Rate(p, pass) // newRun has checked that it is there
		rate := speed * steps / pass.Work
		if i == 0 {
			total = rate
		} else {
			total = 1 / (1/total + 1/rate)
		}
	}
	return total
}

// busBytesPerSecond is the least rate at which voxels cross the bus.
const busBytesPerSecond = 8e9
