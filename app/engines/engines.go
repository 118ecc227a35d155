// Package engines finds the engines of this machine, picks one by a policy, says what falls back to
// the CPU, and keeps the launch shapes of its GPUs.
package engines

import (
	"sync"
	"time"

	"quell/app/job"
	"quell/denoise"
	"quell/denoise/cpu"
	_ "quell/denoise/filter"
	"quell/gpu"
	"quell/internal/message"
)

// Status is an engine that this program knows, usable or not.
type Status struct {
	Name string          // "cpu" or "cuda"
	Info denoise.Info    // what it runs on; zero if it is not usable
	Why  message.Message // one sentence why it cannot be used; empty if it can
	Lost bool            // it cannot be used though the machine has what it runs on
}

// CPU is shared: engines are safe for concurrent use.
var CPU = sync.OnceValue(func() denoise.Engine { return cpu.New() })

// cudaEngine is the engine of the GPU worker, which ends with the program.
var cudaEngine = gpuStarter{
	now: time.Now,
	start: func(worker string) (gpuEngine, error) {
		path, _ := ShapesPath() // without a cache folder there are no shapes
		e, err := startGPU(gpu.Options{Worker: worker}, path)
		if err != nil {
			return nil, err
		}
		return e, nil
	},
}

// gpuEngine is a *gpu.Engine.
type gpuEngine interface {
	denoise.Engine
	Enable() // tries a GPU again that was switched off after repeated failures
}

// retryGPU is how long a failed start of the GPU worker is remembered, or slowStarts times as
// long as it took, if that is longer, as if the driver hangs. A driver that is loaded or a
// GPU that is freed later is found after that, and a program that asks often does not spend
// its time on starting workers.
const (
	retryGPU   = 30 * time.Second
	slowStarts = 10
)

// gpuStarter starts the GPU worker when it is first needed, which takes a second if
// there is a GPU and milliseconds if there is none. A failed start is repeated by
// the first call after retryGPU, or once the worker's path has changed. It is safe
// for concurrent use.
type gpuStarter struct {
	start func(worker string) (gpuEngine, error)
	now   func() time.Time

	starting sync.Mutex // held during a start; other callers of get wait for its result

	mu     sync.Mutex // guards what follows
	worker string     // path of the worker; "" searches for it
	engine gpuEngine
	err    error     // of the last start
	failed time.Time // when that was; zero if no start has failed with this worker
	took   time.Duration
}

// use names the worker's executable.
func (s *gpuStarter) use(worker string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if worker != s.worker {
		s.worker, s.failed = worker, time.Time{}
	}
}

// last returns the engine, or the error of the last start; both are nil before
// the first start.
func (s *gpuStarter) last() (gpuEngine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.engine, s.err
}

// due returns the worker to start, and whether that is due.
func (s *gpuStarter) due() (worker string, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.worker, s.engine == nil && (s.failed.IsZero() || s.now().Sub(s.failed) >= max(retryGPU, slowStarts*s.took))
}

// get returns the engine and starts the worker if that is due.
func (s *gpuStarter) get() (gpuEngine, error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	worker, due := s.due()
	if !due {
		return s.last()
	}
	began := s.now()
	e, err := s.start(worker)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.engine, s.err = e, err
	if err != nil && worker == s.worker {
		s.failed = s.now()
		s.took = s.failed.Sub(began)
	}
	return e, err
}

// UseGPUWorker names the GPU worker's executable, which is otherwise searched for
// next to the program and on the PATH. It has no effect on a worker that runs.
func UseGPUWorker(path string) { cudaEngine.use(path) }

// All lists every engine, the preferred first, and why one is missing. A
// call that starts the GPU worker waits for its answer; the workbench calls it on
// another goroutine. Safe for concurrent use.
func All() []Status {
	e, err := cudaEngine.get()
	return engineList(e, err)
}

// SoFar is Engines without starting or waiting: it lists the result of the
// last start, and a GPU that has not answered yet as such.
func SoFar() []Status {
	e, err := cudaEngine.last()
	return engineList(e, err)
}

func engineList(e gpuEngine, err error) []Status {
	cuda := Status{Name: "cuda"}
	switch {
	case err != nil:
		cuda.Why, cuda.Lost = message.Of(gpu.Reason(err)), !gpu.Absent(err)
	case e == nil:
		cuda.Why = message.New(message.EngineAbsent, "the GPU has not answered yet")
	default:
		cuda.Info = e.Info()
	}
	return []Status{cuda, {Name: "cpu", Info: CPU().Info()}}
}

// Pick returns the engine of that name; "auto" and "" mean the first of
// Engines that can be used. Picking a GPU that was switched off after repeated
// failures tries it again. An unknown name is a job.UsageError.
func Pick(name string) (denoise.Engine, error) {
	switch name {
	case "cpu":
		return CPU(), nil
	case "", "auto", "cuda":
		e, err := cudaEngine.get()
		switch {
		case err == nil:
			e.Enable()
			return e, nil
		case name == "cuda":
			return nil, &engineError{name: name, why: err}
		}
		return CPU(), nil
	}
	return nil, job.CheckEngine(name)
}

// ErrFailed is wrapped by errors of an engine's device or process, as
// opposed to those of the recipe or the series: another engine can do the same
// run.
var ErrFailed = gpu.ErrDevice

// engineError is a known engine that cannot be used here.
type engineError struct {
	name string
	why  error
}

// AsMessage says why, and what to do.
func (e *engineError) AsMessage() message.Message {
	return message.Text("the engine %s cannot be used: %s; try --engine cpu", e.name, gpu.Reason(e.why)).Or(message.EngineAbsent)
}

func (e *engineError) Error() string { return e.AsMessage().String() }

// Unwrap lets callers test for denoise.ErrUnsupported.
func (e *engineError) Unwrap() []error { return []error{denoise.ErrUnsupported, e.why} }

// PickBy returns the engine that the policy asks for.
func PickBy(p job.EnginePolicy) (denoise.Engine, error) {
	eng, err := Pick(p.Name)
	if err != nil {
		return nil, err
	}
	return limited(p, eng), nil
}

// Fallback returns the engine to continue with after a failure of the device
// of the first; false if the policy allows none.
func Fallback(p job.EnginePolicy) (denoise.Engine, bool) {
	if p.Name != "" && p.Name != "auto" {
		return nil, false
	}
	return limited(p, CPU()), true
}

// limited applies the limit of threads to the CPU engine.
func limited(p job.EnginePolicy, eng denoise.Engine) denoise.Engine {
	if p.Threads > 0 && eng == CPU() {
		return cpu.New(cpu.Threads(p.Threads))
	}
	return eng
}

// slowStart is how long a start of the GPU may take before it is told: usual ones take a second.
const slowStart = 3 * time.Second

// Await returns what wait returns, which starts an engine. If that takes longer than usual it says so, once, on the
// goroutine of the caller.
func Await[E any](wait func() (E, error), say func(message.Message)) (E, error) {
	type started struct {
		engine E
		err    error
	}
	done := make(chan started, 1)
	go func() {
		e, err := wait()
		done <- started{e, err}
	}()
	late := time.NewTimer(slowStart)
	defer late.Stop()
	select {
	case s := <-done:
		return s.engine, s.err
	case <-late.C:
		say(message.New(message.EngineDriver, "the GPU has not answered for %v; it is given up after %v", slowStart, gpu.StartLimit))
		s := <-done
		return s.engine, s.err
	}
}
