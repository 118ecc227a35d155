package gpu

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"quell/denoise"
	"quell/gpu/wire"
)

// Less memory means more slabs and the same bits.
func TestLittleMemoryMeansMoreSlabs(t *testing.T) {
	t.Parallel()
	in := ramp([3]int{128, 128, 40}) // 2.5 MB and as much for the result
	in.Mask = slices.Repeat([]bool{true, true, true, false}, in.Voxels()/4)
	r := recipe(t, "gaussian", 3, map[string]denoise.Value{"radius": denoise.Number(1)})
	want := expected(t, r, in)
	for name, c := range map[string]struct {
		setting string
		memory  int64
	}{
		"a small device":      {"memory=473000000", 0}, // 3 MB above the reserved memory
		"a limit":             {"memory=2000000000", 2 << 20},
		"another program":     {"memory=2000000000,taken=1527000000", 0},
		"no page-locked host": {"unpinned", 2 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			o := fakeOptions(t, "QUELL_FAKE_CUDA="+c.setting)
			o.Memory = c.memory
			e := fakeEngine(t, o)
			got := mustRun(t, e, r, in)
			if !slices.Equal(got.Data, want.Data) {
				t.Error("the result differs from that in one slab")
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
	t.Run("too little", func(t *testing.T) {
		o := fakeOptions(t)
		o.Memory = 100 << 10
		e := fakeEngine(t, o)
		_, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, in.Bounds(), nil)
		if !errors.Is(err, ErrDevice) || !strings.Contains(err.Error(), "needs 1 MB of GPU memory and 0 MB are free") {
			t.Errorf("%v; want an ErrDevice with the figures", err)
		}
		if _, err := e.Plan(r, in.Geometry); !errors.Is(err, ErrDevice) {
			t.Errorf("Plan gave %v; want an ErrDevice, after which another engine is tried", err)
		}
	})
}

// The volumes that stay on the device for later runs are bounded.
func TestResidentSlabsAreBounded(t *testing.T) {
	e := fakeEngine(t, fakeOptions(t))
	r := recipe(t, "median", 3, map[string]denoise.Value{"radius": denoise.Number(0)})
	m := e.devices[0].session.deviceMemory
	var free int64
	for i := range maxIdleSlabs + 4 {
		in := ramp([3]int{32, 32, 8})
		in.Data[0] = float32(i)
		mustRun(t, e, r, in)
		await(func() bool { // the run is over once its memory is released
			m.mu.Lock()
			defer m.mu.Unlock()
			return !slices.ContainsFunc(m.slabs, func(s *residentSlab) bool { return s.users > 0 })
		})
		if n := len(m.slabs); n != min(i+1, maxIdleSlabs) {
			t.Fatalf("%d slabs after %d volumes; want at most %d", n, i+1, maxIdleSlabs)
		}
		reply, err := m.p.call(wire.Request{Op: wire.Ping})
		if err != nil {
			t.Fatal(err)
		}
		if i >= maxIdleSlabs && reply.Free != free {
			t.Errorf("%d bytes free after %d volumes, %d before; want no change", reply.Free, i+1, free)
		}
		free = reply.Free
	}
}
