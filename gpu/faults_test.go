//go:build unix

package gpu

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"quell/denoise"
)

// trap arms a fault of the fake driver: kind at the n-th filter kernel of a
// worker, once or at every worker.
func trap(t *testing.T, kind string, n int, always bool) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "armed")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if always {
		kind += ":" + strconv.Itoa(n) + "/:" + file
	} else {
		kind += ":" + strconv.Itoa(n) + ":" + file
	}
	return "QUELL_FAKE_CUDA_TRAP=" + kind
}

// A fault in the middle of a run costs a worker and no voxel.
func TestOneFaultHeals(t *testing.T) {
	in := ramp([3]int{40, 30, 12})
	r := smallNLM(t)
	want := expected(t, r, in)
	before := in.Clone()
	for _, kind := range []string{"crash", "die", "hang"} {
		t.Run(kind, func(t *testing.T) {
			o := fakeOptions(t, trap(t, kind, 1, false))
			if kind == "hang" {
				o.Stall = 3 * time.Second
			}
			e := fakeEngine(t, o)
			var last int64
			got, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, in.Bounds(), func(done, total int64) {
				if done < last {
					t.Errorf("progress fell from %d to %d", last, done)
				}
				last = done
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Data, want.Data) {
				t.Error("the result is another than without the fault")
			}
			if last != int64(in.Voxels()) {
				t.Errorf("progress ended at %d of %d", last, in.Voxels())
			}
			if s := e.Status(); s.Starts != 2 || s.Off || s.PID == 0 {
				t.Errorf("status %+v; want the second worker at work", s)
			}
			if !slices.Equal(in.Data, before.Data) {
				t.Error("the input changed")
			}
		})
	}
}

// A fault that comes again fails the run with a sentence, and at the third
// loss the engine switches itself off until it is told to try again.
func TestLastingFaultSwitchesOff(t *testing.T) {
	in := ramp([3]int{16, 16, 4})
	r := smallNLM(t)
	setting := trap(t, "crash", 1, true)
	e := fakeEngine(t, fakeOptions(t, setting))
	run := func() error {
		_, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, in.Bounds(), nil)
		return err
	}
	err := run()
	if !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), "the GPU failed twice at this run: the GPU failed: an illegal memory access was encountered") {
		t.Fatalf("%v; want an ErrDevice that tells the fault", err)
	}
	err = run()
	if !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), "switched off after 3 failures within 5 minutes") {
		t.Fatalf("%v; want the engine off", err)
	}
	if s := e.Status(); !s.Off || s.Starts != 3 || s.Reason == "" {
		t.Errorf("status %+v; want it off after three workers, with the reason", s)
	}
	_, file, _ := strings.Cut(setting, "/:")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := run(); !errors.Is(err, ErrDevice) {
		t.Fatalf("%v; want it to stay off", err)
	}
	e.Enable()
	if err := run(); err != nil {
		t.Errorf("enabled again: %v", err)
	}
}

