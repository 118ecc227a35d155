package app

import (
	"context"
	"strings"
	"sync"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/gpu"
)

// EngineStatus is an engine that this program knows, usable or not.
type EngineStatus struct {
	Name string       // "cpu" or "cuda"
	Info denoise.Info // what it runs on; zero where it is not usable
	Why  string       // one sentence why it cannot be used; empty where it can
}

// cpuEngine is shared: engines are safe for concurrent use.
var cpuEngine = sync.OnceValue(func() denoise.Engine { return cpu.New() })

// cudaEngine starts the GPU worker, once: it takes a second where there is a
// GPU and milliseconds where there is none. The worker ends with the program.
var cudaEngine = sync.OnceValues(func() (*gpu.Engine, error) {
	cudaStart.Lock()
	worker := cudaStart.worker
	cudaStart.Unlock()
	e, err := gpu.New(context.Background(), gpu.Options{Worker: worker})
	cudaStart.Lock()
	defer cudaStart.Unlock()
	cudaStart.known = true
	return e, err
})

var cudaStart struct {
	sync.Mutex
	worker string // path of the worker; "" finds it
	known  bool   // cudaEngine has returned
}

// UseGPUWorker names the GPU worker's executable, which is otherwise looked for
// beside the program and on the PATH. It has an effect before the first call of
// Engines or PickEngine.
func UseGPUWorker(path string) {
	cudaStart.Lock()
	defer cudaStart.Unlock()
	cudaStart.worker = path
}

// Engines lists every engine, the preferred first, and why one is missing. The
// first call waits for the GPU's answer; a window asks on another goroutine.
// Safe for concurrent use.
func Engines() []EngineStatus {
	cuda := EngineStatus{Name: "cuda"}
	if e, err := cudaEngine(); err != nil {
		cuda.Why = gpu.Reason(err)
	} else {
		cuda.Info = e.Info()
	}
	return []EngineStatus{cuda, {Name: "cpu", Info: cpuEngine().Info()}}
}

// EnginesSoFar is Engines for those who cannot wait: a GPU that has not answered
// yet says so.
func EnginesSoFar() []EngineStatus {
	cudaStart.Lock()
	known := cudaStart.known
	cudaStart.Unlock()
	if known {
		return Engines()
	}
	return []EngineStatus{{Name: "cuda", Why: "the GPU has not answered yet"}, {Name: "cpu", Info: cpuEngine().Info()}}
}

// PickEngine returns the engine of that name; "auto" and "" mean the first of
// Engines that can be used. To pick a GPU that was switched off after repeated
// failures is to try it again. An unknown name is a UsageError.
func PickEngine(name string) (denoise.Engine, error) {
	switch name {
	case "cpu":
		return cpuEngine(), nil
	case "", "auto", "cuda":
		e, err := cudaEngine()
		switch {
		case err == nil:
			e.Enable()
			return e, nil
		case name == "cuda":
			return nil, &engineError{name: name, why: err}
		}
		return cpuEngine(), nil
	}
	return nil, Usagef("no engine is called %q; there are %s", name, strings.Join([]string{"auto", "cuda", "cpu"}, ", "))
}

// ErrEngineFailed is wrapped by errors that lie with an engine's device or
// process and not with the recipe or the series: another engine can do the same
// run, and should be offered.
var ErrEngineFailed = gpu.ErrDevice

// engineError is a known engine that cannot be used here.
type engineError struct {
	name string
	why  error
}

func (e *engineError) Error() string {
	return "the engine " + e.name + " cannot be used: " + gpu.Reason(e.why) + "; try --engine cpu"
}

// Unwrap lets callers ask for denoise.ErrUnsupported.
func (e *engineError) Unwrap() []error { return []error{denoise.ErrUnsupported, e.why} }
