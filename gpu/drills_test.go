//go:build unix

package gpu

import (
	"context"
	"slices"
	"syscall"
	"testing"
	"time"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/gpu/wire"
	"quell/volume"
)

// A run that loses its worker in the middle ends as if nothing had been, and
// so does one that is starved of memory.
func TestDrillsOnTheGPU(t *testing.T) {
	in := noisy([3]int{512, 512, 256})
	r := recipe(t, "nlm", 3, map[string]denoise.Value{
		"h": denoise.Number(20), "search-radius": denoise.Number(5), "patch-radius": denoise.Number(1),
	})
	e := realEngine(t, Options{Stall: 2 * time.Second})
	want := mustRun(t, e, r, in)

	// The CPU engine agrees on a slice of it, whatever the slabs were.
	region := volume.Slices(in.Geometry, 100, 101)
	slice, err := cpu.New().Run(context.Background(), r, denoise.Input{Volume: in}, region, nil)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi, _ := in.Range(t.Context())
	if _, err := enginetest.Agree(want.Crop(region), slice, float64(hi-lo)); err != nil {
		t.Error(err)
	}

	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "hung": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			e := realEngine(t, Options{Stall: 2 * time.Second})
			mustRun(t, e, r, in)
			struck := false
			start := time.Now()
			got, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, in.Bounds(), func(done, total int64) {
				if !struck && done > total/3 {
					struck = true
					_ = syscall.Kill(e.Status().PID, signal)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d workers, %v in all", e.Status().Starts, time.Since(start))
			if !slices.Equal(got.Data, want.Data) || e.Status().Starts != 2 {
				t.Errorf("result as before: %v; %d workers, want 2", slices.Equal(got.Data, want.Data), e.Status().Starts)
			}
		})
	}
	t.Run("starved", func(t *testing.T) {
		e := realEngine(t, Options{})
		hog := realEngine(t, Options{})
		s, err := hog.devices[0].acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer hog.devices[0].release(s)
		// The other program leaves 160 MB: less than the volume needs.
		hold := wire.Request{Op: wire.Alloc, Buffer: 1 << 30, Bytes: s.hello.Free - reserved - 160<<20}
		if _, err := s.call(hold); err != nil {
			t.Fatal(err)
		}
		got := mustRun(t, e, r, in)
		p, err := e.Plan(r, in.Geometry)
		t.Logf("%d workers; the plan with all memory was %+v, %v", e.Status().Starts, p, err)
		if !slices.Equal(got.Data, want.Data) || e.Status().Starts != 1 {
			t.Errorf("result as before: %v; %d workers, want 1", slices.Equal(got.Data, want.Data), e.Status().Starts)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		var at time.Time
		time.AfterFunc(20*time.Millisecond, func() { at = time.Now(); cancel() })
		long := r.With("search-radius", denoise.Number(15))
		if _, err := e.Run(ctx, long, denoise.Input{Volume: in}, in.Bounds(), nil); err == nil {
			t.Skip("done before the cancel")
		}
		returned := time.Since(at)
		small := volume.Slices(in.Geometry, 3, 4)
		at = time.Now()
		if _, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, small, nil); err != nil {
			t.Fatal(err)
		}
		t.Logf("returned after %v; the next preview took %v", returned, time.Since(at))
		if returned > 100*time.Millisecond {
			t.Errorf("returned %v after the cancel", returned)
		}
	})
}

// Two GPUs give the bits of one, in about half the time.
func TestDevicesShare(t *testing.T) {
	both := realEngine(t, Options{})
	if len(both.devices) < 2 {
		t.Skip("only one GPU")
	}
	one := realEngine(t, Options{Devices: 1})
	in := noisy([3]int{512, 512, 548})
	r := recipe(t, "nlm", 3, map[string]denoise.Value{
		"h": denoise.Number(20), "search-radius": denoise.Number(8), "patch-radius": denoise.Number(1),
	})
	run := func(e *Engine) (*volume.Volume, time.Duration) {
		mustRun(t, e, r, in)
		start := time.Now()
		return mustRun(t, e, r, in), time.Since(start)
	}
	want, alone := run(one)
	got, shared := run(both)
	t.Logf("%s: %v; one of them: %v", both.Info().Device, shared, alone)
	if !slices.Equal(got.Data, want.Data) {
		t.Error("the results differ")
	}
}
