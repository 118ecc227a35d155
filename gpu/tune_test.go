package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/gpu/wire"
	"quell/kernels"
	"quell/volume"
)

// tuneWorks are one kernel on a volume and one on a slice. Both have blocks of 8, 4 or 2
// rows of threads.
func tuneWorks(t *testing.T) []Workload {
	t.Helper()
	in := denoise.Input{Volume: ramp([3]int{40, 37, 3})}
	work := func(name string, r denoise.Recipe, region volume.Region) Workload {
		r, err := r.ResolveFor(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		want, err := cpu.Reference(context.Background(), r, in, region)
		if err != nil {
			t.Fatal(err)
		}
		return Workload{Name: name, Recipe: r, Input: in, Region: region, Check: func(out *volume.Volume) error {
			for i, x := range out.Data {
				if d := math.Abs(float64(x - want.Data[i])); d > 0.03 {
					return fmt.Errorf("a difference of %g", d)
				}
			}
			return nil
		}}
	}
	slice := in.Volume.Bounds()
	slice.Min[2], slice.Max[2] = 1, 2
	return []Workload{
		work("median", recipe(t, "median", 3, nil), in.Volume.Bounds()),
		work("lpa", recipe(t, "lpa", 2, map[string]denoise.Value{"sigma": denoise.Number(15), "correlation": denoise.List(0)}), slice),
	}
}

// The fastest shape wins, and one that computes wrongly does not.
func TestTune(t *testing.T) {
	for _, c := range []struct {
		settings string
		best     int
		gain     float64
		refused  int
	}{
		{"fast=4", 4, 1, 0},
		{"fast=16", 8, 0, 0}, // none is faster than the usual one
		{"fast=4,wrong=4", 8, 0, 4},
		{"fast=4,wrong=8", 8, 0, 8}, // the usual one is wrong: nothing can be compared with it
		{"fast=2,refuse=2", 8, 0, 2},
	} {
		e := fakeEngine(t, fakeOptions(t, "QUELL_FAKE_CUDA="+c.settings))
		var begun []string
		found, err := e.Tune(context.Background(), tuneWorks(t), 3, func(name string, n, of int) { begun = append(begun, fmt.Sprint(name, n, of)) })
		if err != nil || len(found) != 2 || !slices.Equal(begun, []string{"median1 2", "lpa2 2"}) {
			t.Fatalf("%s: %+v, %v, %v", c.settings, found, begun, err)
		}
		for i, key := range []string{"median_3x3x3 on a volume", "lpa_paper on a slice"} {
			f := found[i]
			if f.Kernel != key || f.Unit != "rows of threads" || f.Best != c.best || math.Abs(f.Gain-c.gain) > 1e-9 || len(f.Trials) != 3 || f.Trials[0].Value != 8 {
				t.Errorf("%s: %+v", c.settings, f)
			}
			for _, trial := range f.Trials {
				if wrong := trial.Value == c.refused; wrong != (trial.Refused != "") || (trial.Time == 0) != (wrong || c.refused == 8) {
					t.Errorf("%s: %+v", c.settings, trial)
				}
			}
		}
		want := kernels.Shapes{}
		if c.gain > 0 {
			want = kernels.Shapes{"median_3x3x3 on a volume": c.best, "lpa_paper on a slice": c.best}
		}
		got := e.TunedTo(found)
		if got.Device != "Fake GPU 0" || got.Driver != 12020 || got.Kernels != kernels.Digest() || fmt.Sprint(got.Shapes) != fmt.Sprint(want) {
			t.Errorf("%s: %+v", c.settings, got)
		}
	}
}

// Without the usual shape there is nothing to compare with.
func TestTuneFails(t *testing.T) {
	e := fakeEngine(t, fakeOptions(t, "QUELL_FAKE_CUDA=refuse=8"))
	if found, err := e.Tune(context.Background(), tuneWorks(t), 1, func(string, int, int) {}); found != nil || !errors.Is(err, ErrDevice) {
		t.Errorf("%+v, %v", found, err)
	}
}

// A cancel ends the search between two runs.
func TestTuneIsCanceled(t *testing.T) {
	e := fakeEngine(t, fakeOptions(t))
	ctx, cancel := context.WithCancel(context.Background())
	found, err := e.Tune(ctx, tuneWorks(t), 3, func(_ string, n, _ int) {
		if n == 2 {
			cancel()
		}
	})
	if found != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", found, err)
	}
}

