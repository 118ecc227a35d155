package pairwise_test

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/pairwise"
	"quell/volume"
)

// The sums of a tile are the sums of the reference: how far it moves each voxel that
// counts, and its central difference. The Go loops give the bits of the vector code.
func TestSteinSums(t *testing.T) {
	f, err := denoise.FilterByName("nlm")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dims   int
		set    string
		masked bool
	}{
		{3, "search-radius=2 patch-radius=1", false},
		{2, "search-radius=3 patch-radius=2 centre=one sigma=7", true},
		{2, "search-radius=2 patch-radius=1 sigma=9", true},
	} {
		v := steps(t, [3]int{44, 23, 5})
		for i := range v.Data { // central differences need steps that float32 holds
			v.Data[i] = float32(math.Round(float64(v.Data[i])*64) / 64)
		}
		if c.masked {
			v.Mask = make([]bool, len(v.Data))
			for i := range v.Mask {
				v.Mask[i] = i%13 != 5
			}
		}
		box := volume.Region{Min: [3]int{17, 3, 1}, Max: [3]int{40, 20, 4}}
		var recipes []denoise.Recipe
		var want []denoise.Stein
		count := make([]bool, box.Voxels())
		for _, h := range []string{"8", "25"} {
			r, err := f.Recipe(denoise.Case{Dims: c.dims, Set: "h=" + h + " " + c.set})
			if err != nil {
				t.Fatal(err)
			}
			if r, err = r.Resolve(v.Geometry, denoise.Facts{Hi: 1}); err != nil {
				t.Fatal(err)
			}
			program, err := r.Bind(v.Geometry)
			if err != nil {
				t.Fatal(err)
			}
			var s denoise.Stein
			k := -1
			for z := box.Min[2]; z < box.Max[2]; z++ {
				for y := box.Min[1]; y < box.Max[1]; y++ {
					for x := box.Min[0]; x < box.Max[0]; x++ {
						i := v.Index(x, y, z)
						k++
						if count[k] = v.Valid(i) && (x+2*y)%5 == 0; !count[k] {
							continue
						}
						value := func(by float32) float64 {
							old := v.Data[i]
							defer func() { v.Data[i] = old }()
							v.Data[i] += by
							return program.Passes[0].Reference([]denoise.Field{denoise.FieldOf(v)}, x, y, z)
						}
						const step = 1. / 64
						d := value(0) - float64(v.Data[i])
						s.Residual += d * d
						s.Divergence += (value(step) - value(-step)) / (2 * step)
					}
				}
			}
			recipes, want = append(recipes, r), append(want, s)
		}
		pass, ok := f.Stein(recipes)
		if !ok {
			t.Fatalf("%s has no closed form", recipes[0])
		}
		run := func() []denoise.Stein {
			return pass.Start(denoise.FieldOf(v), denoise.Field{Dims: v.Dims, Box: box, Mask: count})()(box, func() bool { return false })
		}
		got := run()
		for k := range want {
			// Kinks, at which a difference has two slopes, cost a thousandth.
			if !(math.Abs(got[k].Residual/want[k].Residual-1) <= 1e-5) || !(math.Abs(got[k].Divergence/want[k].Divergence-1) <= 2e-3) {
				t.Errorf("%s, masked %v: %+v; want %+v", recipes[k], c.masked, got[k], want[k])
			}
		}
		pairwise.WithoutVector(func() {
			for k, plain := range run() {
				if plain != got[k] {
					t.Errorf("%s: %+v without vector code; %+v with it", recipes[k], plain, got[k])
				}
			}
		})
	}
}
