package cpu

import (
	"context"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"quell/denoise"
	"quell/volume"
)

// Engine runs every filter on the processor's cores. It is safe for concurrent
// use.
type Engine struct {
	threads int // at most; 0: no limit
}

var _ denoise.Engine = (*Engine)(nil)

// Option changes an Engine as New makes it.
type Option func(*Engine)

// Threads limits the engine to n cores. It changes the time, never the result.
func Threads(n int) Option {
	return func(e *Engine) { e.threads = max(n, 1) }
}

// New returns an engine that uses all cores.
func New(options ...Option) *Engine {
	e := &Engine{}
	for _, o := range options {
		o(e)
	}
	return e
}

// Info names the processor.
func (e *Engine) Info() denoise.Info {
	return denoise.Info{Name: "cpu", Device: deviceName(), Cores: e.cores()}
}

// Run implements denoise.Engine. Memory beyond input and result is for the
// intermediates, of a part of the slices at a time, and a few megabytes for each core.
func (e *Engine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	run, err := prepare(ctx, r, in, region)
	if err != nil {
		return nil, err
	}
	run.count(progress)
	for _, run.part = range run.parts() {
		err := run.passes(func(pass denoise.Pass, inputs []denoise.Field, out denoise.Field) error {
			return run.tiles(ctx, e.cores(), pass, inputs, out, run.box(pass.Output))
		})
		if err != nil {
			return nil, err
		}
	}
	return run.out, nil
}

// Reference runs a recipe by the definitions of docs/FILTERS.md, in float64, one
// voxel after another: slow, plain, and what every engine is tested against. It
// returns the voxels of region, as Engine.Run does. A cancel ends it at the next voxel.
func Reference(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region) (*volume.Volume, error) {
	run, err := prepare(ctx, r, in, region)
	if err != nil {
		return nil, err
	}
	err = run.passes(func(pass denoise.Pass, inputs []denoise.Field, out denoise.Field) error {
		i := 0
		for z := out.Box.Min[2]; z < out.Box.Max[2]; z++ {
			for y := out.Box.Min[1]; y < out.Box.Max[1]; y++ {
				for x := out.Box.Min[0]; x < out.Box.Max[0]; x++ {
					if err := ctx.Err(); err != nil {
						return err
					}
					if pass.Everywhere || out.Valid(i) {
						out.Data[i] = float32(pass.Reference(inputs, x, y, z))
					}
					i++
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return run.out, nil
}

// cores is the number of goroutines that a run uses, never more than GOMAXPROCS.
func (e *Engine) cores() int {
	n := runtime.GOMAXPROCS(0)
	if e.threads > 0 {
		n = min(n, e.threads)
	}
	return n
}

// deviceName is the processor's name if the system reports it, else its
// architecture.
var deviceName = sync.OnceValue(func() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if name := modelName(string(info)); err == nil && name != "" {
		return name
	}
	return runtime.GOOS + "/" + runtime.GOARCH
})

// modelName returns the model of the first processor in Linux's /proc/cpuinfo, "" if
// it has none.
func modelName(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

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
