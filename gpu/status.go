package gpu

import (
	"errors"
	"fmt"
	"time"

	"quell/gpu/wire"
	"quell/kernels"
)

// Status is the state of an engine, for display.
type Status struct {
	Off     bool           // no device works: all are switched off after repeated failures, for some minutes or until Enable
	Reason  string         // why the last worker was lost or did not start; empty if none was
	Output  string         // the end of that worker's output, for a fault report
	PID     int            // of the first device's worker; 0 if none runs
	Starts  int            // workers started so far, over all devices
	Driver  string         // the CUDA version of the driver, "12.2"
	Worker  string         // the worker's path
	Kernels string         // hash of the worker's kernels
	Busy    time.Duration  // on the GPUs since the start, by events: kernels alone
	Tuned   kernels.Shapes // of the first device, from Options.Tuned
	Device  wire.Device
	Others  []wire.Device

	Outdated bool // Options.Tuned has shapes of the first device with another driver or other kernels alone
}

// Status returns the engine's state. It never waits for a worker.
func (e *Engine) Status() Status {
	s := Status{Worker: e.options.Worker, Off: true}
	for i, d := range e.devices {
		d.mu.Lock()
		d.reap()
		s.Off = s.Off && (d.off != nil || d.closed)
		s.Starts += d.starts
		s.Busy += d.busy
		if s.Reason == "" && d.reason != nil {
			s.Reason = d.reason.Error()
			var lost *lostError
			if errors.As(d.reason, &lost) {
				s.Output = lost.output
			}
		}
		if i == 0 {
			s.Device, s.Kernels = d.hello.Device, d.hello.Kernels
			s.Driver = fmt.Sprintf("%d.%d", d.hello.Driver/1000, d.hello.Driver%1000/10)
			s.Tuned, s.Outdated = shapesFor(e.options.Tuned, d.hello)
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
