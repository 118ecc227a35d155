package gpu

import (
	"errors"
	"fmt"

	"quell/gpu/wire"
)

// Status is what an engine is up to, for a person.
type Status struct {
	Off     bool   // switched off after repeated failures, until Enable
	Reason  string // why the last worker was lost or did not start; empty where all is well
	Said    string // the end of what that worker printed, for a report of a fault
	PID     int    // of the first device's worker; 0 while none runs
	Starts  int    // of workers so far, over all devices
	Driver  string // the CUDA version of the driver, "12.2"
	Worker  string // the worker's path
	Kernels string // identifies the kernels of the worker
	Device  wire.Device
	Others  []wire.Device
}

// Status reports on the engine. It never waits for a worker.
func (e *Engine) Status() Status {
	s := Status{Worker: e.options.Worker}
	for i, d := range e.devices {
		d.mu.Lock()
		d.settle()
		s.Starts += d.starts
		if s.Reason == "" && d.reason != nil {
			s.Reason = d.reason.Error()
			var gone *lostError
			if errors.As(d.reason, &gone) {
				s.Said = gone.said
			}
		}
		if i == 0 {
			s.Off, s.Device, s.Kernels = d.off != nil, d.hello.Device, d.hello.Kernels
			s.Driver = fmt.Sprintf("%d.%d", d.hello.Driver/1000, d.hello.Driver%1000/10)
			if d.session != nil {
				s.PID = d.session.cmd.Process.Pid
			}
		} else {
			s.Others = append(s.Others, d.hello.Device)
		}
		d.mu.Unlock()
	}
	return s
}
