package tune

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/volume"
)

// With noise that differs from box to box the divergence of each counts by its variance,
// and errors are relative to the mean of that.
func TestRiskOfNoiseThatDiffers(t *testing.T) {
	truth := volume.New(volume.NewGeometry([3]int{90, 90, 1}, [3]float64{1, 1, 1}))
	noisy, err := noise.AddNoise(t.Context(), truth, noise.Gaussian, 4, 9)
	if err != nil {
		t.Fatal(err)
	}
	recipe, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	if recipe, err = recipe.With("sigma-spatial", denoise.Number(0.6)).ResolveFor(t.Context(), denoise.Input{Volume: noisy}); err != nil {
		t.Fatal(err)
	}
	reach := [3]int{2, 2, 0}
	tallies := func(m noiseModel) [2]tally {
		p, err := newProbe(t.Context(), cpu.New(), denoise.Input{Volume: noisy}, reach, m, nil, volume.Region{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.tallies(t.Context(), []denoise.Recipe{recipe})
		if err != nil {
			t.Fatal(err)
		}
		return all[0]
	}
	white := tallies(noiseModel{sigma: 4})
	// Every other box, which is what a half consists of, has three times the variance.
	k := 0
	differs := tallies(noiseModel{sigma: 4, within: func(context.Context, volume.Region) (float64, error) {
		k++
		return 4 * math.Sqrt([]float64{3, 1}[k%2]), nil
	}})
	for h, power := range []float64{1, 3} {
		a, b := white[h], differs[h]
		if a.voxels == 0 || b.voxels != a.voxels || a.noise != float64(a.voxels) || math.Abs(b.noise/(power*a.noise)-1) > 1e-12 ||
			b.Residual != a.Residual || math.Abs(b.Divergence/(power*a.Divergence)-1) > 1e-12 {
			t.Errorf("half %d: %+v; with %g times the variance %+v", h, a, power, b)
		}
		want := a.risk(4)
		got := b.risk(4)
		if math.Abs(got.Residual*power/want.Residual-1) > 1e-12 || math.Abs(got.Kept/want.Kept-1) > 1e-12 || math.Abs(got.MSE-(got.Residual-1+2*got.Kept)) > 1e-12 {
			t.Errorf("half %d: risk %+v; with %g times the variance %+v", h, want, power, got)
		}
	}
	both := differs[0].plus(differs[1]).risk(4)
	if kept := (differs[0].Divergence + differs[1].Divergence) / (differs[0].noise + differs[1].noise); math.Abs(both.Kept/kept-1) > 1e-12 {
		t.Errorf("kept %g, want %g", both.Kept, kept)
	}
	failure := errors.New("no noise here")
	_, err = newProbe(t.Context(), cpu.New(), denoise.Input{Volume: noisy}, reach, noiseModel{sigma: 4, within: func(context.Context, volume.Region) (float64, error) { return 0, failure }}, nil, volume.Region{}, 1)
	if !errors.Is(err, failure) {
		t.Errorf("a box without noise: %v", err)
	}
}

// Boxes that run as one are as narrow as each of them within the slice, and only their own
// voxels count.
func TestStackedBoxesAreNarrow(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{20, 16, 12}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i)
	}
	counts := func(i int) bool { return i%3 != 0 }
	var parts []*part
	var want []float32
	for _, at := range [][3]int{{2, 3, 1}, {9, 5, 6}} {
		box := volume.Region{Min: at, Max: [3]int{at[0] + 6, at[1] + 5, at[2] + 2}}
		a := newPart(denoise.Input{Volume: v}, box, [3]int{2, 3, 1}, counts, 1)
		parts = append(parts, a)
		each(v.Geometry, box, func(i int) {
			if counts(i) {
				want = append(want, v.Data[i])
			}
		})
	}
	stack(parts)
	s := parts[0].scope
	if parts[1].scope != s || s.run != (volume.Region{Min: [3]int{2, 3, 0}, Max: [3]int{8, 8, 8}}) {
		t.Errorf("the run is %v", s.run)
	}
	var got []float32
	for _, a := range parts {
		k := 0
		each(s.in.Volume.Geometry, a.box, func(i int) {
			if a.use[k] {
				got = append(got, s.in.Volume.Data[i])
			}
			k++
		})
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}

// Boxes share a run if it reads no more voxels than runs on each of them.
func TestBoxesShareARun(t *testing.T) {
	g := volume.NewGeometry([3]int{40, 20, 1}, [3]float64{1, 1, 1})
	boxAt := func(x int) volume.Region {
		return volume.Region{Min: [3]int{x, 0, 0}, Max: [3]int{x + 10, 20, 1}}
	}
	for _, c := range []struct {
		x, reach int
		want     bool
	}{{10, 0, true}, {11, 0, false}, {11, 1, true}, {20, 5, true}, {20, 4, false}, {30, 5, false}} {
		around, ok := shared([]volume.Region{boxAt(0), boxAt(c.x)}, [3]int{c.reach, 0, 0}, g)
		if ok != c.want || around != (volume.Region{Max: [3]int{c.x + 10, 20, 1}}) {
			t.Errorf("boxes at 0 and %d, reach %d: %v %v; want %v", c.x, c.reach, around, ok, c.want)
		}
	}
	if _, ok := shared([]volume.Region{boxAt(0)}, [3]int{}, g); ok {
		t.Error("a single box shares a run")
	}
}

// Boxes in one scope have the sums that they have each on its own, for the same perturbation.
func TestSharedRunsGiveTheSameSums(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{30, 30, 4}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i*i%97) + float32(i%30)
	}
	in, reach := denoise.Input{Volume: v}, [3]int{3, 3, 0}
	counts := func(i int) bool { return i%5 != 0 }
	r, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	r = r.With("sigma-spatial", denoise.Number(1))
	whole := newScope(in, v.Bounds(), reach, 1)
	m := noiseModel{sigma: 4}
	moved, err := whole.perturbed(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	together, alone := &probe{engine: cpu.New(), noise: m}, &probe{engine: cpu.New(), noise: m}
	for _, at := range [][3]int{{0, 0, 0}, {11, 7, 1}, {20, 20, 2}} {
		box := volume.Region{Min: at, Max: [3]int{at[0] + 10, at[1] + 9, at[2] + 2}}
		together.parts = append(together.parts, whole.part(v.Geometry, box, box, counts))
		a := newPart(in, box, reach, counts, 1)
		outer := box.Grow(reach, v.Geometry)
		a.moved = &perturbedVolume{moved.volume.Crop(outer), nil}
		each(v.Geometry, outer, func(i int) { a.moved.b = append(a.moved.b, moved.b[i]) })
		alone.parts = append(alone.parts, a)
	}
	got, err := together.monteCarlo(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want, err := alone.monteCarlo(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}
