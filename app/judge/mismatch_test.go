package judge_test

import (
	"slices"
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/verdict"
	"quell/series"
	"quell/volume"
)

// from returns a volume whose voxel at c is that of v at of(c), at the border the nearest one.
func from(v *volume.Volume, of func(c [3]int) [3]int) *volume.Volume {
	out := v.Clone()
	for i := range out.Data {
		n := v.SliceVoxels()
		c := of([3]int{i % n % v.Dims[0], i % n / v.Dims[0], i / n})
		for k := range c {
			c[k] = min(max(c[k], 0), v.Dims[k]-1)
		}
		out.Data[i] = v.At(c[0], c[1], c[2])
	}
	return out
}

// valued returns a volume with each value changed.
func valued(v *volume.Volume, of func(x float32) float32) *volume.Volume {
	out := v.Clone()
	for i, x := range out.Data {
		out.Data[i] = of(x)
	}
	return out
}

func moved(axis, by int) func(v *volume.Volume, sigma float32) *volume.Volume {
	return func(v *volume.Volume, _ float32) *volume.Volume {
		return from(v, func(c [3]int) [3]int { c[axis] -= by; return c })
	}
}

func turned(axis int) func(v *volume.Volume, sigma float32) *volume.Volume {
	return func(v *volume.Volume, _ float32) *volume.Volume {
		return from(v, func(c [3]int) [3]int { c[axis] = v.Dims[axis] - 1 - c[axis]; return c })
	}
}

func scaled(times, add float32) func(v *volume.Volume, sigma float32) *volume.Volume {
	return func(v *volume.Volume, sigma float32) *volume.Volume {
		return valued(v, func(x float32) float32 { return times*x + add*sigma })
	}
}

// share returns the value that a share of the voxels is below.
func share(v *volume.Volume, of float64) float32 {
	x := slices.Clone(v.Data)
	slices.Sort(x)
	return x[int(of*float64(len(x)-1))]
}

var damages = map[string]struct {
	kind   string
	damage func(v *volume.Volume, sigma float32) *volume.Volume
}{
	"moved along x": {"moved", moved(0, 1)}, "moved along y": {"moved", moved(1, -1)}, "moved along z": {"moved", moved(2, 1)}, "moved by 3": {"moved", moved(0, -3)},
	"mirrored in x": {"turned", turned(0)}, "mirrored in y": {"turned", turned(1)}, "mirrored in z": {"turned", turned(2)},
	"half a turn": {"turned", func(v *volume.Volume, s float32) *volume.Volume { return turned(1)(turned(0)(v, s), s) }},
	"slices swapped": {"slices", func(v *volume.Volume, _ float32) *volume.Volume {
		return from(v, func(c [3]int) [3]int {
			switch c[2] {
			case 2:
				c[2] = 5
			case 5:
				c[2] = 2
			}
			return c
		})
	}},
	"gain 1.1": {"units", scaled(1.1, 0)}, "half a sigma more": {"units", scaled(1, 0.5)}, "half a sigma less": {"units", scaled(1, -0.5)}, "a tenth": {"units", scaled(0.1, 0)},
	"1024 more": {"units", func(v *volume.Volume, _ float32) *volume.Volume { return scaled(1, 1024)(v, 1) }},
	"a window": {"clipped", func(v *volume.Volume, _ float32) *volume.Volume {
		lo, hi := share(v, 0.05), share(v, 0.97)
		return valued(v, func(x float32) float32 { return min(max(x, lo), hi) })
	}},
	"a window of 0 to 255": {"clipped", func(v *volume.Volume, _ float32) *volume.Volume {
		lo, hi := share(v, 0.05), share(v, 0.97)
		return valued(v, func(x float32) float32 { return float32(int(255 * (min(max(x, lo), hi) - lo) / (hi - lo))) })
	}},
}

// Results of other programs that are moved, mirrored, in another order, in other units or clipped are named as that; honest
// ones, from nothing removed to smeared, are not. A tenth of a sigma more is no other unit.
func TestResultsOfOtherPrograms(t *testing.T) {
	seeds := []uint64{41}
	if tables() {
		seeds = []uint64{41, 42}
	}
	named, all, honest := 0, 0, 0
	for _, seed := range seeds {
		for _, a := range []anatomy{
			{"CT", [3]int{100, 100, 8}, [3]float64{1, 1, 3}, false, 0.7, 12, seed, true},
			{"MR", [3]int{110, 90, 8}, [3]float64{1, 1, 2}, true, 0, 8, seed, true},
		} {
			w := a.make(t)
			s := w.series[0]
			facts := apptest.FoundFacts(t, s.Volume)
			for k, c := range []step{
				{"gaussian", 2, 0.5, 100}, {"nlm", 2, 0, 60}, {"odct", 2, 0, 100}, {"prinlm", 3, 0, 80}, {"gaussian", 3, 2, 100}, {"gaussian", 2, 20, 100}, {"slab", 3, 0, 100}, {"nlm", 2, 0, 1},
			} {
				if testing.Short() && k != 1 && k != 5 && k != 7 { // nlm of which results are damaged, smeared, nothing removed
					continue
				}
				r := apptest.MustRecipe(c.filter, c.dims).With(denoise.MixStrength.Name, denoise.Number(c.strength))
				if c.pixels > 0 {
					r = r.With("sigma-spatial", denoise.Number(c.pixels)).With("voxel-units", denoise.Bool(true))
				}
				r, err := r.Resolve(s.Volume.Geometry, facts)
				if err != nil {
					t.Fatal(err)
				}
				result := runOn(t, s.Volume, r)
				top := share(result, 0.9996)
				few := valued(result, func(x float32) float32 { return min(x, top) })
				for _, v := range []*volume.Volume{result, scaled(1, 0.1)(result, float32(a.sigma)), few} {
					honest++
					if m := mismatchOf(t, s, v, facts); m != nil {
						t.Errorf("%s %d, honest %+v: %+v", a.name, seed, c, *m)
					}
				}
				if k > 3 {
					continue
				}
				for name, d := range damages {
					all++
					m := mismatchOf(t, s, d.damage(result, float32(a.sigma)), facts)
					if m == nil || m.Kind != d.kind {
						t.Logf("%s %d, %+v, %s: %+v", a.name, seed, c, name, m)
						continue
					}
					named++
				}
			}
		}
	}
	t.Logf("%d of %d damaged results are named, none of %d honest ones", named, all, honest)
	if named < all*95/100 {
		t.Errorf("%d of %d are named", named, all)
	}
}

