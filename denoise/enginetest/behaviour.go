package enginetest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// testCancel: a cancelled run returns the context's error. The context cancels
// itself at the engine's n-th poll, so that the moment does not depend on the
// machine. Without the cancel the run would take minutes.
func (s suite) testCancel(t *testing.T) {
	v := scene([3]int{64, 64, 32})
	r := recipe(t, "nlm", 3, "h", "9", "search-radius", "32", "patch-radius", "8")
	for n := range 4 {
		ctx := CancelAtPoll(t.Context(), n)
		voxels := int64(0)
		out, err := s.engine.Run(ctx, r, denoise.Input{Volume: v}, v.Bounds(), func(done, _ int64) { voxels = done })
		if !errors.Is(err, context.Canceled) || out != nil {
			t.Errorf("a run that is cancelled at poll %d returned %v, %v", n, out, err)
		}
		if voxels > 0 {
			t.Errorf("a run that is cancelled at poll %d reported %d voxels", n, voxels)
		}
	}
}

// testProgress: progress is never called twice at once and rises to the total,
// which is the region's voxels for a filter of one pass.
func (s suite) testProgress(t *testing.T) {
	v := scene([3]int{60, 50, 8})
	region := volume.Region{Min: [3]int{3, 0, 2}, Max: [3]int{60, 50, 7}}
	s.eachDefault(t, func(t *testing.T, r denoise.Recipe) {
		r = resolved(t, r, v)
		passes := len(program(t, r, v).Passes)
		var inside atomic.Int32
		var last, all, calls int64
		_, err := s.engine.Run(t.Context(), r, Input(t, r, v), region, func(done, total int64) {
			if inside.Add(1) != 1 {
				t.Errorf("%s: two progress calls at once", r)
			}
			if done < last || done > total || (calls > 0 && total != all) {
				t.Errorf("%s: progress %d of %d after %d of %d", r, done, total, last, all)
			}
			last, all = done, total
			calls++
			inside.Add(-1)
		})
		if err != nil {
			t.Fatal(err)
		}
		if last != all || all < int64(region.Voxels()) || (passes == 1 && all != int64(region.Voxels())) {
			t.Errorf("%s: progress ended at %d of %d after %d calls; the region has %d voxels", r, last, all, calls, region.Voxels())
		}
	})
}

// testRefusals: a recipe that cannot run is an error of Run and of Plan, a region
// or volume that does not fit one of Run.
func (s suite) testRefusals(t *testing.T) {
	v := scene([3]int{8, 7, 3})
	good := recipe(t, "nlm", 3)
	bad := map[string]denoise.Recipe{
		"unknown filter":     {Version: denoise.RecipeVersion, Filter: "sharpen", Dims: 2},
		"unknown version":    {Version: 99, Filter: "nlm", Dims: 2},
		"no such form":       {Version: denoise.RecipeVersion, Filter: "lpa", Dims: 3},
		"no dimensions":      {Version: denoise.RecipeVersion, Filter: "nlm"},
		"unknown parameter":  good.With("hardness", denoise.Number(1)),
		"out of its domain":  good.With("h", denoise.Number(0)),
		"not a number":       good.With("h", denoise.Word("strong")),
		"ignored parameter":  good.With("k", denoise.Number(3)),
		"fraction of voxels": good.With("search-radius", denoise.Number(1.5)),
		"scales that fall":   recipe(t, "lpa", 2).With("scales", denoise.List(1, 5, 3)),
		"endless radius":     recipe(t, "gaussian", 3).With("sigma-spatial", denoise.Number(1000)),
	}
	for name, r := range bad {
		if out, err := s.engine.Run(t.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil); err == nil || out != nil {
			t.Errorf("%s: Run gave no error", name)
		}
		if _, err := s.engine.Plan(r, v.Geometry); err == nil {
			t.Errorf("%s: Plan gave no error", name)
		}
	}
	for name, region := range map[string]volume.Region{
		"empty":   {},
		"outside": {Max: [3]int{9, 7, 3}},
		"before":  {Min: [3]int{-1, 0, 0}, Max: [3]int{8, 7, 3}},
	} {
		if _, err := s.engine.Run(t.Context(), good, denoise.Input{Volume: v}, region, nil); err == nil {
			t.Errorf("a region that is %s gave no error", name)
		}
	}
	short := v.Clone()
	short.Data = short.Data[1:]
	if _, err := s.engine.Run(t.Context(), good, denoise.Input{Volume: short}, v.Bounds(), nil); err == nil {
		t.Error("a volume with a voxel too few gave no error")
	}
	short = v.Clone()
	short.Mask = make([]bool, 3)
	if _, err := s.engine.Run(t.Context(), good, denoise.Input{Volume: short}, v.Bounds(), nil); err == nil {
		t.Error("a mask with voxels too few gave no error")
	}
	for name, in := range map[string]denoise.Input{
		"no volume":  {},
		"short mask": {Volume: v, Mask: make([]bool, 3)},
	} {
		if _, err := s.engine.Run(t.Context(), good, in, v.Bounds(), nil); err == nil {
			t.Errorf("an input with %s gave no error", name)
		}
	}
}

func (s suite) testPlan(t *testing.T) {
	if info := s.engine.Info(); info.Name == "" || info.Device == "" || info.Cores < 1 {
		t.Errorf("info %+v is incomplete", info)
	}
	g := volume.NewGeometry([3]int{181, 217, 51}, [3]float64{1, 1, 1})
	every := func(denoise.Case) bool { return true }
	s.eachCase(t, every, func(t *testing.T, _ denoise.Case, r denoise.Recipe) {
		p, err := s.engine.Plan(r, g)
		if err != nil {
			t.Fatal(err)
		}
		if p.Slabs < 1 || p.Memory < 0 || p.Estimate <= 0 {
			t.Errorf("plan %+v", p)
		}
	})
}
