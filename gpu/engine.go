package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"quell/denoise"
	"quell/gpu/wire"
	"quell/internal/message"
	"quell/kernels"
	"quell/volume"
)

// Options configure an Engine. The zero value is a good default.
type Options struct {
	Worker  string        // path of quell-gpu; empty: Find
	Env     []string      // added to the worker's environment
	Devices int           // the most GPUs to use; 0: all
	Memory  int64         // the most bytes of device memory to use on each; 0: the free memory
	Start   time.Duration // time limit for the start of a worker; 0: StartLimit
	Stall   time.Duration // time after which a worker that owes a reply is killed; 0: 10 s
	Idle    time.Duration // time after which a worker without work is shut down; 0: a minute, negative: never
	Tuned   []TunedShapes // launch shapes, used on the devices that they were found on
}

// StartLimit is how long a worker may take to start. Usual starts take a second; a driver that hangs costs a run as long.
const StartLimit = 10 * time.Second

func (o Options) withDefaults() (Options, error) {
	if o.Worker == "" {
		path, err := LocateWorker()
		if err != nil {
			return o, err
		}
		o.Worker = path
	}
	if o.Start == 0 {
		o.Start = StartLimit
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

// New starts a worker and returns the engine. The first of the machine's devices that can be
// used decides which of the others take part. The error is one sentence that says why the first
// GPU cannot be used if none can, and wraps ErrDevice. It may take a second, and up to
// Options.Start for each device if the driver hangs; ctx ends it sooner.
func New(ctx context.Context, o Options) (*Engine, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, unusable(err)
	}
	first := newDevice(o)
	s, err := first.acquire(ctx)
	if err == nil {
		defer first.release(s)
		return newEngine(first, s.hello.Others), nil
	}
	first.close()
	var fault *faultError
	if !errors.As(err, &fault) {
		return nil, err
	}
	broken := map[string]error{fault.device.UUID: fault}
	for i, other := range fault.others {
		d := newDevice(o, visible(other))
		s, e := d.acquire(ctx)
		if e == nil {
			defer d.release(s)
			engine := newEngine(d, slices.Concat(fault.others[i+1:], []wire.Device{fault.device}, fault.others[:i]))
			engine.rest(broken)
			return engine, nil
		}
		d.close()
		broken[other.UUID] = e
	}
	return nil, err
}

// rest leaves devices that did not start alone for startRest. Reasons are by UUID.
func (e *Engine) rest(broken map[string]error) {
	for _, d := range e.devices {
		if reason := broken[d.hello.Device.UUID]; reason != nil {
			d.failed, d.reason = time.Now(), reason
		}
	}
}

// newEngine returns an engine on a device with a running worker, and on the other devices
// that have its compute capability.
func newEngine(first *device, others []wire.Device) *Engine {
	e := &Engine{options: first.options, devices: []*device{first}}
	for _, other := range others {
		if e.options.Devices > 0 && len(e.devices) >= e.options.Devices {
			break
		}
		if other.Compute != first.hello.Device.Compute {
			continue // other machine code, and perhaps other bits
		}
		// Its worker starts with the first run that is long enough to share.
		d := newDevice(e.options, visible(other))
		d.first, d.hello.Device = first, other
		e.devices = append(e.devices, d)
	}
	return e
}

// visible returns the setting with which a worker sees that device alone.
func visible(d wire.Device) string { return "CUDA_VISIBLE_DEVICES=" + d.UUID }

// Close shuts the workers down. Active runs fail, and so does every later one.
func (e *Engine) Close() error {
	for _, d := range e.devices {
		d.close()
	}
	return nil
}

// Enable forgets the failures of a device that no other one can replace, so that it is
// tried again if it switched itself off. While another works, it rests for lossPeriod.
func (e *Engine) Enable() {
	devices, states := e.usable()
	switch {
	case len(devices) > 1:
	case states[0].usable:
		devices[0].enable()
	default:
		for _, d := range e.devices {
			d.enable()
		}
	}
}

// shapes returns the launch shapes of Options.Tuned for the first device, with which all
// work.
func (e *Engine) shapes() kernels.Shapes {
	d := e.devices[0]
	d.mu.Lock()
	defer d.mu.Unlock()
	shapes, _ := shapesFor(e.options.Tuned, d.hello)
	return shapes
}

// Info returns the engine's name and its devices.
func (e *Engine) Info() denoise.Info {
	info := denoise.Info{Name: "cuda", Overhead: 500 * time.Microsecond}
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

// Plan returns the demand of a run over the whole volume.
func (e *Engine) Plan(r denoise.Recipe, g volume.Geometry) (denoise.Plan, error) {
	return e.plan(variant{}, r, g)
}

func (e *Engine) plan(v variant, r denoise.Recipe, g volume.Geometry) (denoise.Plan, error) {
	p, err := r.Outline(g)
	if err != nil {
		return denoise.Plan{}, err
	}
	run, err := newRun(p, v.rung, g)
	if err != nil {
		return denoise.Plan{}, err
	}
	var plan denoise.Plan
	parts, _ := e.share(run, g.Bounds())
	run.shared = len(parts) > 1
	for _, p := range parts {
		l, err := planSlabs(p.device.demand(run, p.region))
		if err != nil {
			return denoise.Plan{}, &deviceError{message.Text("%s on the GPU: %v", r.Filter, err), err}
		}
		plan.Memory += l.memory
		plan.Slabs += len(l.slabs)
		plan.Estimate = max(plan.Estimate, p.device.estimate(run, p.region))
	}
	return plan, nil
}

// Run implements denoise.Engine. A resolved recipe saves a pass over the whole
// volume. After an error that wraps ErrDevice another engine may succeed.
//
// That every voxel is finite is ensured by the readers; checking it here would cost as
// much as a preview.
func (e *Engine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, report denoise.Progress) (*volume.Volume, error) {
	return e.run(ctx, variant{}, r, in, region, report)
}

func (e *Engine) run(ctx context.Context, v variant, r denoise.Recipe, in denoise.Input, region volume.Region, report denoise.Progress) (*volume.Volume, error) {
	p, err := r.ProgramFor(ctx, in, region)
	if err != nil {
		return nil, err
	}
	return e.runProgram(ctx, v, p, in, region, report)
}

func (e *Engine) runProgram(ctx context.Context, v variant, p denoise.Program, in denoise.Input, region volume.Region, report denoise.Progress) (*volume.Volume, error) {
	run, err := newRun(p, v.rung, in.Volume.Geometry)
	if err != nil {
		return nil, err
	}
	if run.shapes = v.shapes; run.shapes == nil {
		run.shapes = e.shapes()
	}
	run.read(in)
	out := &volume.Volume{Geometry: in.Volume.Geometry.Crop(region), Unit: in.Volume.Unit, Modality: in.Volume.Modality}
	if in.Volume.Mask != nil {
		out.Mask = cropMask(in.Volume, region)
	}
	result := newOutput(ctx, out)
	passes := int64(len(p.Passes))
	done := newProgress(passes*int64(region.Voxels()), report)
	defer done.stop()
	g, ctx := errgroup.WithContext(ctx)
	parts, later := e.share(run, region)
	for _, d := range later {
		d.warm()
	}
	run.shared = len(parts) > 1
	end := 0
	for _, p := range parts {
		first := end
		end += p.region.Voxels()
		report := done.part()
		g.Go(func() error {
			return e.filter(ctx, run, p, &partOutput{output: result, from: first, to: first + p.region.Voxels(), report: func(n int64) { report(passes * n) }})
		})
	}
	err = g.Wait()
	result.end(err)
	if err != nil {
		return nil, err
	}
	return out, nil
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
