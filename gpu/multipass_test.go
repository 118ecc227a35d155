package gpu

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/kernels"
	"quell/volume"

	_ "quell/kernels/kerneltest" // a filter of two passes with a noise map and a guide
)

// maps returns an input with a noise map and a guide.
func maps(v *volume.Volume) denoise.Input {
	in := denoise.Input{Volume: v, Noise: v.Clone(), Guide: v.Clone()}
	for i, x := range v.Data {
		in.Noise.Data[i] = 2 + float32(i%7)
		in.Guide.Data[i] = x/2 + float32(i%3)
	}
	return in
}

func twoPasses(t *testing.T) denoise.Recipe {
	return recipe(t, "twopass", 3, map[string]denoise.Value{
		"mean-radius": denoise.List(2, 1, 3), "guide-sigma": denoise.Number(9),
	})
}

// A filter of two passes agrees with the reference in every division into slabs and
// blocks, gives the same bits in all of them, and reads its maps.
func TestTwoPasses(t *testing.T) {
	t.Parallel()
	v := ramp([3]int{40, 30, 26})
	in := maps(v)
	in.Mask = make([]bool, v.Voxels())
	for i := range in.Mask {
		in.Mask[i] = i%11 != 0
	}
	r := twoPasses(t)
	want, err := cpu.Reference(context.Background(), r, in, v.Bounds())
	if err != nil {
		t.Fatal(err)
	}
	lo, hi, err := v.Range(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var first []float32
	for name, c := range map[string]struct {
		memory int64
		clock  int // of the device in kHz; a slower one has smaller blocks
	}{
		"one block":      {0, 1e6},
		"blocks":         {0, 1},
		"slabs":          {460 << 10, 1},
		"slabs of input": {420 << 10, 1},
	} {
		t.Run(name, func(t *testing.T) {
			o := fakeOptions(t)
			o.Memory = c.memory
			e := fakeEngine(t, o)
			e.devices[0].hello.Device.ClockKHz = c.clock
			p, err := e.Plan(r, v.Geometry)
			if err != nil {
				t.Fatal(err)
			}
			if (p.Slabs > 1) != (c.memory > 0) || (c.memory > 0 && p.Memory > c.memory) {
				t.Errorf("plan %+v with %d bytes of memory", p, c.memory)
			}
			var done, total int64
			got, err := e.Run(t.Context(), r, in, v.Bounds(), func(d, n int64) { done, total = d, n })
			if err != nil {
				t.Fatal(err)
			}
			if _, err := enginetest.Agree(got, want, float64(hi-lo)); err != nil {
				t.Error(err)
			}
			if first == nil {
				first = got.Data
			}
			if !slices.Equal(got.Data, first) {
				t.Error("the result differs from that of another division")
			}
			if n := 2 * int64(v.Voxels()); done != n || total != n {
				t.Errorf("progress ended at %d of %d; want %d", done, total, n)
			}
			if got.Mask != nil {
				t.Error("the voxels that the input's mask excludes became padding")
			}
		})
	}
}

// The maps stay on the device like the voxels, and a changed map is uploaded again.
func TestMapsStayOnTheDevice(t *testing.T) {
	v := ramp([3]int{20, 18, 20})
	in := maps(v)
	r := twoPasses(t)
	e := fakeEngine(t, fakeOptions(t))
	region := volume.Slices(v.Geometry, 4, 5)
	run := func() []float32 {
		t.Helper()
		out, err := e.Run(t.Context(), r, in, region, nil)
		if err != nil {
			t.Fatal(err)
		}
		return out.Data
	}
	first := run()
	m := e.devices[0].session.deviceMemory
	before := slices.Clone(m.slabs)
	if len(before) != 3 {
		t.Fatalf("%d slabs; want one for each input", len(before))
	}
	if !slices.Equal(run(), first) || !slices.Equal(m.slabs, before) {
		t.Error("a second run did not use the same slabs")
	}
	for name, of := range map[string]*volume.Volume{"noise map": in.Noise, "guide": in.Guide} {
		of.Data[of.Index(7, 7, 4)] += 50
		changed := run()
		if slices.Equal(changed, first) {
			t.Errorf("the result does not show the change of the %s", name)
		}
		first = changed
	}
	// All inputs changed, as after a new series at the same addresses. The next slice needs
	// slices of both kinds: known and not uploaded yet.
	for _, of := range []*volume.Volume{v, in.Noise, in.Guide} {
		of.Data[of.Index(7, 7, 4)] += 50
	}
	region = volume.Slices(v.Geometry, 5, 6)
	want := mustRunInput(t, sharedEngine(t), r, in).Crop(region)
	if !slices.Equal(run(), want.Data) {
		t.Error("the result does not show that all inputs changed")
	}
}

// The engine states in Plan and Run which pass has no kernels. The filter is registered
// in a process of its own, so that no other test sees it.
func TestUnsupportedPass(t *testing.T) {
	const variable = "QUELL_TEST_UNSUPPORTED"
	if os.Getenv(variable) == "" {
		child := exec.Command(os.Args[0], "-test.run", "^TestUnsupportedPass$")
		child.Env = append(os.Environ(), variable+"=1")
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	e := &Engine{devices: []*device{newDevice(Options{})}}
	denoise.Register(withoutKernels())
	v := ramp([3]int{4, 4, 4})
	r := recipe(t, "no-kernels", 3, nil)
	const want = `there is no GPU kernel for pass "copy" of no-kernels: not supported by this engine`
	if _, err := e.Plan(r, v.Geometry); err == nil || err.Error() != want {
		t.Errorf("Plan: %v; want %q", err, want)
	}
	_, err := e.Run(t.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil)
	if err == nil || err.Error() != want || !errors.Is(err, ErrDevice) || !errors.Is(err, denoise.ErrUnsupported) {
		t.Errorf("Run: %v; want %q, which lets the caller use another engine", err, want)
	}
}

func withoutKernels() denoise.Filter {
	value := func(in []denoise.Field, x, y, z int) float64 { return float64(in[0].At(x, y, z)) }
	return denoise.Filter{
		Name: "no-kernels", Title: "None", Source: "none", Help: "None.", Dims: []int{3},
		Cases: []denoise.Case{{Name: "3-D", Dims: 3}},
		Bind: func(denoise.Recipe, volume.Geometry) (denoise.Program, error) {
			return denoise.Program{Passes: []denoise.Pass{{
				Name: "copy", Inputs: []string{denoise.Voxels}, Output: denoise.Result, Work: 1, Reference: value,
				CPU: denoise.CPUPass{Tile: [3]int{1, 1, 1}, Start: func([]denoise.Field, denoise.Field) func() denoise.Worker { return nil }},
			}}}, nil
		},
	}
}

// The memory of intermediate results is part of the demand.
func TestDemandCountsIntermediates(t *testing.T) {
	d := demand{dims: [3]int{100, 90, 80}, region: volume.Region{Max: [3]int{100, 90, 80}}, inputs: 3, block: 100 * 90 * 4}
	without := d.memory(80, true)
	if want := int64(100*90*80) * 4 * 4; without != want {
		t.Errorf("%d bytes without intermediates; want %d", without, want)
	}
	d.intermediates = [][3]int{{1, 1, 1}, {0, 0, 2}}
	// Blocks of 100 x 90 x 4 with 1 and 2 more slices on both sides; the volume is no wider.
	block := int64(100*90*6+100*90*8) * 4
	if got := d.memory(80, true) - without; got < block || got > block+2*255 {
		t.Errorf("%d bytes for the intermediates; want about %d", got, block)
	}
	// What the kernels use besides is for a block, of no more slices than the slab has.
	with := d.memory(80, true)
	d.beside = func(dims [3]int) int64 { return int64(dims[0] + 1000*dims[1] + 1000000*dims[2]) }
	if got := d.memory(80, true) - with; got != 4090100 {
		t.Errorf("%d bytes besides; want those of 100 x 90 x 4 voxels", got)
	}
	if got := d.scratch(3) - (demand{dims: d.dims, region: d.region, block: d.block, intermediates: d.intermediates}).scratch(3); got != 3090100 {
		t.Errorf("%d bytes besides; want those of 100 x 90 x 3 voxels", got)
	}
}

// A filter that runs on the volume divided by a noise map agrees with the reference and
// gives the same bits in every division, although its kernels read whole slices of what
// is divided.
func TestNoiseMapInEveryDivision(t *testing.T) {
	t.Parallel()
	v := ramp([3]int{40, 30, 26})
	in := maps(v)
	in.Guide, in.Mask = nil, make([]bool, v.Voxels())
	for i := range in.Mask {
		in.Mask[i] = i%11 != 0
	}
	r := recipe(t, "nlm", 3, map[string]denoise.Value{"h": denoise.Number(1.2), "search-radius": denoise.Number(2)})
	want, err := cpu.Reference(context.Background(), r, in, v.Bounds())
	if err != nil {
		t.Fatal(err)
	}
	lo, hi, err := v.Range(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.ProgramFor(t.Context(), in, v.Bounds())
	if err != nil {
		t.Fatal(err)
	}
	inSigmas := r
	inSigmas.InSigmas = true
	with, err := sharedEngine(t).Plan(inSigmas, v.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	// The map, and two more fields of a block.
	if without, err := sharedEngine(t).Plan(r, v.Geometry); err != nil || with.Memory <= without.Memory+4*int64(v.Voxels()) {
		t.Errorf("plan %+v with a map, %+v without, %v", with, without, err)
	}
	var first []float32
	for name, c := range map[string]struct {
		memory int64
		clock  int // of the device in kHz
		slabs  int
	}{
		"one block": {0, 1e6, 1}, "blocks": {0, 1, 1}, "slabs": {400 << 10, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			o := fakeOptions(t)
			o.Memory = c.memory
			e := fakeEngine(t, o)
			e.devices[0].hello.Device.ClockKHz = c.clock
			run, err := newRun(p, kernels.Rung{}, v.Geometry)
			if err != nil {
				t.Fatal(err)
			}
			run.read(in)
			if l, err := planSlabs(e.devices[0].demand(run, v.Bounds())); err != nil || len(l.slabs) < c.slabs {
				t.Errorf("%d slabs, %v; want %d or more", len(l.slabs), err, c.slabs)
			}
			got := mustRunInput(t, e, r, in)
			if _, err := enginetest.Agree(got, want, float64(hi-lo)); err != nil {
				t.Error(err)
			}
			if first == nil {
				first = got.Data
			}
			if !slices.Equal(got.Data, first) {
				t.Error("the result differs from that of another division")
			}
		})
	}
}

// A program that ends with its first pass gives the field of that pass, of integers here, on the
// GPU too, with and without stabilisation before it.
func TestUpToAPass(t *testing.T) {
	t.Parallel()
	v := ramp([3]int{40, 30, 3})
	for i := range v.Data {
		v.Data[i] = 100 + float32(i%40/13)*50 + float32(i%7)
	}
	in := denoise.Input{Volume: v}
	for _, stabilise := range []float64{0, 4} {
		r := recipe(t, "sadct", 2, map[string]denoise.Value{"sigma": denoise.Number(4), "stabilise": denoise.Number(stabilise)})
		ctx := denoise.UpTo(t.Context(), "scales")
		got, err := sharedEngine(t).Run(ctx, r, in, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := cpu.Reference(ctx, r, in, v.Bounds())
		if err != nil {
			t.Fatal(err)
		}
		differs := 0
		for i, x := range got.Data {
			if x != want.Data[i] {
				differs++
			}
		}
		if differs > len(got.Data)/100 || slices.Max(want.Data) < 8 {
			t.Errorf("stabilised by %g: %d of %d pixels have other scales", stabilise, differs, len(got.Data))
		}
	}
}
