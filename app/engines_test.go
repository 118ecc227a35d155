package app

import (
	"errors"
	"testing"
	"time"

	"quell/denoise"
)

// workingGPU stands for a GPU engine that started.
type workingGPU struct{ denoise.Engine }

func (workingGPU) Enable() {}

func TestFailedGPUStartIsRepeatedLater(t *testing.T) {
	now := time.Unix(1000, 0)
	var started []string
	fail := errors.New("no driver")
	s := gpuStarter{
		now: func() time.Time { return now },
		start: func(worker string) (gpuEngine, error) {
			started = append(started, worker)
			if fail != nil {
				return nil, fail
			}
			return workingGPU{}, nil
		},
	}
	expect := func(what string, starts int, ok bool) {
		t.Helper()
		e, err := s.get()
		if len(started) != starts || (e != nil) != ok || (err == nil) != ok {
			t.Errorf("%s: %d starts, engine %v, error %v; want %d starts, usable: %v", what, len(started), e, err, starts, ok)
		}
	}
	if e, err := s.last(); e != nil || err != nil {
		t.Errorf("before the first start: %v, %v", e, err)
	}
	expect("the first call", 1, false)
	now = now.Add(retryGPU - 1)
	expect("just before the time is over", 1, false)
	now = now.Add(1)
	if _, err := s.last(); err == nil || len(started) != 1 {
		t.Errorf("the last result is %v after %d starts; want the error of the first", err, len(started))
	}
	expect("when it is over", 2, false)
	expect("at once again", 2, false)
	s.use("/other/worker")
	expect("with another worker", 3, false)
	s.use("/other/worker")
	expect("with the same worker", 3, false)
	fail = nil
	now = now.Add(retryGPU)
	expect("once there is a driver", 4, true)
	now = now.Add(10 * retryGPU)
	expect("with an engine that runs", 4, true)
	if started[2] != "/other/worker" {
		t.Errorf("started %q", started)
	}
}

func TestEngines(t *testing.T) {
	usable := map[string]bool{}
	for _, e := range Engines() {
		usable[e.Name] = e.Why == ""
		if e.Why == "" && e.Info.Name != e.Name {
			t.Errorf("%s is %+v", e.Name, e.Info)
		}
	}
	if !usable["cpu"] {
		t.Fatal("the cpu engine is missing")
	}
	for _, name := range []string{"", "auto", "cpu"} {
		if e, err := PickEngine(name); err != nil || e == nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := PickEngine("warp"); ExitCode(err) != ExitUsage {
		t.Errorf("an unknown engine: %v", err)
	}
	if !usable["cuda"] {
		if _, err := PickEngine("cuda"); !errors.Is(err, denoise.ErrUnsupported) || ExitCode(err) != ExitFailed {
			t.Errorf("a missing engine: %v", err)
		}
	}
}
