package app

import (
	"strings"
	"sync"

	"quell/denoise"
	"quell/denoise/cpu"
)

// EngineStatus is an engine that this build knows, usable or not.
type EngineStatus struct {
	Name string       // "cpu" or "cuda"
	Info denoise.Info // what it runs on; zero where it is not usable
	Why  string       // one sentence why it cannot be used; empty where it can
}

// cpuEngine is shared: engines are safe for concurrent use.
var cpuEngine = sync.OnceValue(func() denoise.Engine { return cpu.New() })

// Engines lists every engine, the preferred first, and why one is missing.
func Engines() []EngineStatus {
	return []EngineStatus{
		{Name: "cuda", Why: "this build has no CUDA worker"},
		{Name: "cpu", Info: cpuEngine().Info()},
	}
}

// PickEngine returns the engine of that name; "auto" and "" mean the first of
// Engines that can be used. An unknown name is a UsageError.
func PickEngine(name string) (denoise.Engine, error) {
	auto := name == "" || name == "auto"
	names := []string{"auto"}
	for _, e := range Engines() {
		names = append(names, e.Name)
		switch {
		case auto && e.Why == "", e.Name == name && e.Why == "":
			return cpuEngine(), nil
		case e.Name == name:
			return nil, &engineError{name: name, why: e.Why}
		}
	}
	return nil, Usagef("no engine is called %q; there are %s", name, strings.Join(names, ", "))
}

// engineError is a known engine that cannot be used here.
type engineError struct{ name, why string }

func (e *engineError) Error() string {
	return "the engine " + e.name + " cannot be used: " + e.why + "; try --engine cpu"
}

// Unwrap lets callers ask for denoise.ErrUnsupported.
func (e *engineError) Unwrap() error { return denoise.ErrUnsupported }
