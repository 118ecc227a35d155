package engines

import (
	"runtime"
	"testing"

	"quell/app/job"
)

func TestEnginePolicy(t *testing.T) {
	all, err := PickBy(job.EnginePolicy{Name: "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	if n := all.Info().Cores; n != runtime.GOMAXPROCS(0) {
		t.Errorf("%d cores without a limit; want %d", n, runtime.GOMAXPROCS(0))
	}
	one, err := PickBy(job.EnginePolicy{Name: "cpu", Threads: 1})
	if err != nil || one.Info().Cores != 1 {
		t.Errorf("%d cores, %v; want 1", one.Info().Cores, err)
	}
	if other, ok := Fallback((job.EnginePolicy{Threads: 1})); !ok || other.Info().Cores != 1 {
		t.Errorf("the fallback does not keep the limit of threads")
	}
}