// The worker is killed from outside while it works.
func TestKilledWhileItWorks(t *testing.T) {
	in := ramp([3]int{40, 30, 64})
	r := smallNLM(t)
	want := expected(t, r, in)
	e := fakeEngine(t, fakeOptions(t, "QUELL_FAKE_CUDA=slow=40"))
	var once sync.Once
	got, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, in.Bounds(), func(done, total int64) {
		if done < total {
			once.Do(func() { _ = syscall.Kill(e.Status().PID, syscall.SIGKILL) })
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := e.Status(); s.Starts != 2 {
		t.Fatalf("%d workers; want the second", s.Starts)
	}
	if !slices.Equal(got.Data, want.Data) {
		t.Error("the result is another than without the kill")
	}
}

// A stopped process answers nothing, like one stuck in the driver.
func TestSilenceIsEnded(t *testing.T) {
	in := ramp([3]int{16, 16, 4})
	r := smallNLM(t)
	o := fakeOptions(t)
	o.Stall = 3 * time.Second
	e := fakeEngine(t, o)
	if err := syscall.Kill(e.Status().PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	mustRun(t, e, r, in)
	if d := time.Since(start); d > 10*o.Stall {
		t.Errorf("took %v", d)
	}
	if s := e.Status(); s.Starts != 2 {
		t.Errorf("%d workers; want the second", s.Starts)
	}
}

// Where the worker is told to end, or the workbench is gone, it ends even
// while a kernel hangs.
func TestHungWorkerEndsWithItsInput(t *testing.T) {
	in := ramp([3]int{16, 16, 4})
	e := fakeEngine(t, fakeOptions(t, trap(t, "hang", 1, true)))
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if _, err := e.Run(ctx, smallNLM(t), denoise.Input{Volume: in}, in.Bounds(), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("%v; want the deadline", err)
	}
	p := e.devices[0].session.process
	p.stdin.Close()
	select {
	case <-p.gone:
	case <-time.After(20 * time.Second):
		t.Error("the worker is still there after its input ended")
	}
}

func TestCancelIsQuick(t *testing.T) {
	in := ramp([3]int{64, 64, 16})
	e := fakeEngine(t, fakeOptions(t, "QUELL_FAKE_CUDA=slow=400"))
	// The quickest of some runs: what a busy machine adds to one of them is not the engine's.
	quickest := time.Hour
	for range 5 {
		ctx, cancel := context.WithCancel(context.Background())
		at := make(chan time.Time, 1)
		time.AfterFunc(100*time.Millisecond, func() {
			at <- time.Now()
			cancel()
		})
		out, err := e.Run(ctx, smallNLM(t), denoise.Input{Volume: in}, in.Bounds(), nil)
		quickest = min(quickest, time.Since(<-at))
		if out != nil || !errors.Is(err, context.Canceled) {
			t.Fatalf("%v; want the cancel", err)
		}
	}
	if quickest > 100*time.Millisecond {
		t.Errorf("the cancel took %v; want at most 100 ms", quickest)
	}
	// The next run waits for what is under way, and is right.
	small := ramp([3]int{9, 8, 3})
	if got := mustRun(t, e, smallNLM(t), small); !slices.Equal(got.Data, expected(t, smallNLM(t), small).Data) {
		t.Error("the run after a cancel differs")
	}
}

// Too little memory means more slabs and the same bits.
func TestShortMemoryMeansMoreSlabs(t *testing.T) {
	in := ramp([3]int{128, 128, 40}) // 2.5 MB and as much for the result
	in.Mask = slices.Repeat([]bool{true, true, true, false}, in.Voxels()/4)
	r := recipe(t, "gaussian", 3, nil)
	want := expected(t, r, in)
	for name, c := range map[string]struct {
		setting string
		memory  int64
	}{
		"a small device":      {"memory=473000000", 0}, // 3 MB beside what is reserved
		"a limit":             {"memory=2000000000", 2 << 20},
		"taken by another":    {"memory=2000000000,taken=1527000000", 0},
		"no page-locked host": {"unpinned", 2 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			o := fakeOptions(t, "QUELL_FAKE_CUDA="+c.setting)
			o.Memory = c.memory
			e := fakeEngine(t, o)
			got := mustRun(t, e, r, in)
			if !slices.Equal(got.Data, want.Data) {
				t.Error("the result is another than in one slab")
			}
			if s := e.Status(); s.Starts != 1 {
				t.Errorf("%d workers: short memory must not cost one", s.Starts)
			}
			if c.memory > 0 {
				if p, err := e.Plan(r, in.Geometry); err != nil || p.Slabs < 2 || p.Memory > c.memory {
					t.Errorf("plan %+v, %v; want several slabs within %d bytes", p, err, c.memory)
				}
			}
		})
	}
	t.Run("none", func(t *testing.T) {
		o := fakeOptions(t)
		o.Memory = 100 << 10
		e := fakeEngine(t, o)
		_, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, in.Bounds(), nil)
		if !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), "needs 1 MB of GPU memory and 0 MB are free") {
			t.Errorf("%v; want an ErrDevice with the figures", err)
		}
		if _, err := e.Plan(r, in.Geometry); err == nil {
			t.Error("Plan gave no error")
		}
	})
}

func TestIdleWorkerIsLetGo(t *testing.T) {
	o := fakeOptions(t)
	o.Idle = 50 * time.Millisecond
	e := fakeEngine(t, o)
	in := ramp([3]int{8, 8, 3})
	for range 2 {
		mustRun(t, e, smallNLM(t), in)
		for start := time.Now(); e.Status().PID != 0; time.Sleep(10 * time.Millisecond) {
			if time.Since(start) > time.Minute {
				t.Fatal("the worker is still there")
			}
		}
	}
	if s := e.Status(); s.Off || s.Reason != "" {
		t.Errorf("status %+v after resting", s)
	}
}

// tail keeps the end.
func TestTail(t *testing.T) {
	var k tail
	for range 1000 {
		_, _ = k.Write(bytes.Repeat([]byte("x"), 100))
	}
	_, _ = k.Write([]byte("end\n"))
	if s := k.String(); len(s) > tailBytes || !strings.HasSuffix(s, "xend") {
		t.Errorf("%d bytes ending in %q", len(s), s[len(s)-4:])
	}
}

// Runs that are cancelled before a worker is up do not keep it from starting.
func TestStartOutlivesItsRun(t *testing.T) {
	in := ramp([3]int{8, 8, 3})
	e := fakeEngine(t, fakeOptions(t))
	e.devices[0].rest()
	// A busy machine may not come to the start before a short limit is over.
	for limit := time.Millisecond; ; limit *= 2 {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		_, err := e.Run(ctx, smallNLM(t), denoise.Input{Volume: in}, in.Bounds(), nil)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Skip("the worker started before the run was given up")
		}
		if len(e.devices[0].starting) == 0 || e.Status().PID != 0 {
			break // somebody is starting it, or it is up
		}
	}
	for start := time.Now(); e.Status().PID == 0; time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > time.Minute {
			t.Fatal("no worker came up")
		}
	}
}
