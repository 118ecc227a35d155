package denoise_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"quell/denoise"
	"quell/volume"
)

var (
	grid  = volume.NewGeometry([3]int{64, 64, 20}, [3]float64{0.5, 0.8, 3})
	facts = denoise.Facts{Lo: -1000, Hi: 1000, Sigma: 20}
)

func newRecipe(t *testing.T, filter string, dims int) denoise.Recipe {
	t.Helper()
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func resolve(t *testing.T, r denoise.Recipe, f denoise.Facts) denoise.Recipe {
	t.Helper()
	out, err := r.Resolve(grid, f)
	if err != nil {
		t.Fatal(err)
	}
	if !out.Resolved() {
		t.Errorf("%s: resolved to %s, which is not", r, out)
	}
	again, err := out.Resolve(grid, denoise.Facts{Lo: 0, Hi: 7, Sigma: 99})
	if err != nil || !again.Equal(out) {
		t.Errorf("%s: resolved again it became %s, %v", out, again, err)
	}
	return out
}

func TestResolve(t *testing.T) {
	if newRecipe(t, "nlm", 3).Resolved() || newRecipe(t, "bilateral", 2).Resolved() {
		t.Error("automatic values count as resolved")
	}
	nlm := resolve(t, newRecipe(t, "nlm", 3).With("sigma", denoise.Auto), facts)
	if h := nlm.NLM().H; !near(h, 20*math.Sqrt2, 1e-15) {
		t.Errorf("automatic h is %v; want sqrt(2) sigma", h)
	}
	if s := nlm.NLM().Sigma; s != 20 {
		t.Errorf("automatic sigma is %v", s)
	}
	if s := resolve(t, newRecipe(t, "lpa", 2), facts).LPA().Sigma; s != 20 {
		t.Errorf("automatic lpa sigma is %v", s)
	}
	// 2 sigma = 2 mm: 4 voxels of 0.5 mm, 2.5 of 0.8, 0.67 of 3.
	b := resolve(t, newRecipe(t, "bilateral", 3), facts).Bilateral(grid)
	if b.SigmaRange != 300 || b.Radius != [3]int{4, 3, 1} {
		t.Errorf("bilateral resolved to %+v", b)
	}
	if b.Scale != [3]float64{0.5, 0.8, 3} {
		t.Errorf("bilateral scale is %v", b.Scale)
	}
	flat := resolve(t, newRecipe(t, "gaussian", 2), facts).Gaussian(grid)
	if flat.Radius != [3]int{4, 3, 0} {
		t.Errorf("2-D radius is %v", flat.Radius)
	}
	voxels := resolve(t, newRecipe(t, "gaussian", 3).With("voxel-units", denoise.Bool(true)).With("sigma-spatial", denoise.Number(1.5)), facts)
	if p := voxels.Gaussian(grid); p.Radius != [3]int{3, 3, 3} || !near(p.Scale[2], 1/1.5, 1e-15) {
		t.Errorf("in voxel units: %+v", p)
	}
	if p := resolve(t, newRecipe(t, "median", 2).With("radius", denoise.List(1, 2, 3)), facts).Median(); p.Radius != [3]int{1, 2, 0} {
		t.Errorf("median radius in 2-D is %v", p.Radius)
	}
}

// Without noise or range nothing may be divided by 0.
func TestResolveWithoutNoise(t *testing.T) {
	if h := resolve(t, newRecipe(t, "nlm", 3), denoise.Facts{}).NLM().H; !(h > 0) {
		t.Errorf("h is %v", h)
	}
	if s := resolve(t, newRecipe(t, "bilateral", 3), denoise.Facts{Lo: 5, Hi: 5}).Bilateral(grid).SigmaRange; !(s > 0) {
		t.Errorf("range sigma is %v", s)
	}
}

func TestResolveRefusals(t *testing.T) {
	for want, r := range map[string]denoise.Recipe{
		"along x":         newRecipe(t, "gaussian", 3).With("sigma-spatial", denoise.Number(100)),
		"must rise":       newRecipe(t, "lpa", 2).With("scales", denoise.List(1, 3, 3)),
		"outside":         newRecipe(t, "nlm", 3).With("h", denoise.Number(-1)),
		"no 3-D form":     {Version: denoise.RecipeVersion, Filter: "lpa", Dims: 3},
		"no filter":       {Version: denoise.RecipeVersion, Filter: "blur", Dims: 2},
		"not a number":    newRecipe(t, "nlm", 3).With("h", denoise.Word("x")),
		"is not possible": newRecipe(t, "nlm", 3).With("search-radius", denoise.Auto),
	} {
		if _, err := r.Resolve(grid, facts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want one that says %q", r, err, want)
		}
	}
}

func TestReach(t *testing.T) {
	for _, c := range []struct {
		r    denoise.Recipe
		want [3]int
	}{
		{newRecipe(t, "nlm", 3).With("search-radius", denoise.Number(5)).With("patch-radius", denoise.Number(2)), [3]int{7, 7, 7}},
		{newRecipe(t, "nlm", 2), [3]int{4, 4, 0}},
		{newRecipe(t, "bilateral", 3), [3]int{4, 3, 1}},
		{newRecipe(t, "gaussian", 2), [3]int{4, 3, 0}},
		{newRecipe(t, "median", 3).With("radius", denoise.List(1, 2, 3)), [3]int{1, 2, 3}},
		{newRecipe(t, "lpa", 2), [3]int{7, 7, 0}},
	} {
		if got := denoise.Reach(resolve(t, c.r, facts), grid); got != c.want {
			t.Errorf("%s reaches %v; want %v", c.r, got, c.want)
		}
	}
}

func TestTaps(t *testing.T) {
	p := resolve(t, newRecipe(t, "nlm", 2).With("patch-radius", denoise.Number(2)), facts).NLM()
	sum := 0.0
	for k, a := range p.Taps {
		sum += a
		if want := math.Exp(-0.5*float64((k-2)*(k-2))) * p.Taps[2]; !near(a, want, 1e-14) {
			t.Errorf("tap %d is %v; want %v", k, a, want)
		}
	}
	if len(p.Taps) != 5 || !near(sum, 1, 1e-15) {
		t.Errorf("taps %v", p.Taps)
	}
	u := resolve(t, newRecipe(t, "nlm", 3).With("patch-weights", denoise.Word("uniform")), facts).NLM()
	if !slices.Equal(u.Taps, []float64{1. / 3, 1. / 3, 1. / 3}) {
		t.Errorf("uniform taps %v", u.Taps)
	}
	g := denoise.GaussianParams{Radius: [3]int{1, 2, 0}, Scale: [3]float64{1, 0.5, 1}}
	if got := g.Taps(1); len(got) != 5 || got[2] != 1 || !near(got[0], math.Exp(-0.5), 1e-15) {
		t.Errorf("gaussian taps %v", got)
	}
}