// Soft results differ from their input most at edges: other units are seen beside these. Noise that is taken from whole squares,
// as networks do, is no other unit, nor are values that edges smear, nor air without values below its own.
func TestUnitsBesideEdges(t *testing.T) {
	named, all := 0, 0
	for _, a := range []anatomy{
		{"CT", [3]int{100, 120, 6}, [3]float64{1, 1, 3}, false, 0, 4, 51, true},
		{"MR", [3]int{110, 90, 6}, [3]float64{1, 1, 2}, true, 0, 3, 52, true},
		{"CT, soft noise", [3]int{100, 100, 6}, [3]float64{1, 1, 3}, false, 1.5, 40, 153, true},
	} {
		w := a.make(t)
		s := w.series[0]
		facts := apptest.FoundFacts(t, s.Volume)
		inPixels := func(x float64) map[string]denoise.Value {
			return map[string]denoise.Value{"sigma-spatial": denoise.Number(x), "voxel-units": denoise.Bool(true)}
		}
		network := w.truth.Clone()
		for i, x := range s.Volume.Data {
			network.Data[i] += 0.2 * (x - network.Data[i])
		}
		soft, median := filtered(t, s.Volume, "gaussian", 2, inPixels(1)), filtered(t, s.Volume, "median", 2, nil)
		air := share(w.truth, 0)
		floor := valued(network, func(x float32) float32 { return max(x, air) })
		for k, v := range []*volume.Volume{network, floor, soft, median, filtered(t, s.Volume, "gaussian", 3, inPixels(2)), filtered(t, s.Volume, "gaussian", 2, inPixels(8))} {
			if m := mismatchOf(t, s, v, facts); m != nil {
				t.Errorf("%s, honest %d: %+v", a.name, k, *m)
			}
		}
		for k, v := range []*volume.Volume{soft, median} {
			for name, d := range damages {
				if d.kind != "units" {
					continue
				}
				all++
				if m := mismatchOf(t, s, d.damage(v, float32(a.sigma)), facts); m != nil && m.Kind == "units" {
					named++
				} else {
					t.Logf("%s, %d, %s: %+v", a.name, k, name, m)
				}
			}
		}
	}
	t.Logf("%d of %d are named", named, all)
	if named < all*95/100 {
		t.Errorf("%d of %d are named", named, all)
	}
}

func mismatchOf(t *testing.T, s *series.Series, after *volume.Volume, facts denoise.Facts) *judge.Mismatch {
	t.Helper()
	foreground, err := facts.ForegroundOf(t.Context(), s.Volume)
	if err != nil {
		t.Fatal(err)
	}
	return judge.Mismatched(s.Volume, after, facts.Noise.Figure, foreground)
}

// What is named takes the place of a verdict.
func TestAMismatchIsNoVerdict(t *testing.T) {
	w := anatomy{"MR", [3]int{90, 90, 4}, [3]float64{1, 1, 2}, true, 0, 8, 3, true}.make(t)
	s := w.series[0]
	done, err := run.Denoise(t.Context(), engines.CPU(), run.Request{Series: s, Recipe: apptest.MustRecipe("bilateral", 2)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*denoise.Recipe{nil, &done.Resolved} {
		for name, d := range map[string]*volume.Volume{"moved": moved(0, 1)(done.Result, 0), "clipped": damages["a window"].damage(done.Result, 0)} {
			a, err := judge.Assess(t.Context(), judge.Input{Before: s, After: d, Recipe: r})
			if err != nil || a.Judgement != verdict.Unknown || a.Mismatch == nil || a.Mismatch.Kind != name || len(a.Places) > 0 || a.Why.IsZero() {
				t.Errorf("%s, recipe %v: %s, %s, %+v, %v", name, r != nil, a.Judgement, a.Why, a.Mismatch, err)
			}
		}
		a, err := judge.Assess(t.Context(), judge.Input{Before: s, After: done.Result, Recipe: r})
		if err != nil || a.Mismatch != nil || a.Judgement == verdict.Unknown {
			t.Errorf("honest, recipe %v: %s, %s, %+v, %v", r != nil, a.Judgement, a.Why, a.Mismatch, err)
		}
	}
}
