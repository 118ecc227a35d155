package gpu

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

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
	return "", &absentError{message.New(message.EngineAbsent, "the GPU worker %s is neither beside this program nor on the PATH; it belongs beside the program, or name its path in %s", name, WorkerVariable)}
}
