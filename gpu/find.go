package gpu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// WorkerVariable is the environment variable that names the worker's path.
const WorkerVariable = "QUELL_GPU_WORKER"

// Find returns the path of the worker: what QUELL_GPU_WORKER names, else
// quell-gpu beside this program, else on the PATH. The error says where it was
// looked for.
func Find() (string, error) {
	name := "quell-gpu"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if path := os.Getenv(WorkerVariable); path != "" {
		if found, err := exec.LookPath(path); err == nil {
			return found, nil
		}
		return "", fmt.Errorf("%s names %s, which is no program", WorkerVariable, path)
	}
	if self, err := os.Executable(); err == nil {
		// A link to the program may lie elsewhere than the worker.
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if found, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return found, nil
		}
	}
	if found, err := exec.LookPath(name); err == nil {
		return found, nil
	}
	return "", fmt.Errorf("the GPU worker %s is neither beside this program nor on the PATH; build it with make build or name it in %s", name, WorkerVariable)
}
