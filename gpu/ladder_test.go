package gpu

import (
	"context"
	"errors"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/kernels"
	"quell/volume"
)

// rungCases are recipes for the rungs of each filter; settings with two dims are
// skipped in the one that is refused.
var rungCases = []struct {
	filter, set string
	slice       bool // of one slice, which a rung may read as a texture
}{
	{"nlm", "h=20 search-radius=2 patch-radius=1", false},
	{"nlm", "h=20 search-radius=1 patch-radius=2 patch-weights=uniform centre=one", false},
	{"nlm", "h=20 search-radius=2 preselect=true", false},
	{"nlm", "h=20 search-radius=1 patch-radius=3", false},
	{"nlm", "h=20 search-radius=2 patch-radius=3 centre=one", true},
	{"nlm", "h=0.4 search-radius=2 centre=max", false},                // weights underflow
	{"nlm", "h=0.4 search-radius=1 centre=max preselect=true", false}, // likewise
	{"nlm", "h=20 search-radius=2 sigma=6 correlation=40,10,0,0,20,0", false},
	{"bilateral", "radius=2 sigma-range=30", false},
	{"bilateral", "radius=3,1,2 sigma-spatial=1.5 sigma-range=60", false},
	{"lpa", "sigma=15", false},
	{"lpa", "sigma=40 gamma=2 scales=1,2,4", false},
}

// checkRungs compares every rung with the reference, in blocks of several shapes, on
// volumes that the blocks do not divide.
func checkRungs(t *testing.T, e *Engine) {
	ran := map[string]bool{}
	for _, c := range rungCases {
		f, err := denoise.FilterByName(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, dims := range f.Dims {
			r, err := f.Recipe(denoise.Case{Dims: dims, Set: c.set})
			if err != nil {
				t.Fatal(err)
			}
			in, region := denoise.Input{Volume: ramp([3]int{37, 21, 6})}, volume.Region{Min: [3]int{0, 2, 1}, Max: [3]int{37, 21, 6}}
			if c.slice {
				in, region = denoise.Input{Volume: ramp([3]int{37, 21, 1})}, volume.Region{Min: [3]int{0, 2, 0}, Max: [3]int{37, 21, 1}}
			}
			want, err := cpu.Reference(context.Background(), r, in, region)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range kernels.RungNames(c.filter) {
				for _, block := range [][3]int{{}, {4, 24, 1}, {3, 5, 2}} {
					got, err := e.On(kernels.Rung{Name: name, Block: block}).Run(context.Background(), r, in, region, nil)
					if errors.Is(err, denoise.ErrUnsupported) {
						continue
					}
					if err != nil {
						t.Fatalf("%s, %s, %d-D, block %v: %v", name, c.set, dims, block, err)
					}
					ran[name] = true
					for i, x := range got.Data {
						if d := float64(x - want.Data[i]); !(d < 0.03 && d > -0.03) { // 1e-4 of the range of ramp
							t.Errorf("%s, %s, %d-D, block %v: voxel %d is %g, want %g", name, c.set, dims, block, i, x, want.Data[i])
							break
						}
					}
				}
			}
		}
	}
	for _, filter := range []string{"nlm", "bilateral", "lpa"} {
		for _, name := range kernels.RungNames(filter) {
			if !ran[name] {
				t.Errorf("%s ran on no case", name)
			}
		}
	}
}

func TestConformanceOfRungs(t *testing.T) { checkRungs(t, realEngine(t, Options{})) }

func TestRungsOnTheFakeDriver(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	t.Parallel()
	checkRungs(t, fakeEngine(t, fakeOptions(t)))
}

// A rung gets blocks of about a second, by its speed.
func TestRungBlocks(t *testing.T) {
	e := sharedEngine(t)
	in := ramp([3]int{9, 8, 3})
	p := program(t, smallNLM(t), in)
	rung := kernels.Rung{Name: "nlm_formula"}
	block := map[bool]int{}
	for _, on := range []bool{false, true} {
		r := kernels.Rung{}
		if on {
			r = rung
		}
		run, err := newRun(p, r, in.Geometry)
		if err != nil {
			t.Fatal(err)
		}
		block[on] = e.devices[0].demand(run, in.Bounds()).block
	}
	want := float64(block[false]) * (rungTime.Seconds() / blockTime.Seconds()) / rung.Slower()
	if got := float64(block[true]); got < want-2 || got > want+1 {
		t.Errorf("blocks of %g voxels, want %g", got, want)
	}
}

func TestRungRefused(t *testing.T) {
	e := sharedEngine(t)
	in := ramp([3]int{9, 8, 3})
	on := e.On(kernels.Rung{Name: "bilateral_formula"})
	if _, err := on.Run(context.Background(), smallNLM(t), denoise.Input{Volume: in}, in.Bounds(), nil); !errors.Is(err, denoise.ErrUnsupported) {
		t.Errorf("a rung of another filter: %v", err)
	}
	if _, err := on.Plan(smallNLM(t), in.Geometry); !errors.Is(err, denoise.ErrUnsupported) {
		t.Errorf("its plan: %v", err)
	}
	if plan, err := e.On(kernels.Rung{Name: "nlm_formula"}).Plan(smallNLM(t), in.Geometry); err != nil || plan.Slabs != 1 {
		t.Errorf("the plan of a rung: %+v, %v", plan, err)
	}
	masked := ramp([3]int{9, 8, 3})
	masked.Mask = make([]bool, len(masked.Data))
	masked.Mask[5] = true
	r := recipe(t, "bilateral", 3, map[string]denoise.Value{"sigma-range": denoise.Number(30)})
	_, err := e.On(kernels.Rung{Name: "bilateral_depth_global_cut"}).Run(context.Background(), r, denoise.Input{Volume: masked}, masked.Bounds(), nil)
	if !errors.Is(err, denoise.ErrUnsupported) || !strings.Contains(err.Error(), "no mask") {
		t.Errorf("a mask, which the worker sees: %v", err)
	}
	if out := mustRun(t, e, smallNLM(t), in); len(out.Data) != len(in.Data) {
		t.Error("the engine does not run after a refusal")
	}
}
