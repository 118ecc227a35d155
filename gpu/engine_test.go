package gpu

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// Uploaded slices stay on the device, and are uploaded again only if they changed.
func TestSlicesStayOnTheDevice(t *testing.T) {
	in := ramp([3]int{32, 24, 20})
	r := recipe(t, "gaussian", 3, map[string]denoise.Value{"radius": denoise.List(2, 2, 1)})
	e := fakeEngine(t, fakeOptions(t))
	run := func(z int) []float32 {
		t.Helper()
		out, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, volume.Slices(in.Geometry, z, z+1), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := cpu.Reference(context.Background(), r, denoise.Input{Volume: in}, volume.Slices(in.Geometry, z, z+1))
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Data {
			if math.Abs(float64(out.Data[i]-want.Data[i])) > 1e-3 {
				t.Fatalf("slice %d, voxel %d: %v; want %v", z, i, out.Data[i], want.Data[i])
			}
		}
		return out.Data
	}
	first := run(10)
	s := e.devices[0].session
	slab := s.slabs[0]
	if slab.z0 != 0 || slab.z1 != 20 || len(slab.prints) != 3 {
		t.Fatalf("slab %d-%d with %d slices; want room for the volume and three slices", slab.z0, slab.z1, len(slab.prints))
	}
	run(11)
	if len(s.slabs) != 1 || s.slabs[0] != slab || len(slab.prints) != 4 {
		t.Errorf("%d slabs, %d slices in the first; want the same slab and one more slice", len(s.slabs), len(slab.prints))
	}
	// A volume that is changed in place, which no part of Quell does, must not be
	// mistaken for the one on the device.
	in.Data[in.Index(5, 5, 10)] += 1000
	if changed := run(10); slices.Equal(changed, first) {
		t.Error("the result does not show the change")
	}
	if len(s.slabs) != 1 || s.slabs[0] == slab {
		t.Error("the stale slab is still there")
	}
}

// Some slices are exact in int16 and some are not.
func TestValuesAreTransferredExactly(t *testing.T) {
	in := ramp([3]int{40, 30, 8})
	plane := in.SliceVoxels()
	for i := range plane {
		in.Data[i] /= 3                                    // fractions
		in.Data[plane+i] *= 200                            // beyond int16
		in.Data[2*plane+i] = float32(math.Copysign(0, -1)) // negative zero
		in.Data[3*plane+i] *= 1e30
	}
	in.Mask = make([]bool, len(in.Data))
	for i := range in.Mask {
		in.Mask[i] = i%5 == 0
	}
	// A filter of radius 0 returns every voxel unchanged.
	r := recipe(t, "median", 3, map[string]denoise.Value{"radius": denoise.List(0)})
	out := mustRun(t, sharedEngine(t), r, in)
	for i := range in.Data {
		if math.Float32bits(out.Data[i]) != math.Float32bits(in.Data[i]) {
			t.Fatalf("voxel %d is %v; want %v", i, out.Data[i], in.Data[i])
		}
	}
	if !slices.Equal(out.Mask, in.Mask) {
		t.Error("the mask changed")
	}
}

// Concurrent previews and volumes of two series, some of them cancelled.
func TestConcurrentRuns(t *testing.T) {
	a, b := ramp([3]int{48, 40, 12}), ramp([3]int{30, 20, 16})
	b.Mask = slices.Repeat([]bool{true, false}, b.Voxels()/2)
	r := recipe(t, "gaussian", 3, nil)
	wantA, wantB := expected(t, r, a), expected(t, r, b)
	o := fakeOptions(t)
	o.Memory = 300 << 10 // they do not fit together
	e := fakeEngine(t, o)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for k := range 6 {
				in, want := a, wantA
				if (i+k)%2 == 1 {
					in, want = b, wantB
				}
				region := in.Bounds()
				if i > 1 {
					region = volume.Slices(in.Geometry, k, k+2)
				}
				ctx, cancel := context.WithCancel(context.Background())
				if k == 3 {
					go cancel()
				}
				out, err := e.Run(ctx, r, denoise.Input{Volume: in}, region, nil)
				switch {
				case err != nil && ctx.Err() == nil:
					t.Error(err)
				case err == nil && !slices.Equal(out.Data, want.Crop(region).Data):
					t.Errorf("run %d of %d differs", k, i)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	if s := e.Status(); s.Starts != 1 {
		t.Errorf("%d workers; want one", s.Starts)
	}
}

func TestClosedEngineRefusesRuns(t *testing.T) {
	e := fakeEngine(t, fakeOptions(t))
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	in := ramp([3]int{4, 4, 4})
	if _, err := e.Run(context.Background(), smallNLM(t), denoise.Input{Volume: in}, in.Bounds(), nil); err == nil {
		t.Error("no error after Close")
	}
}

// A result that is not finite is an error.
func TestResultsAreChecked(t *testing.T) {
	in := ramp([3]int{8, 8, 2})
	in.Data[70] = float32(math.NaN()) // the result of a broken kernel
	r := recipe(t, "median", 3, map[string]denoise.Value{"radius": denoise.List(0, 0, 0)})
	e := fakeEngine(t, fakeOptions(t))
	out, err := e.Run(context.Background(), r, denoise.Input{Volume: in}, in.Bounds(), nil)
	if !errors.Is(err, ErrDevice) || out != nil {
		t.Errorf("%v, %v; want an ErrDevice", out, err)
	}
}