// A worker uses the shapes of its device and no other's, unless the engine has its own.
func TestTunedDevices(t *testing.T) {
	works := tuneWorks(t)[:1]
	key := "median_3x3x3 on a volume"
	tuned := func(device string, rows int) TunedShapes {
		return TunedShapes{Device: device, Driver: 12020, Kernels: kernels.Digest(), Shapes: kernels.Shapes{key: rows}}
	}
	other := tuned("Fake GPU 0", 2)
	other.Kernels = "others"
	for _, c := range []struct {
		model    string
		tuned    []TunedShapes
		rows     int
		outdated bool
	}{
		{"0", nil, 8, false},
		{"0", []TunedShapes{tuned("Fake GPU 1", 2), tuned("Fake GPU 0", 4)}, 4, false},
		{"1", []TunedShapes{tuned("Fake GPU 1", 2), tuned("Fake GPU 0", 4)}, 2, false},
		{"2", []TunedShapes{tuned("Fake GPU 1", 2), tuned("Fake GPU 0", 4)}, 8, false},
		{"0", []TunedShapes{other}, 8, true},
	} {
		// A kernel with blocks of so many rows computes its first voxel wrongly.
		for _, rows := range slices.Compact([]int{c.rows, 8}) {
			o := fakeOptions(t, fmt.Sprintf("QUELL_FAKE_CUDA=model=%s,wrong=%d", c.model, rows))
			o.Tuned = c.tuned
			e := fakeEngine(t, o)
			run := func(e denoise.Engine) bool {
				out, err := e.Run(context.Background(), works[0].Recipe, works[0].Input, works[0].Region, nil)
				if err != nil {
					t.Fatal(err)
				}
				return works[0].Check(out) != nil
			}
			if got := run(e); got != (rows == c.rows) {
				t.Errorf("model %s, %+v: blocks of %d rows: %v", c.model, c.tuned, rows, got)
			}
			if s := e.Status(); s.Outdated != c.outdated || s.Tuned[key] != map[int]int{8: 0, 4: 4, 2: 2}[c.rows] {
				t.Errorf("model %s, %+v: %v, outdated %v", c.model, c.tuned, s.Tuned, s.Outdated)
			}
			if rows == 8 && !run(e.With(nil)) {
				t.Errorf("model %s: the usual shapes are not used where they are asked for", c.model)
			}
		}
	}
}

func TestShapesFor(t *testing.T) {
	hello := wire.Hello{Driver: 12020, Kernels: "k"}
	hello.Device.Name = "A"
	right := TunedShapes{Device: "A", Driver: 12020, Kernels: "k", Shapes: kernels.Shapes{"x": 1}}
	change := func(f func(*TunedShapes)) TunedShapes { t := right; f(&t); return t }
	for what, c := range map[string]struct {
		tuned    []TunedShapes
		found    bool
		outdated bool
	}{
		"none":              {nil, false, false},
		"another device's":  {[]TunedShapes{change(func(t *TunedShapes) { t.Device = "B" })}, false, false},
		"another driver's":  {[]TunedShapes{change(func(t *TunedShapes) { t.Driver++ })}, false, true},
		"of other kernels":  {[]TunedShapes{change(func(t *TunedShapes) { t.Kernels = "" })}, false, true},
		"old ones and new":  {[]TunedShapes{change(func(t *TunedShapes) { t.Driver++ }), right}, true, false},
		"the right ones":    {[]TunedShapes{right}, true, false},
		"right and another": {[]TunedShapes{right, change(func(t *TunedShapes) { t.Device = "B" })}, true, false},
	} {
		if got, outdated := shapesFor(c.tuned, hello); (got != nil) != c.found || outdated != c.outdated {
			t.Errorf("%s: %v, outdated %v", what, got, outdated)
		}
	}
}

// Every shape computes what the reference does, on the machine's GPU; the fake driver
// knows no blocks.
func TestConformanceOfShapes(t *testing.T) {
	e := realEngine(t, Options{})
	v := noisy([3]int{75, 71, 9})
	masked := noisy(v.Dims)
	masked.Mask = make([]bool, len(masked.Data))
	for i := range masked.Mask {
		masked.Mask[i] = i%11 != 0
	}
	slice := v.Bounds()
	slice.Min[2], slice.Max[2] = 4, 5
	tried := map[string]bool{}
	for _, c := range []struct {
		filter, set string
		dims        int
	}{
		{"median", "radius=1", 3},
		{"median", "radius=1", 2},
		{"median", "radius=2", 2},
		{"lpa", "sigma=20", 2},
		{"lpa", "sigma=20 scales=1,2,4", 2},
	} {
		f, err := denoise.FilterByName(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Recipe(denoise.Case{Dims: c.dims, Set: c.set})
		if err == nil {
			r, err = r.ResolveFor(context.Background(), denoise.Input{Volume: v})
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Bind(v.Geometry)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []denoise.Input{{Volume: v}, {Volume: masked}} {
			for _, region := range []volume.Region{v.Bounds(), slice} {
				choices, err := kernels.ShapesOf(p, v.Dims, region)
				if err != nil || len(choices) != 1 {
					t.Fatalf("%s: %+v, %v", c.set, choices, err)
				}
				want, err := cpu.Reference(context.Background(), r, in, region)
				if err != nil {
					t.Fatal(err)
				}
				for _, value := range choices[0].Values {
					shapes := kernels.Shapes{choices[0].Key: value}
					tried[fmt.Sprint(shapes)] = true
					got, err := e.With(shapes).Run(context.Background(), r, in, region, nil)
					if err != nil {
						t.Fatalf("%s, %v: %v", r, shapes, err)
					}
					for i, x := range got.Data {
						if d := math.Abs(float64(x - want.Data[i])); !(d < 0.05) { // 1e-4 of the range
							t.Errorf("%s, %v, mask %v: voxel %d is %g, want %g", r, shapes, in.Volume.Mask != nil, i, x, want.Data[i])
							break
						}
					}
				}
			}
		}
	}
	if len(tried) != 2*5*3 { // five kernels of three shapes, on volumes and slices
		t.Errorf("%d shapes were tried", len(tried))
	}
}
