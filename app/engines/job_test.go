package engines

import (
	"testing"

	"quell/app/apptest"
	"quell/app/job"
)

func TestEnginePolicies(t *testing.T) {
	for name, falls := range map[string]bool{"": true, "auto": true, "cpu": false, "cuda": false} {
		if eng, ok := Fallback((job.EnginePolicy{Name: name})); ok != falls || (eng != nil) != falls {
			t.Errorf("%q falls back: %v", name, ok)
		}
	}
	gpu := apptest.EngineFunc(nil)
	if limited((job.EnginePolicy{}), CPU()) != CPU() || limited((job.EnginePolicy{Threads: 1}), CPU()) == CPU() {
		t.Error("a limit of threads is an engine of its own")
	}
	if _, same := limited((job.EnginePolicy{Threads: 1}), gpu).(apptest.EngineFunc); !same {
		t.Error("threads are for the CPU engine")
	}
}
