package nlm_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/filter/nlm"
	"quell/denoise/noise"
	"quell/volume"
)

// edges is a volume of two levels with Gaussian noise and one voxel that resembles
// no other.
func edges(t *testing.T, dims [3]int, masked bool) *volume.Volume {
	t.Helper()
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(40 * (i % dims[0] / 5 % 2))
	}
	v, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 8, 11)
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Data { // central differences need steps that float32 holds
		v.Data[i] = float32(math.Round(float64(v.Data[i])*64) / 64)
	}
	v.Data[v.Index(5, 4, dims[2]/2)] = 900
	if masked {
		v.Mask = make([]bool, len(v.Data))
		for i := range v.Mask {
			v.Mask[i] = i%11 != 3
		}
	}
	return v
}

// sums runs the closed form over one tile.
func sums(t *testing.T, recipes []denoise.Recipe, v *volume.Volume, box volume.Region, count []bool) []denoise.Stein {
	t.Helper()
	pass, ok := nlm.Filter.Stein(recipes)
	if !ok {
		t.Fatalf("%s has no closed form", recipes[0])
	}
	return pass.Start(denoise.FieldOf(v), denoise.Field{Dims: v.Dims, Box: box, Mask: count})()(box, func() bool { return false })
}

// The closed form is the definition: the distance that the reference moves a voxel,
// and its central difference.
func TestSteinIsTheDerivativeOfTheReference(t *testing.T) {
	strengths := []float64{0.9, 6, 40}
	kinks, compared := 0, 0
	for _, c := range []struct {
		dims int
		set  string
	}{
		{3, "search-radius=2 patch-radius=1"},
		{3, "search-radius=1 patch-radius=1 patch-weights=uniform centre=one"},
		{3, "search-radius=2 patch-radius=1 sigma=5"},
		{3, "search-radius=2 patch-radius=2 patch-weights=uniform"},
		{3, "search-radius=2 patch-radius=0"},
		{2, "search-radius=3 patch-radius=1"},
		{2, "search-radius=2 patch-radius=2 patch-sigma=0.7 centre=one sigma=6"},
		{2, "search-radius=1 patch-radius=3"},
		{2, "search-radius=0"},
	} {
		for _, masked := range []bool{false, true} {
			v := edges(t, [3]int{12, 8, 5}, masked)
			var recipes []denoise.Recipe
			var references []func([]denoise.Field, int, int, int) float64
			for _, h := range strengths {
				r, err := nlm.Filter.Recipe(denoise.Case{Dims: c.dims, Set: fmt.Sprintf("%s h=%g", c.set, h)})
				if err != nil {
					t.Fatal(err)
				}
				if r, err = r.Resolve(v.Geometry, denoise.Facts{}); err != nil {
					t.Fatal(err)
				}
				program, err := r.Bind(v.Geometry)
				if err != nil {
					t.Fatal(err)
				}
				recipes, references = append(recipes, r), append(references, program.Passes[0].Reference)
			}
			total := make([]denoise.Stein, len(strengths))
			box := volume.Region{Min: [3]int{0, 0, 1}, Max: [3]int{12, 8, 4}}
			var counted []bool
			for z := box.Min[2]; z < box.Max[2]; z++ {
				for y := range v.Dims[1] {
					for x := range v.Dims[0] {
						at := v.Index(x, y, z)
						counted = append(counted, v.Valid(at) && (x+y)%3 > 0)
						if !counted[len(counted)-1] {
							continue
						}
						one := sums(t, recipes, v, volume.Region{Min: [3]int{x, y, z}, Max: [3]int{x + 1, y + 1, z + 1}}, nil)
						for k := range strengths {
							total[k].Residual += one[k].Residual
							total[k].Divergence += one[k].Divergence
							in := []denoise.Field{denoise.FieldOf(v)}
							old := v.Data[at]
							moved := references[k](in, x, y, z) - float64(old)
							const step = 1. / 64
							v.Data[at] = old + step
							up := references[k](in, x, y, z)
							v.Data[at] = old - step
							down := references[k](in, x, y, z)
							v.Data[at] = old
							want := (up - down) / (2 * step)
							// The difference errs by the third derivative, which grows with 1/h^3.
							tolerance := 2e-4 + 0.02*math.Min(1, 1.5*1.5/(strengths[k]*strengths[k]))
							compared++
							switch tolerance *= math.Max(1, math.Abs(want)); {
							case math.Abs(one[k].Divergence-want) <= tolerance:
							case math.Abs(up-2*(float64(old)+moved)+down) > tolerance*step:
								// The one-sided differences disagree: a distance passes
								// 2 sigma^2 here, or another patch becomes the most similar.
								kinks++
							default:
								t.Errorf("%s, masked %v, voxel (%d, %d, %d): the derivative is %.6f; the reference has %.6f", recipes[k], masked, x, y, z, one[k].Divergence, want)
							}
							if got := math.Sqrt(one[k].Residual); !(math.Abs(got-math.Abs(moved)) <= 2e-5*40) {
								t.Errorf("%s, masked %v, voxel (%d, %d, %d): it moves by %.6f; in the reference by %.6f", recipes[k], masked, x, y, z, got, moved)
							}
						}
					}
				}
			}
			for k, got := range sums(t, recipes, v, box, counted) {
				if !(math.Abs(got.Residual-total[k].Residual) <= 1e-5*total[k].Residual+1e-9) || !(math.Abs(got.Divergence-total[k].Divergence) <= 1e-5*math.Abs(total[k].Divergence)+1e-3) {
					t.Errorf("%s, masked %v: the tile gives %+v; its voxels sum to %+v", recipes[k], masked, got, total[k])
				}
			}
		}
	}
	if 100*kinks > compared {
		t.Errorf("%d of %d derivatives could not be compared", kinks, compared)
	}
}

