package pairwise_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// Every option of the pairwise filters agrees with the float64 reference, with and
// without excluded voxels, in ordinary and extreme units, and if no voxel resembles
// another.
func TestAgreesWithTheReference(t *testing.T) {
	for _, c := range []struct {
		filter string
		dims   int
		set    string // @ is the unit
		units  []float64
	}{
		{"nlm", 3, "h=12@ search-radius=2 patch-radius=1", []float64{1, 1e-25, 1e25}},
		{"nlm", 2, "h=12@ search-radius=3 patch-radius=2 sigma=3@ centre=one", []float64{1, 1e-30}},
		{"nlm", 3, "h=12@ search-radius=1 patch-radius=0 sigma=5@ rician=true", []float64{1, 1e-22, 1e22}},
		{"nlm", 2, "search-radius=2 patch-radius=1 weighting=lk k=4", []float64{1, 1e-25, 1e25}},
		{"nlm", 3, "search-radius=1 patch-radius=1 weighting=lk k=1 patch-weights=uniform", []float64{1}},
		{"nlm", 2, "h=0.5@ search-radius=2 patch-radius=1", []float64{1, 1e25}},
		{"nlm", 2, "h=0.01@ search-radius=2 patch-radius=1", []float64{1}},
		{"bilateral", 3, "sigma-range=12@ radius=3,1,2", []float64{1, 1e-25, 1e25}},
		{"bilateral", 2, "sigma-range=0.5@ radius=4", []float64{1, 1e-30}},
	} {
		f, err := denoise.FilterByName(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		for _, unit := range c.units {
			r, err := f.Recipe(denoise.Case{Dims: c.dims, Set: strings.ReplaceAll(c.set, "@", fmt.Sprintf("e%d", int(math.Log10(unit))))})
			if err != nil {
				t.Fatal(err)
			}
			v := steps(t, [3]int{45, 23, 5})
			for i := range v.Data {
				v.Data[i] = float32(float64(v.Data[i]) * unit)
			}
			v.Data[7] = float32(4000 * unit) // resembles nothing
			for _, masked := range []bool{false, true} {
				if masked {
					v.Mask = make([]bool, len(v.Data))
					for i := range v.Mask {
						v.Mask[i] = i%7 != 0 && i%45 > 2
					}
				}
				region := volume.Region{Min: [3]int{3, 1, 1}, Max: [3]int{41, 23, 4}}
				in := denoise.Input{Volume: v}
				want, err := cpu.Reference(context.Background(), r, in, region)
				if err != nil {
					t.Fatal(err)
				}
				got, err := cpu.New().Run(t.Context(), r, in, region, nil)
				if err != nil {
					t.Fatal(err)
				}
				worst := 0.0
				for i := range want.Data {
					worst = max(worst, math.Abs(float64(got.Data[i])-float64(want.Data[i]))/unit)
				}
				if !(worst <= 0.005) { // of a range of about 250
					t.Errorf("%s, masked %v: it differs by %g units", r, masked, worst)
				}
			}
		}
	}
}
