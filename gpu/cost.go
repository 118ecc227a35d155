package gpu

import (
	"math"

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

// steps is the work for one voxel, in the unit of stepsPerSecond.
func steps(r denoise.Recipe, g volume.Geometry) float64 {
	window := func(radius [3]int) float64 {
		return float64(2*radius[0]+1) * float64(2*radius[1]+1) * float64(2*radius[2]+1)
	}
	switch r.Filter {
	case "nlm":
		p := r.NLM()
		n := window(p.SearchRadius)
		if p.LK > 0 || p.PatchRadius[0] > 3 {
			// The general kernel sums every patch anew.
			n *= window(p.PatchRadius)
		}
		return n
	case "bilateral":
		return window(r.Bilateral(g).Radius)
	case "gaussian":
		return window(r.Gaussian(g).Radius)
	case "median":
		n := window(r.Median().Radius)
		return n * math.Log2(n+1)
	case "lpa":
		sum := 0
		for _, h := range r.LPA().Scales {
			sum += h
		}
		return float64(8 * sum)
	}
	return 1
}

// modelRate returns the voxels a second that a device like d should filter.
func modelRate(d wire.Device, r denoise.Recipe, g volume.Geometry) float64 {
	speed := float64(d.Processors) * float64(d.ClockKHz) / reference
	return max(speed, 1e-6) * stepsPerSecond[r.Filter] / steps(r, g)
}

// busBytesPerSecond is what voxels cross the bus with at the least.
const busBytesPerSecond = 8e9