// The closed form scales with the values.
func TestSteinInExtremeUnits(t *testing.T) {
	v := edges(t, [3]int{24, 9, 5}, false)
	for _, set := range []string{"h=@9 search-radius=2 patch-radius=1", "h=@9 search-radius=2 patch-radius=1 sigma=@4"} {
		var want denoise.Stein
		for _, e := range []int{0, -90, 90} {
			unit := math.Ldexp(1, e)
			w := v.Clone()
			for i := range w.Data {
				w.Data[i] = float32(float64(w.Data[i]) * unit)
			}
			var parts []string
			for part := range strings.FieldsSeq(set) {
				if name, text, ok := strings.Cut(part, "=@"); ok {
					x := 0.0
					if _, err := fmt.Sscan(text, &x); err != nil {
						t.Fatal(err)
					}
					part = fmt.Sprintf("%s=%g", name, x*unit)
				}
				parts = append(parts, part)
			}
			r, err := nlm.Filter.Recipe(denoise.Case{Dims: 3, Set: strings.Join(parts, " ")})
			if err != nil {
				t.Fatal(err)
			}
			got := sums(t, []denoise.Recipe{r}, w, w.Bounds(), nil)[0]
			got.Residual /= unit * unit
			if e == 0 {
				want = got
			}
			if math.Abs(got.Residual/want.Residual-1) > 1e-6 || math.Abs(got.Divergence/want.Divergence-1) > 1e-6 {
				t.Errorf("times 2^%d: %+v; want %+v", e, got, want)
			}
		}
	}
}

func TestWithoutClosedForm(t *testing.T) {
	for _, set := range []string{"h=3 rician=true sigma=2", "weighting=lk"} {
		r, err := nlm.Filter.Recipe(denoise.Case{Dims: 2, Set: set})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := nlm.Filter.Stein([]denoise.Recipe{r}); ok {
			t.Errorf("%s has a closed form", r)
		}
	}
}

// A worker returns within a row of pairs after a stop.
func TestSteinStops(t *testing.T) {
	v := edges(t, [3]int{40, 30, 5}, false)
	r, err := nlm.Filter.Recipe(denoise.Case{Dims: 3, Set: "h=9 search-radius=3"})
	if err != nil {
		t.Fatal(err)
	}
	pass, _ := nlm.Filter.Stein([]denoise.Recipe{r})
	asked := 0
	pass.Start(denoise.FieldOf(v), denoise.Field{Dims: v.Dims, Box: v.Bounds()})()(v.Bounds(), func() bool { asked++; return asked > 5 })
	if asked > 8 {
		t.Errorf("it went on for %d questions after the answer to stop", asked-6)
	}
}
