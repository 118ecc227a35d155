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

// Boxes that run as one have the mean of their variances, by their voxels.
func TestStackedBoxesShareTheirNoise(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{8, 8, 2}, [3]float64{1, 1, 1}))
	box := v.Bounds()
	a := newPart(denoise.Input{Volume: v}, box, [3]int{}, func(i int) bool { return i < 96 })
	b := newPart(denoise.Input{Volume: v}, box, [3]int{}, func(i int) bool { return i < 32 })
	a.power, b.power = 1, 5
	if s := stack([]*part{a, b}); s.power != 2 || s.voxels != 128 {
		t.Errorf("power %g of %d voxels; want 2 of 128", s.power, s.voxels)
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
		a := newPart(denoise.Input{Volume: v}, box, [3]int{2, 3, 1}, counts)
		a.power = 1
		parts = append(parts, a)
		each(v.Geometry, box, func(i int) {
			if counts(i) {
				want = append(want, v.Data[i])
			}
		})
	}
	s := stack(parts)
	if s.box != (volume.Region{Min: [3]int{2, 3, 0}, Max: [3]int{8, 8, 8}}) {
		t.Errorf("the box is %v", s.box)
	}
	var got []float32
	k := 0
	each(s.in.Volume.Geometry, s.box, func(i int) {
		if s.use[k] {
			got = append(got, s.in.Volume.Data[i])
		}
		k++
	})
	if k != len(s.use) || s.voxels != len(want) || !slices.Equal(got, want) {
		t.Errorf("%d of %d marks, %d voxels: %v; want %v", k, len(s.use), s.voxels, got, want)
	}
}
