package gpu

import (
	"errors"
	"os/exec"
	"strings"

	"quell/gpu/wire"
	"quell/internal/message"
)

// ErrDevice is wrapped by every error caused by this engine, that is the worker, the
// driver, the device or a missing kernel, rather than the recipe or the volume:
// another engine can do the same run, and should be offered. For a missing kernel the
// error also wraps denoise.ErrUnsupported.
var ErrDevice = message.Errorf(message.EngineLost, "the GPU engine is not usable")

// deviceError is a sentence that wraps ErrDevice.
type deviceError struct {
	message.Message
	cause error
}

func (e *deviceError) Error() string   { return e.String() }
func (e *deviceError) Unwrap() []error { return []error{ErrDevice, e.cause} }

// Reason returns why the GPU cannot be used, without the introduction "the GPU
// cannot be used" that errors of New begin with.
func Reason(err error) error {
	var e *deviceError
	if errors.As(err, &e) && e.cause != nil {
		return e.cause
	}
	return err
}

// unsupported adds ErrDevice to an error that wraps denoise.ErrUnsupported.
func unsupported(err error) error { return &deviceError{message.Of(err), err} }

// lostError is why a worker that had started was lost. A new worker may succeed.
type lostError struct {
	message.Message
	output string // the end of its output
}

func (e *lostError) Error() string { return e.String() }

// absentError is why there is no GPU to use on this machine: no worker, no driver or no device.
type absentError struct{ message.Message }

func (e *absentError) Error() string { return e.String() }

// Absent reports whether an error of New says that this machine has no GPU for the engine: no worker
// is installed, no driver, or there is no device. Every other error of New is about a GPU that was
// expected to work.
func Absent(err error) bool {
	var absent *absentError
	return errors.As(err, &absent)
}

// errShutdown is the reason of a worker that the engine itself shut down.
var errShutdown = message.Errorf(message.EngineLost, "the GPU worker was shut down")

// errHung is the reason of a worker that was killed, as it did not say hello within
// Options.Start.
var errHung = message.Errorf(message.EngineDriver, "the GPU worker gave no answer when it was started; the driver may hang")

// checkHello returns the reason why a worker cannot be used, if its hello holds one. source is the
// version of this program if its build names it, and digest the digest of its kernels.
func checkHello(h wire.Hello, source, digest string) error {
	if h.Version != wire.Version {
		return message.Errorf(message.EngineVersion, "the GPU worker speaks version %d of the protocol and this Quell version %d; install both from one release", h.Version, wire.Version)
	}
	// Programs that do not name their source are compared by their kernels.
	if source != "" && h.Quell != "" && h.Quell != source {
		return message.Errorf(message.EngineVersion, "the GPU worker is that of Quell %s and this is %s; install both from one release", h.Quell, source)
	}
	if h.Kernels != "" && h.Kernels != digest {
		return message.Errorf(message.EngineVersion, "the GPU worker has other kernels than this Quell; install both from one release")
	}
	if h.Fault != nil {
		return &faultError{Fault: h.Fault, device: h.Device, others: h.Others}
	}
	return nil
}

// faultError is why a worker cannot use its device, with the machine's other devices.
type faultError struct {
	*wire.Fault
	device wire.Device
	others []wire.Device
}

func (e *faultError) Unwrap() error { return e.Fault }

// initReasons explains the errors of cuInit that gorgonia.org/cu prints before
// it ends the process, by the name or number of the error.
var initReasons = []struct {
	mark string
	message.Message
	absent bool // there is no GPU
}{
	{"NoDevice", message.New(message.EngineAbsent, "the NVIDIA driver finds no device"), true},
	{"InvalidDevice", message.New(message.EngineAbsent, "the NVIDIA driver finds no usable device"), true},
	{"SystemDriverMismatch", message.New(message.EngineVersion, "the NVIDIA driver's library and kernel module are of different versions; restart the computer"), false},
	{"UnknownErrorCode:804", message.New(message.EngineDriver, "the NVIDIA driver's library does not support this device"), false},
	{"CompatNotSupportedOnDevice", message.New(message.EngineDriver, "the NVIDIA driver's library does not support this device"), false},
	{"SystemNotReady", message.New(message.EngineDriver, "the NVIDIA driver is not ready"), false},
	{"UnknownErrorCode:34", message.New(message.EngineAbsent, "only a stub of libcuda is installed; install the NVIDIA driver"), true},
	{"UnknownErrorCode:46", message.New(message.EngineLost, "the device is in exclusive use by another program"), false},
	{"OperatingSystem", message.New(message.EngineDriver, "the NVIDIA driver's kernel module does not answer"), false},
}

// exitReason returns why a worker exited, given the error of Cmd.Wait and the
// end of its output.
func exitReason(exit error, output string) error {
	if rest, ok := lineWith(output, "Error in initialization"); ok {
		for _, r := range initReasons {
			if strings.Contains(rest, r.mark) {
				if r.absent {
					return &absentError{r.Message}
				}
				return message.Error(r.Message)
			}
		}
		return message.Errorf(message.EngineDriver, "the NVIDIA driver does not start (%s)", rest[strings.LastIndex(rest, " ")+1:])
	}
	if line, ok := lineWith(output, "error while loading shared libraries"); ok {
		if strings.Contains(line, "libcuda") {
			return &absentError{message.New(message.EngineAbsent, "no NVIDIA driver is installed (libcuda is missing)")}
		}
		return message.Errorf(message.EngineDriver, "the GPU worker does not start: %s", line)
	}
	// A missing nvcuda.dll ends a Windows process with STATUS_DLL_NOT_FOUND.
	const dllNotFound = 0xC0000135
	var e *exec.ExitError
	switch {
	case exit == nil:
		return &lostError{message.New(message.EngineLost, "the GPU worker ended"), output}
	case errors.As(exit, &e) && uint32(e.ExitCode()) == dllNotFound:
		return &absentError{message.New(message.EngineAbsent, "no NVIDIA driver is installed (nvcuda.dll is missing)")}
	case errors.As(exit, &e) && e.ExitCode() == wire.ExitSticky:
		return &lostError{message.New(message.EngineLost, "the GPU failed and its worker had to end"), output}
	}
	return &lostError{message.New(message.EngineLost, "the GPU worker died (%v)", exit), output}
}

// lineWith returns the first line of text that contains mark.
func lineWith(text, mark string) (string, bool) {
	for line := range strings.Lines(text) {
		if strings.Contains(line, mark) {
			return strings.TrimSpace(line), true
		}
	}
	return "", false
}
