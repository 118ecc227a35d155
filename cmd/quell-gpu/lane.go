//go:build cuda

package main

import (
	"fmt"

	"gorgonia.org/cu"

	"quell/gpu/driver"
	"quell/gpu/wire"
	"quell/kernels"
	"quell/volume"
)

// lane runs kernels one after the other, with modules of its own.
type lane struct {
	compute *queue
	modules map[string]*module
}

// module is a loaded fatbin with the functions that were found in it.
type module struct {
	cu.Module
	functions map[string]*function
}

type function struct {
	cu.Function
	shared int // dynamic shared memory it was allowed so far
}

func newLane(priority int) (*lane, error) {
	compute, err := newQueue(priority)
	if err != nil {
		return nil, err
	}
	return &lane{compute: compute, modules: map[string]*module{}}, nil
}

// load brings a module of package kernels onto the device.
func (l *lane) load(name string) error {
	m, err := cu.LoadData(kernels.Image(name))
	if err != nil {
		return err
	}
	l.modules[name] = &module{Module: m, functions: map[string]*function{}}
	return nil
}

// run filters a region: the launches that package kernels works out for it,
// queued behind every copy to the device so far.
func (w *worker) run(q wire.Request) *wire.Fault {
	l, f := w.lane(q.Lane)
	if f != nil {
		return f
	}
	if q.Job == nil {
		return broken("a run without a job")
	}
	j := *q.Job
	g := volume.NewGeometry(j.Dims, j.Space)
	box := kernels.Box{Dims: j.Dims, First: j.First, Slices: j.Slices, Region: j.Region}
	b, f := w.addresses(j)
	if f != nil {
		return f
	}
	launches, err := kernels.Launches(j.Recipe, g, box, b)
	if err != nil {
		return &wire.Fault{Kind: wire.Unsupported, Text: err.Error()}
	}
	start, err := w.events.take()
	if err == nil {
		err = l.compute.after(w.up)
	}
	if err == nil {
		err = start.Record(l.compute.stream)
	}
	for i := 0; i < len(launches) && err == nil; i++ {
		err = l.launch(launches[i])
	}
	if err != nil {
		return fault(fmt.Sprintf("the %s kernel does not start", j.Recipe.Filter), err)
	}
	return w.finish(l.compute, q.ID, &start)
}

// addresses finds the job's buffers and checks that they hold what the kernels
// will touch: a bad address would spoil the process.
func (w *worker) addresses(j wire.Job) (b kernels.Buffers, f *wire.Fault) {
	plane := int64(j.Dims[0]) * int64(j.Dims[1])
	if err := j.Region.Validate(volume.Geometry{Dims: j.Dims}); err != nil || j.First < 0 || j.Slices < 1 || j.First+j.Slices > j.Dims[2] {
		return b, broken("slices %d to %d and region %v do not fit dims %v", j.First, j.First+j.Slices, j.Region, j.Dims)
	}
	in, f := w.span(j.In, 0, plane*int64(j.Slices), 4)
	if f != nil {
		return b, f
	}
	out, f := w.span(j.Out, j.At, int64(j.Region.Voxels()), 4)
	if f != nil {
		return b, f
	}
	b.In, b.Out = uint64(in), uint64(out)
	if j.Mask != 0 {
		mask, f := w.span(j.Mask, 0, plane*int64(j.Slices), 1)
		if f != nil {
			return b, f
		}
		b.Mask = uint64(mask)
	}
	return b, nil
}

// launch queues one kernel.
func (l *lane) launch(k kernels.Launch) error {
	m, ok := l.modules[k.Module]
	if !ok {
		return cu.NotFound
	}
	fn, err := m.function(k.Kernel)
	if err != nil {
		return err
	}
	if k.Shared > fn.shared {
		if err := driver.SetMaxShared(fn.Function, k.Shared); err != nil {
			return err
		}
		fn.shared = k.Shared
	}
	return driver.Launch(fn.Function, k.Grid, k.Block, k.Shared, l.compute.stream, k.Args)
}

func (m *module) function(name string) (*function, error) {
	if fn, ok := m.functions[name]; ok {
		return fn, nil
	}
	f, err := m.Module.Function(name)
	if err != nil {
		return nil, err
	}
	m.functions[name] = &function{Function: f}
	return m.functions[name], nil
}

// widen copies int16 voxels to the segment's mirror on the device and turns
// them into float32 there: half the bytes cross the bus.
func (w *worker) widen(q wire.Request, host []byte, to cu.DevicePtr) *wire.Fault {
	from := w.staging + cu.DevicePtr(q.Shared)
	if err := cu.MemcpyHtoDAsync(from, pointer(host), int64(len(host)), w.up.stream); err != nil {
		return fault("voxels cannot be copied to the device", err)
	}
	k := kernels.Widen(uint64(from), uint64(to), q.Count, 0)
	fn, err := w.lanes[wire.Bulk].modules[k.Module].function(k.Kernel)
	if err == nil {
		err = driver.Launch(fn.Function, k.Grid, k.Block, k.Shared, w.up.stream, k.Args)
	}
	if err != nil {
		return fault("voxels cannot be widened on the device", err)
	}
	return nil
}
