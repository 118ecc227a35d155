package gpu

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"quell/denoise"
	"quell/volume"
)

// Options say how an Engine runs. The zero value is good for everybody.
type Options struct {
	Worker  string        // path of quell-gpu; empty: Find
	Env     []string      // added to the worker's environment
	Devices int           // GPUs used at most; 0: all
	Memory  int64         // bytes of device memory used at most, on each; 0: what is free
	Start   time.Duration // a worker that says nothing for so long is given up; 0: a minute
	Stall   time.Duration // a worker that owes an answer for so long is ended; 0: 10 s
	Idle    time.Duration // a worker without work for so long is let go; 0: a minute, negative: never
}

func (o Options) withDefaults() (Options, error) {
	if o.Worker == "" {
		path, err := Find()
		if err != nil {
			return o, err
		}
		o.Worker = path
	}
	if o.Start == 0 {
		o.Start = time.Minute
	}
	if o.Stall == 0 {
		o.Stall = 10 * time.Second
	}
	if o.Idle == 0 {
		o.Idle = time.Minute
	}
	return o, nil
}

// Engine runs recipes on the machine's GPUs. It is safe for concurrent use.
type Engine struct {
	options Options
	devices []*device
}

var _ denoise.Engine = (*Engine)(nil)

// New starts a worker and returns the engine. The error is one sentence that
// says why the GPU cannot be used, and wraps ErrDevice. It may take a second,
// and up to Options.Start where a driver hangs; ctx ends it sooner.
func New(ctx context.Context, o Options) (*Engine, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, unusable(err)
	}
	first := newDevice(o)
	s, err := first.acquire(ctx)
	if err != nil {
		first.close()
		return nil, err
	}
	e := &Engine{options: o, devices: []*device{first}}
	for _, other := range s.hello.Others {
		if o.Devices > 0 && len(e.devices) >= o.Devices {
			break
		}
		// Its worker starts with the first run that is worth sharing.
		d := newDevice(o, "CUDA_VISIBLE_DEVICES="+other.UUID)
		d.hello.Device = other
		e.devices = append(e.devices, d)
	}
	first.release(s)
	return e, nil
}

// Close ends the workers. Runs under way fail; there is no use after it.
func (e *Engine) Close() error {
	for _, d := range e.devices {
		d.close()
	}
	return nil
}

// Enable lets an engine that switched itself off after repeated failures try
// again.
func (e *Engine) Enable() {
	for _, d := range e.devices {
		d.enable()
	}
}

// Info names the engine and its device.
func (e *Engine) Info() denoise.Info {
	info := denoise.Info{Name: "cuda"}
	for i, d := range e.devices {
		d.mu.Lock()
		dev := d.hello.Device
		d.mu.Unlock()
		if i == 0 {
			info.Device = dev.Name
		}
		info.Memory += dev.Memory
		info.Cores += dev.Processors
	}
	if n := len(e.devices); n > 1 {
		info.Device = fmt.Sprintf("%d x %s", n, info.Device)
	}
	return info
}

// Plan says what a run over the whole volume takes. Automatic values are
// planned for as their smallest: they do not change the memory.
func (e *Engine) Plan(r denoise.Recipe, g volume.Geometry) (denoise.Plan, error) {
	if err := g.Validate(); err != nil {
		return denoise.Plan{}, err
	}
	r, err := r.Resolve(g, denoise.Facts{})
	if err != nil {
		return denoise.Plan{}, err
	}
	if err := supported(r, g); err != nil {
		return denoise.Plan{}, err
	}
	var plan denoise.Plan
	parts := e.share(r, g, g.Bounds())
	for i, part := range parts {
		d := e.devices[i]
		l, err := cut(d.demand(r, g, part, false))
		if err != nil {
			return denoise.Plan{}, fmt.Errorf("%s on the GPU: %w", r.Filter, err)
		}
		plan.Memory += l.memory
		plan.Slabs += len(l.slabs)
		plan.Estimate = max(plan.Estimate, d.estimate(r, g, part))
	}
	return plan, nil
}

// worthSharing is the time from which a run is spread over several devices.
const worthSharing = 200 * time.Millisecond

// share gives each device its part of a region, along z; short runs go to the
// first alone, where previews keep the volume.
func (e *Engine) share(r denoise.Recipe, g volume.Geometry, region volume.Region) []volume.Region {
	n := min(len(e.devices), region.Dims()[2])
	if n < 2 || e.devices[0].modelled(r, g, region) < worthSharing {
		return []volume.Region{region}
	}
	step := grain(region, e.devices[0].demand(r, g, region, false).block)
	depth := region.Dims()[2]
	count := (depth + step - 1) / step
	var parts []volume.Region
	for i := range n {
		part := region
		part.Min[2] = region.Min[2] + i*count/n*step
		part.Max[2] = region.Min[2] + min((i+1)*count/n*step, depth)
		if part.Voxels() > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// Run implements denoise.Engine. A resolved recipe spares it a pass over the
// whole volume. An error that wraps ErrDevice leaves another engine a chance.
func (e *Engine) Run(ctx context.Context, r denoise.Recipe, input denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := input.Check(); err != nil {
		return nil, err
	}
	if err := region.Validate(input.Volume.Geometry); err != nil {
		return nil, err
	}
	r, err := r.ResolveFor(ctx, input)
	if err != nil {
		return nil, err
	}
	if err := supported(r, input.Volume.Geometry); err != nil {
		return nil, err
	}
	if err := bind(r, input.Volume.Geometry).Accepts(input); err != nil {
		return nil, err
	}
	in := input.Masked()
	out := &volume.Volume{Geometry: in.Geometry.Crop(region), Unit: in.Unit}
	// To clear half a gigabyte takes a while, which the device need not wait
	// for.
	voxels := sync.OnceValue(func() []float32 { return make([]float32, region.Voxels()) })
	go voxels()
	if in.Mask != nil {
		out.Mask = cropMask(in, region)
	}
	count := counter{total: int64(region.Voxels()), report: progress}
	// After a cancel the device may still be at work in the background.
	defer count.stop()
	g, ctx := errgroup.WithContext(ctx)
	end := 0
	for i, part := range e.share(r, in.Geometry, region) {
		first := end
		end += part.Voxels()
		mine := func() []float32 { return voxels()[first : first+part.Voxels()] }
		g.Go(func() error { return e.devices[i].filter(ctx, r, in, part, mine, count.add()) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out.Data = voxels()
	if input.Volume.Mask == nil {
		out.Mask = nil // the voxels that Input.Mask excludes are no padding
	} else if input.Mask != nil {
		out.Mask = cropMask(input.Volume, region)
	}
	return out, nil
}

// supported refuses what the engine cannot run yet: several passes, a noise map
// or a guide.
func supported(r denoise.Recipe, g volume.Geometry) error {
	p, err := r.Bind(g)
	if err != nil {
		return err
	}
	if len(p.Passes) > 1 || p.Reads(denoise.NoiseMap) || p.Reads(denoise.GuideVolume) {
		return fmt.Errorf("%s: several passes, noise maps and guides: %w", r.Filter, denoise.ErrUnsupported)
	}
	return nil
}

// cropMask returns the mask of a region.
func cropMask(v *volume.Volume, r volume.Region) []bool {
	mask := make([]bool, 0, r.Voxels())
	for z := r.Min[2]; z < r.Max[2]; z++ {
		for y := r.Min[1]; y < r.Max[1]; y++ {
			mask = append(mask, v.Mask[v.Index(r.Min[0], y, z):v.Index(r.Max[0], y, z)]...)
		}
	}
	return mask
}
