package slab_test

import (
	"fmt"
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/filter/slab"
	"quell/denoise/noise"
	"quell/volume"
)

// steps is a volume of slices of different brightness, with one bright voxel and Gaussian noise of 8.
func steps(t *testing.T, dims [3]int, masked bool) *volume.Volume {
	t.Helper()
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(4 * (i / v.SliceVoxels() % 3))
	}
	v, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 8, 11)
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Data { // central differences need steps that float32 holds
		v.Data[i] = float32(math.Round(float64(v.Data[i])*64) / 64)
	}
	v.Data[v.Index(5, 4, dims[2]/2)] = 90
	if masked {
		v.Mask = make([]bool, len(v.Data))
		for i := range v.Mask {
			v.Mask[i] = i%11 != 3
		}
	}
	return v
}

// resolved returns a resolved recipe.
func resolved(t *testing.T, set string, g volume.Geometry, f denoise.Facts) denoise.Recipe {
	t.Helper()
	r, err := slab.Filter.Recipe(denoise.Case{Dims: 3, Set: set})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = r.Resolve(g, f); err != nil {
		t.Fatal(err)
	}
	return r
}

// result computes one voxel by the definitions.
func result(t *testing.T, r denoise.Recipe, v *volume.Volume, x, y, z int) float64 {
	t.Helper()
	one := volume.Region{Min: [3]int{x, y, z}, Max: [3]int{x + 1, y + 1, z + 1}}
	out, err := cpu.Reference(t.Context(), r, denoise.Input{Volume: v}, one)
	if err != nil {
		t.Fatal(err)
	}
	return float64(out.Data[0])
}

// The closed form is the definition: the distance that the references move a voxel, and their central difference.
func TestSteinIsTheDerivativeOfTheReference(t *testing.T) {
	strengths := []float64{0.7, 2, 5, 40}
	kinks, compared, steep := 0, 0, 0
	for _, set := range []string{"reach=2 guide=1", "reach=3 guide=1.4 slice-correlation=50", "reach=1 guide=0.6 axis=x", "reach=2 guide=1 axis=y"} {
		for _, masked := range []bool{false, true} {
			v := steps(t, [3]int{12, 8, 5}, masked)
			var recipes []denoise.Recipe
			for _, s := range strengths {
				recipes = append(recipes, resolved(t, fmt.Sprintf("%s guide-sigma=%g", set, s), v.Geometry, denoise.Facts{}))
			}
			pass, ok := slab.Filter.Stein(recipes)
			if !ok {
				t.Fatalf("%s has no closed form", recipes[0])
			}
			box := volume.Region{Min: [3]int{1, 0, 1}, Max: [3]int{12, 8, 4}}
			count := denoise.Field{Dims: v.Dims, Box: box, Mask: make([]bool, box.Voxels())}
			total := make([]denoise.Stein, len(strengths))
			for z := box.Min[2]; z < box.Max[2]; z++ {
				for y := box.Min[1]; y < box.Max[1]; y++ {
					for x := box.Min[0]; x < box.Max[0]; x++ {
						at := v.Index(x, y, z)
						if !v.Valid(at) || (3*x+y+z)%5 > 0 {
							continue
						}
						count.Mask[count.Index(x, y, z)] = true
						one := volume.Region{Min: [3]int{x, y, z}, Max: [3]int{x + 1, y + 1, z + 1}}
						got := pass.Start(denoise.FieldOf(v), denoise.Field{Dims: v.Dims, Box: one})()(one, func() bool { return false })
						for k := range strengths {
							total[k].Residual += got[k].Residual
							total[k].Divergence += got[k].Divergence
							old := v.Data[at]
							here := result(t, recipes[k], v, x, y, z)
							const step = 1. / 64
							v.Data[at] = old + step
							up := result(t, recipes[k], v, x, y, z)
							v.Data[at] = old - step
							down := result(t, recipes[k], v, x, y, z)
							v.Data[at] = old
							compared++
							want := (up - down) / (2 * step)
							if want < 0 || want > 1 {
								steep++
							}
							tolerance := 2e-3 * math.Max(1, math.Abs(want))
							switch {
							case math.Abs(got[k].Divergence-want) <= tolerance:
							case math.Abs(up-2*here+down) > tolerance*step: // a difference passes the end of a ramp here
								kinks++
							default:
								t.Errorf("%s, masked %t, voxel (%d, %d, %d): the derivative is %.6f; the reference has %.6f", recipes[k], masked, x, y, z, got[k].Divergence, want)
							}
							if moved := math.Sqrt(got[k].Residual); !(math.Abs(moved-math.Abs(here-float64(old))) <= 1e-4) {
								t.Errorf("%s, masked %t, voxel (%d, %d, %d): it moves by %.6f; in the reference by %.6f", recipes[k], masked, x, y, z, moved, here-float64(old))
							}
						}
					}
				}
			}
			for k, got := range pass.Start(denoise.FieldOf(v), count)()(box, func() bool { return false }) {
				if !(math.Abs(got.Residual-total[k].Residual) <= 1e-9*total[k].Residual) || !(math.Abs(got.Divergence-total[k].Divergence) <= 1e-9*math.Abs(total[k].Divergence)) {
					t.Errorf("%s, masked %t: the tile gives %+v; its voxels sum to %+v", recipes[k], masked, got, total[k])
				}
			}
		}
	}
	if 50*kinks > compared || steep == 0 {
		t.Errorf("%d of %d derivatives could not be compared; %d lie beyond 0 to 1", kinks, compared, steep)
	}
}

// A worker returns within a row after a stop.
func TestSteinStops(t *testing.T) {
	v := steps(t, [3]int{40, 30, 5}, false)
	pass, _ := slab.Filter.Stein([]denoise.Recipe{resolved(t, "guide-sigma=9", v.Geometry, denoise.Facts{})})
	asked := 0
	pass.Start(denoise.FieldOf(v), denoise.Field{Dims: v.Dims, Box: v.Bounds()})()(v.Bounds(), func() bool { asked++; return asked > 8 })
	if asked > 11 {
		t.Errorf("it went on for %d questions after the answer to stop", asked-9)
	}
}
