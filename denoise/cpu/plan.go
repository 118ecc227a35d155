package cpu

import (
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"quell/denoise"
	"quell/volume"
)

// Nanoseconds of one core for the unit of work of each filter, measured on a
// 3 GHz server core: what Plan's rough estimates are made of.
const (
	nsPair       = 1.6  // an unordered pair of voxels in nlm or bilateral, with vector code
	nsPatchTap   = 0.25 // one more addPair on it
	nsPlainRatio = 4.5  // how much longer pairs take without vector code
	nsGaussTap   = 1.0  // a voxel's tap along one axis
	nsMedian     = 9    // a value of a voxel's window
	nsLPATap     = 1.9  // a sample of a ray at one scale
)

// Plan implements denoise.Engine. The estimate is rough: half to twice.
func (e *Engine) Plan(r denoise.Recipe, g volume.Geometry) (denoise.Plan, error) {
	if err := g.Validate(); err != nil {
		return denoise.Plan{}, err
	}
	// Facts decide values, not extents; any will do for the plan.
	r, err := r.Resolve(g, denoise.Facts{Lo: 0, Hi: 1, Sigma: 1})
	if err != nil {
		return denoise.Plan{}, err
	}
	f, err := newFilter(r, &volume.Volume{Geometry: g}, nil, g.Bounds())
	if err != nil {
		return denoise.Plan{}, err
	}
	ns := voxelCost(r, g) * float64(g.Voxels()) / float64(e.threads)
	return denoise.Plan{
		Memory:   int64(e.threads) * tileMemory(r, g, f.tileSize()),
		Slabs:    1,
		Estimate: time.Duration(min(ns, math.MaxInt64/2)),
	}, nil
}

// voxelCost is the time of one voxel on one core in nanoseconds.
func voxelCost(r denoise.Recipe, g volume.Geometry) float64 {
	window := func(radius [3]int) float64 {
		n := 1.0
		for _, k := range radius {
			n *= float64(2*k + 1)
		}
		return n
	}
	pair := nsPair
	if !vector() {
		pair *= nsPlainRatio
	}
	switch r.Filter {
	case "nlm":
		p := r.NLM()
		taps := 0
		for _, f := range p.PatchRadius {
			taps += f
		}
		return window(p.SearchRadius) / 2 * pair * (1 + nsPatchTap/nsPair*float64(taps))
	case "bilateral":
		return window(r.Bilateral(g).Radius) / 2 * pair
	case "median":
		return window(r.Median().Radius) * nsMedian
	case "lpa":
		taps := 0
		for _, h := range r.LPA().Scales {
			taps += h
		}
		return float64(8*taps) * nsLPATap
	}
	taps := 0
	for _, k := range r.Gaussian(g).Radius {
		taps += 2*k + 1
	}
	return 2 * float64(taps) * nsGaussTap
}

// tileMemory bounds a worker's scratch memory in bytes: the tile with its halo,
// in at most three float64 or ten float32 arrays.
func tileMemory(r denoise.Recipe, g volume.Geometry, tile [3]int) int64 {
	n := int64(1)
	for c, reach := range denoise.Reach(r, g) {
		n *= int64(min(tile[c], g.Dims[c]) + 2*reach + lanes)
	}
	return 40 * n
}

// deviceName is the processor's name where the system tells it, else its
// architecture.
var deviceName = sync.OnceValue(func() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOOS + "/" + runtime.GOARCH
})
