package engines

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"quell/app/apptest"
	"quell/denoise"
	"quell/gpu"
	"quell/internal/message"
)

// workingGPU stands for a GPU engine that started.
type workingGPU struct{ denoise.Engine }

func (workingGPU) Enable() {}

func TestFailedGPUStartIsRepeatedLater(t *testing.T) {
	now := time.Unix(1000, 0)
	var started []string
	fail, slow := errors.New("no driver"), 3*time.Second // beyond which it is repeated later
	s := gpuStarter{
		now: func() time.Time { return now },
		start: func(worker string) (gpuEngine, error) {
			started = append(started, worker)
			now = now.Add(slow)
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
	now, slow = now.Add(retryGPU), time.Minute
	expect("with a driver that hangs", 4, false)
	now = now.Add(10*time.Minute - 1)
	expect("before ten times as long", 4, false)
	fail = nil
	now = now.Add(1)
	expect("once there is a driver", 5, true)
	now = now.Add(20 * retryGPU)
	expect("with an engine that runs", 5, true)
	if started[2] != "/other/worker" {
		t.Errorf("started %q", started)
	}
}

func TestEngineList(t *testing.T) {
	ready := &switchedGPU{Engine: apptest.NewFakeEngine()}
	absent := absentGPU(t)
	for what, c := range map[string]struct {
		e    gpuEngine
		err  error
		want Status
	}{
		"before the first start": {nil, nil, Status{Name: "cuda", Why: message.New(message.EngineAbsent, "the GPU has not answered yet")}},
		"after a failure":        {nil, errors.New("no driver"), Status{Name: "cuda", Why: message.Of(errors.New("no driver")), Lost: true}},
		"without a GPU":          {nil, absent, Status{Name: "cuda", Why: message.Of(gpu.Reason(absent))}},
		"ready":                  {ready, nil, Status{Name: "cuda", Info: ready.Info()}},
	} {
		list := engineList(c.e, c.err)
		if len(list) != 2 || !reflect.DeepEqual(list[0], c.want) || list[1].Name != "cpu" || list[1].Why.String() != "" || list[1].Info.Cores == 0 {
			t.Errorf("%s: %+v", what, list)
		}
	}
}

// switchedGPU counts how often it was enabled.
type switchedGPU struct {
	denoise.Engine
	enabled int
}

func (g *switchedGPU) Enable() { g.enabled++ }

// stateOfGPU returns a function that sets the result of the last start of the GPU, for this test.
func stateOfGPU(t *testing.T) func(e gpuEngine, err error) {
	cudaEngine.mu.Lock()
	e, err, failed, worker := cudaEngine.engine, cudaEngine.err, cudaEngine.failed, cudaEngine.worker
	cudaEngine.mu.Unlock()
	t.Cleanup(func() {
		cudaEngine.mu.Lock()
		defer cudaEngine.mu.Unlock()
		cudaEngine.engine, cudaEngine.err, cudaEngine.failed, cudaEngine.worker = e, err, failed, worker
	})
	return func(e gpuEngine, err error) {
		cudaEngine.mu.Lock()
		defer cudaEngine.mu.Unlock()
		cudaEngine.engine, cudaEngine.err, cudaEngine.failed = e, err, cudaEngine.now()
	}
}

// TestPickedGPU: a GPU that started is picked unless the CPU is asked for, and is tried
// again; one that failed is named with the reason.
func TestPickedGPU(t *testing.T) {
	set := stateOfGPU(t)
	fast := &switchedGPU{Engine: apptest.NewFakeEngine()}
	set(fast, nil)
	for i, name := range []string{"", "auto", "cuda"} {
		if got, err := Pick(name); err != nil || got != denoise.Engine(fast) || fast.enabled != i+1 {
			t.Errorf("%q: %v, %v, enabled %d times", name, got, err, fast.enabled)
		}
	}
	if got, err := Pick("cpu"); err != nil || got != CPU() || fast.enabled != 3 {
		t.Errorf("cpu: %v, %v", got, err)
	}
	if list := SoFar(); list[0].Why.String() != "" || list[0].Info != fast.Info() {
		t.Errorf("%+v", list)
	}
	set(nil, errors.New("no driver"))
	for _, name := range []string{"", "auto"} {
		if got, err := Pick(name); err != nil || got != CPU() {
			t.Errorf("%q without a GPU: %v, %v", name, got, err)
		}
	}
	_, err2 := Pick("cuda")
	if err2 == nil || err2.Error() != "the engine cuda cannot be used: no driver; try --engine cpu" || !errors.Is(err2, denoise.ErrUnsupported) {
		t.Errorf("%v", err2)
	}
	UseGPUWorker("/some/worker")
	if w, due := cudaEngine.due(); w != "/some/worker" || !due {
		t.Errorf("worker %q, to be started: %v", w, due)
	}
}

// absentGPU is the error of a machine without a worker.
func absentGPU(t *testing.T) error {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(gpu.WorkerVariable, "")
	_, err := gpu.New(t.Context(), gpu.Options{})
	if !gpu.Absent(err) {
		t.Fatalf("%v is not of an absent GPU", err)
	}
	return err
}
