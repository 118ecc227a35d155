//go:build cuda

package main

import (
	"encoding/binary"

	"gorgonia.org/cu"

	"quell/gpu/driver"
	"quell/gpu/wire"
	"quell/kernels"
)

// lane executes runs in order, with its own copy of the modules.
type lane struct {
	compute *queue
	modules map[string]*module
	texture *driver.Texture // that a rung read last
}

// module is a loaded fatbin with the functions looked up so far.
type module struct {
	cu.Module
	functions map[string]*function
}

type function struct {
	cu.Function
	shared int // limit of its dynamic shared memory, 0 for the default
}

func newLane(priority int) (*lane, error) {
	compute, err := newQueue(priority)
	if err != nil {
		return nil, err
	}
	return &lane{compute: compute, modules: map[string]*module{}}, nil
}

// load loads a module of package kernels.
func (l *lane) load(name string) error {
	m, err := cu.LoadData(kernels.Image(name))
	if err != nil {
		return err
	}
	l.modules[name] = &module{Module: m, functions: map[string]*function{}}
	return nil
}

// launch queues one kernel. The module of a rung is loaded at its first launch.
func (l *lane) launch(k kernels.Launch) error {
	m, ok := l.modules[k.Module]
	if !ok {
		if kernels.Image(k.Module) == "" {
			return cu.NotFound
		}
		if err := l.load(k.Module); err != nil {
			return err
		}
		m = l.modules[k.Module]
	}
	if k.Symbol != "" {
		if err := m.fill(k, l.compute.stream); err != nil {
			return err
		}
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

// prepare gives a launch the texture that it reads, if any. The copy is queued, behind
// the kernels that read the texture before.
func (l *lane) prepare(k kernels.Launch) error {
	want := k.Texture
	if want == nil {
		return nil
	}
	if l.texture != nil && !l.texture.Has(want.Width, want.Height, want.Mirrored) {
		if err := l.compute.stream.Synchronize(); err != nil {
			return err
		}
		old := l.texture
		l.texture = nil
		if err := old.Free(); err != nil {
			return err
		}
	}
	if l.texture == nil {
		var err error
		if l.texture, err = driver.NewTexture(want.Width, want.Height, want.Mirrored); err != nil {
			return err
		}
	}
	binary.LittleEndian.PutUint64(k.Args[len(k.Args)-8:], l.texture.Handle())
	return l.texture.Fill(cu.DevicePtr(want.Address), l.compute.stream)
}

// fill copies a launch's data to the memory of its module.
func (m *module) fill(k kernels.Launch, stream cu.Stream) error {
	to, size, err := m.Module.Global(k.Symbol)
	if err != nil {
		return err
	}
	if int64(len(k.Data)) > size {
		return cu.InvalidValue
	}
	return cu.MemcpyHtoDAsync(to, pointer(k.Data), int64(len(k.Data)), stream)
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

// widen copies int16 voxels to the device and converts them to float32 there,
// which halves the bytes on the bus.
func (w *worker) widen(q wire.Request, host []byte, to cu.DevicePtr) *wire.Fault {
	from := w.staging + cu.DevicePtr(q.Shared)
	if err := cu.MemcpyHtoDAsync(from, pointer(host), int64(len(host)), w.up.stream); err != nil {
		return fault("voxels cannot be copied to the device", err)
	}
	k := kernels.Widen(uint64(from), uint64(to), q.Count, 0)
	fn, err := w.lanes[wire.VolumeLane].modules[k.Module].function(k.Kernel)
	if err == nil {
		err = driver.Launch(fn.Function, k.Grid, k.Block, k.Shared, w.up.stream, k.Args)
	}
	if err != nil {
		return fault("voxels cannot be widened on the device", err)
	}
	return nil
}
