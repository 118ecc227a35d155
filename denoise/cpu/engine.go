package cpu

import (
	"context"
	"fmt"
	"runtime"

	"quell/denoise"
	"quell/volume"
)

// Engine runs every filter on the processor's cores. Its zero value is not
// ready; use New. It is safe for concurrent use.
type Engine struct {
	threads int
}

var _ denoise.Engine = (*Engine)(nil)

// Option changes an Engine as New makes it.
type Option func(*Engine)

// Threads limits the engine to n cores; it changes the time, never the result.
func Threads(n int) Option {
	return func(e *Engine) { e.threads = max(n, 1) }
}

// New returns an engine that uses all cores.
func New(options ...Option) *Engine {
	e := &Engine{threads: runtime.GOMAXPROCS(0)}
	for _, o := range options {
		o(e)
	}
	return e
}

// Info names the processor.
func (e *Engine) Info() denoise.Info {
	return denoise.Info{Name: "cpu", Device: deviceName(), Cores: e.threads}
}

// tiled is a filter cut into tiles.
type tiled interface {
	tileSize() [3]int
	newWorker() worker
}

// Run implements denoise.Engine. Memory beyond input and result is a few
// megabytes for each core.
func (e *Engine) Run(ctx context.Context, r denoise.Recipe, in *volume.Volume, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := prepare(ctx, r, in, region)
	if err != nil {
		return nil, err
	}
	out := in.Crop(region)
	f, err := newFilter(r, in, out, region)
	if err != nil {
		return nil, err
	}
	if err := runTiles(ctx, e.threads, cut(region, f.tileSize()), progress, f.newWorker); err != nil {
		return nil, err
	}
	return out, nil
}

// newFilter returns the fast path of a resolved recipe. It will read in and
// write the voxels of region to out.
func newFilter(r denoise.Recipe, in, out *volume.Volume, region volume.Region) (tiled, error) {
	switch r.Filter {
	case "gaussian":
		return newGaussian(r.Gaussian(in.Geometry), in, out, region), nil
	case "median":
		return newMedian(r.Median(), in, out, region), nil
	case "bilateral":
		return newBilateral(r.Bilateral(in.Geometry), in, out, region), nil
	case "nlm":
		return newNLM(r.NLM(), in, out, region), nil
	case "lpa":
		return newLPA(r.LPA(), in, out, region), nil
	}
	return nil, fmt.Errorf("%s: %w", r.Filter, denoise.ErrUnsupported)
}
