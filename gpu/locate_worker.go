package gpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"quell/internal/message"
)

// WorkerVariable is the environment variable that holds the worker's path.
const WorkerVariable = "QUELL_GPU_WORKER"

// LocateWorker returns the path of the worker: the one in QUELL_GPU_WORKER, else
// quell-gpu next to this program, else quell-gpu on the PATH. The error lists these
// places.
func LocateWorker() (string, error) {
	name := "quell-gpu"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if path := os.Getenv(WorkerVariable); path != "" {
		if found, err := exec.LookPath(path); err == nil {
			return found, nil
		}
		return "", message.Errorf(message.EngineAbsent, "%s is set to %s, which is not a program", WorkerVariable, path)
	}
	if self, err := os.Executable(); err == nil {
		// The worker lies next to the program, not next to a link to it.
		if target, err := filepath.EvalSymlinks(self); err == nil {
			self = target
		}
		if found, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return found, nil
		}
	}
	if found, err := exec.LookPath(name); err == nil {
		return found, nil
	}
	why := message.New(message.EngineAbsent, "the GPU worker %s is neither beside this program nor on the PATH; it belongs beside the program, or name its path in %s", name, WorkerVariable)
	if hasDriver() {
		return "", message.Errorf(message.EngineAbsent, "this machine has an NVIDIA driver, but %s", why) // a GPU is not used that could be
	}
	return "", &absentError{why}
}

// driverPlaces are files that only a loaded driver of NVIDIA has, or WSL and Windows with one.
var driverPlaces = []string{"/proc/driver/nvidia/gpus", "/usr/lib/wsl/lib/libcuda.so.1", filepath.Join(os.Getenv("SystemRoot"), "System32", "nvcuda.dll")}

// hasDriver reports whether this machine has a GPU that a worker would find, as far as files say.
func hasDriver() bool {
	return slices.ContainsFunc(driverPlaces, func(path string) bool { _, err := os.Stat(path); return err == nil })
}
