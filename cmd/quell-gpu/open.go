//go:build cuda

package main

import (
	"errors"
	"fmt"

	"gorgonia.org/cu"

	"quell/gpu/driver"
	"quell/gpu/wire"
	"quell/internal/version"
	"quell/kernels"
)

// oldestDriver is the CUDA version of the oldest driver that runs code compiled
// by CUDA 11.8: any 11.x, by minor-version compatibility.
const oldestDriver = 11000

// oldestCompute is the oldest compute capability the kernels are built for.
const oldestCompute = 75

// open opens the first visible device and describes it in the hello. The hello's
// fault says why it cannot be used.
func open(shared []byte, out *wire.Writer) (*worker, wire.Hello) {
	hello := wire.Hello{Version: wire.Version, Driver: cu.Version(), Kernels: kernels.Digest(), Quell: version.Source()}
	w := &worker{shared: shared, out: out, buffers: map[wire.Handle]buffer{}, programs: map[wire.ProgramID]*program{}}
	hello.Fault = w.open(&hello)
	return w, hello
}

func (w *worker) open(hello *wire.Hello) *wire.Fault {
	if hello.Driver < oldestDriver {
		return &wire.Fault{Kind: wire.Driver, Text: fmt.Sprintf(
			"the NVIDIA driver speaks CUDA %d.%d and the kernels need %d.%d; update the driver",
			hello.Driver/1000, hello.Driver%1000/10, oldestDriver/1000, oldestDriver%1000/10)}
	}
	count, err := cu.NumDevices()
	if err != nil || count == 0 {
		return &wire.Fault{Kind: wire.Driver, Text: "the NVIDIA driver finds no device"}
	}
	// The others are listed even if the first cannot be used: one of them may replace it.
	var failed *wire.Fault
	for i := range count {
		d, err := describe(i)
		switch {
		case i == 0 && err != nil:
			failed = fault("device 0 does not answer", err)
		case i == 0:
			hello.Device = d
		case err == nil:
			hello.Others = append(hello.Others, d)
		}
	}
	if failed != nil {
		return failed
	}
	if c := hello.Device.Compute; c[0]*10+c[1] < oldestCompute {
		return &wire.Fault{Kind: wire.Kernels, Text: fmt.Sprintf(
			"%s has compute capability %d.%d and the kernels need %d.%d",
			hello.Device.Name, c[0], c[1], oldestCompute/10, oldestCompute%10)}
	}
	if err := w.context(); err != nil {
		return fault(hello.Device.Name+" cannot be opened", err)
	}
	if f := w.prepare(); f != nil {
		return f
	}
	if w.staging, err = cu.MemAlloc(int64(len(w.shared))); err != nil {
		return fault(fmt.Sprintf("%s has no %d MB of memory free", hello.Device.Name, len(w.shared)>>20), err)
	}
	// Page-locking fails in containers with a small memory-lock limit. Copies
	// still work without it, but more slowly.
	hello.Pinned = driver.Register(w.shared) == nil
	if hello.Free, _, err = cu.MemInfo(); err != nil {
		return fault(hello.Device.Name+" does not report its free memory", err)
	}
	return nil
}

// describe returns the properties of a device.
func describe(ordinal int) (wire.Device, error) {
	dev, err := cu.GetDevice(ordinal)
	if err != nil {
		return wire.Device{}, err
	}
	name, err := dev.Name()
	if err != nil {
		return wire.Device{}, err
	}
	memory, err := dev.TotalMem()
	if err != nil {
		return wire.Device{}, err
	}
	id, err := dev.UUID()
	if err != nil {
		return wire.Device{}, err
	}
	d := wire.Device{Name: name, UUID: "GPU-" + id.String(), Memory: memory}
	for attribute, value := range map[cu.DeviceAttribute]*int{
		cu.MultiprocessorCount:    &d.Processors,
		cu.ComputeCapabilityMajor: &d.Compute[0],
		cu.ComputeCapabilityMinor: &d.Compute[1],
		cu.ClockRate:              &d.ClockKHz,
	} {
		if *value, err = dev.Attribute(attribute); err != nil {
			return wire.Device{}, err
		}
	}
	return d, nil
}

// context makes the device's primary context current on this thread. It is never
// released: the end of the process frees it with all its buffers.
func (w *worker) context() error {
	dev, err := cu.GetDevice(0)
	if err != nil {
		return err
	}
	ctx, err := dev.RetainPrimaryCtx()
	if err != nil {
		return err
	}
	if w.maxShared, err = driver.MaxShared(dev); err != nil {
		return err
	}
	return cu.SetCurrentContext(ctx)
}

// prepare creates the streams and loads the kernels of both lanes.
func (w *worker) prepare() *wire.Fault {
	least, greatest, err := cu.StreamPriorityRange()
	if err != nil {
		return fault("no stream can be created", err)
	}
	if w.up, err = newQueue(greatest); err != nil {
		return fault("no stream can be created", err)
	}
	if w.down, err = newQueue(greatest); err != nil {
		return fault("no stream can be created", err)
	}
	for i, priority := range [wire.LaneCount]int{wire.VolumeLane: least, wire.PreviewLane: greatest} {
		if w.lanes[i], err = newLane(priority); err != nil {
			return fault("no stream can be created", err)
		}
		// Loading all modules now takes milliseconds and finds a driver that
		// cannot run the kernels before the first run.
		for _, name := range kernels.Modules() {
			if err := w.lanes[i].load(name); err != nil {
				f := fault(fmt.Sprintf("the %s kernels do not load on this driver", name), err)
				if f.Kind == wire.Broken {
					f.Kind = wire.Kernels
				}
				return f
			}
		}
	}
	return nil
}

// fault classifies an error of the driver.
func fault(what string, err error) *wire.Fault {
	f := &wire.Fault{Kind: wire.Broken, Text: fmt.Sprintf("%s: %s", what, driver.Text(err))}
	switch {
	case errors.Is(err, cu.OutOfMemory):
		f.Kind = wire.Memory
	case driver.Sticky(err):
		// The failed call is only the first one after the actual error.
		f.Kind, f.Text = wire.Sticky, "the GPU failed: "+driver.Text(err)
	}
	return f
}
