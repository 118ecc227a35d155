package nlm_test

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/volume"
)

func filtered(t *testing.T, r denoise.Recipe, v *volume.Volume) []float32 {
	t.Helper()
	out, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.Data
}

// With a strength that makes all weights equal, the neighbours that are used are the
// ones with the same mean: a step stays as it is, in any unit, and blurs without
// preselection.
func TestPreselectKeepsSteps(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{12, 9, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(-1000 + 100*(i%12/6))
	}
	if got := filtered(t, enginetest.RecipeOf(t, "nlm", 2, "h=1e6 preselect=true"), v); !slices.Equal(got, v.Data) {
		t.Errorf("the step became %v", got[:12])
	}
	if got := filtered(t, enginetest.RecipeOf(t, "nlm", 2, "h=1e6"), v); slices.Equal(got, v.Data) {
		t.Error("the step stays without preselection")
	}
}

// By hand: columns of 1, 3, 3, 1 have means of 5/3, 7/3, 7/3, 5/3 and one variance, 8/9. With
// equal weights and a ratio of means of 0.71 and 5/7 the columns mix or do not.
func TestPreselectByHand(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{4, 3, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = []float32{1, 3, 3, 1}[i%4]
	}
	for _, c := range []struct {
		set  string
		want [4]float64
	}{
		// Column 0 sees columns 0 and 1: six voxels, and the voxel itself once more for its weight.
		{"mean-ratio=0.71", [4]float64{2, 21. / 9, 21. / 9, 2}},
		{"mean-ratio=0.72", [4]float64{1, 3, 3, 1}},
		// From 1 the means are 2/3 and 4/3, from 3 they are -4/3 and -2/3.
		{"mean-ratio=0.51 zero=1", [4]float64{1, 3, 3, 1}},
		{"mean-ratio=0.49 zero=1", [4]float64{2, 21. / 9, 21. / 9, 2}},
		{"mean-ratio=0.49 zero=3", [4]float64{2, 21. / 9, 21. / 9, 2}},
		{"mean-ratio=0 zero=2", [4]float64{1, 3, 3, 1}}, // -1/3 and 1/3
	} {
		got := filtered(t, enginetest.RecipeOf(t, "nlm", 2, "h=1e6 search-radius=1 zero=0 preselect=true "+c.set), v)
		for x, want := range c.want {
			if math.Abs(float64(got[4+x])-want) > 1e-6 {
				t.Errorf("%s: column %d is %v; want %v", c.set, x, got[4+x], want)
			}
		}
	}
}

// The choice of neighbours jumps with the voxels: there is no closed form of the risk.
func TestNoClosedFormWithPreselect(t *testing.T) {
	f, _ := denoise.FilterByName("nlm")
	for set, want := range map[string]bool{"h=9 sigma=0 rician=false": true, "h=9 sigma=0 rician=false preselect=true zero=0": false} {
		if _, ok := f.Stein([]denoise.Recipe{enginetest.RecipeOf(t, "nlm", 2, set)}); ok != want {
			t.Errorf("%s: a closed form is %v", set, ok)
		}
	}
}

func TestPreselectIsRefusedWhereItHasNoEffect(t *testing.T) {
	f, _ := denoise.FilterByName("nlm")
	for _, set := range []string{"mean-ratio=0.9", "variance-ratio=0.9", "zero=3", "weighting=lk preselect=true"} {
		if _, err := f.Recipe(denoise.Case{Dims: 2, Set: set}); err == nil {
			t.Errorf("%s is accepted", set)
		}
	}
}
