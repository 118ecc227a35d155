//go:build unix

package gpu

import (
	"context"
	"errors"
	"slices"
	"syscall"
	"testing"
	"time"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/gpu/wire"
	"quell/kernels"
	"quell/volume"
)

// A run gives the same result if its worker is lost in the middle, and if another
// program uses most of the memory.
func TestDrillsOnTheGPU(t *testing.T) {
	in := noisy([3]int{512, 512, 256})
	r := recipe(t, "nlm", 3, map[string]denoise.Value{
		"h": denoise.Number(20), "search-radius": denoise.Number(5), "patch-radius": denoise.Number(1),
	})
	const stall = 5 * time.Minute // longer than any pause of a busy machine
	e := realEngine(t, Options{Devices: 1, Stall: stall})
	want := mustRun(t, e, r, in)

	// The CPU engine agrees on one slice.
	region := volume.Slices(in.Geometry, 100, 101)
	slice, err := cpu.New().Run(context.Background(), r, denoise.Input{Volume: in}, region, nil)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi, err := in.Range(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := enginetest.Agree(want.Crop(region), slice, float64(hi-lo)); err != nil {
		t.Error(err)
	}

	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "hung": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			e := realEngine(t, Options{Devices: 1, Stall: stall})
			mustRun(t, e, r, in)
			first, sent := current(e), false
			got, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, in.Bounds(), func(done, total int64) {
				if !sent && done > total/3 {
					sent = true
					if err := syscall.Kill(e.Status().PID, signal); err != nil {
						t.Error(err)
					}
					if signal == syscall.SIGSTOP {
						// The stall time is over at once. A worker is stalled only
						// while it owes a reply.
						go await(func() bool {
							first.stopIfStalled(time.Now().Add(2*stall), stall)
							return !first.alive()
						})
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Data, want.Data) || e.Status().Starts != 2 {
				t.Errorf("result as before: %v; %d workers, want 2", slices.Equal(got.Data, want.Data), e.Status().Starts)
			}
		})
	}
	t.Run("starved", func(t *testing.T) {
		e := realEngine(t, Options{Devices: 1})
		other := realEngine(t, Options{Devices: 1})
		s, err := other.devices[0].acquire(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer other.devices[0].release(s)
		// The other program leaves 160 MB: less than the volume needs.
		alloc := wire.Request{Op: wire.Alloc, Buffer: 1 << 30, Bytes: s.hello.Free - reserved - 160<<20}
		if _, err := s.call(alloc); err != nil {
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
		defer cancel()
		var first, last int64
		long := r.With("search-radius", denoise.Number(15))
		_, err := e.Run(ctx, long, denoise.Input{Volume: in}, in.Bounds(), func(done, total int64) {
			if last = done; first == 0 {
				first = done
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("%v; want the cancel", err)
		}
		run, err := newRun(program(t, long, in), kernels.Rung{}, in.Geometry)
		if err != nil {
			t.Fatal(err)
		}
		block := e.devices[0].demand(run, in.Bounds()).block
		if after := last - first; after > int64((1+maxQueued)*block) {
			t.Errorf("%d voxels were finished after the cancel; a block has %d", after, block)
		}
		// The worker serves the next preview.
		if _, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, volume.Slices(in.Geometry, 3, 4), nil); err != nil {
			t.Fatal(err)
		}
	})
}
