package nlm

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// rho is 1 at 0, the list at whole distances, in between on straight lines, and falls
// to 0 one voxel beyond the list.
func TestRho(t *testing.T) {
	c := newCorrelation([]int{60, 20, -10, -40, 50, 25})
	for _, k := range []struct {
		d    [3]int
		want float64
	}{
		{[3]int{0, 0, 0}, 1}, {[3]int{1, 0, 0}, 0.6}, {[3]int{0, -1, 0}, 0.6}, {[3]int{-2, 0, 0}, 0.2},
		{[3]int{0, 3, 0}, -0.1}, {[3]int{4, 0, 0}, -0.4}, {[3]int{3, -4, 0}, 0}, {[3]int{5, 0, 0}, 0}, {[3]int{9, 9, 0}, 0},
		{[3]int{1, 1, 0}, 0.6 - 0.4*(math.Sqrt2-1)}, {[3]int{-4, 1, 0}, -0.4 * (5 - math.Sqrt(17))},
		{[3]int{0, 0, 1}, 0.5}, {[3]int{0, 0, -2}, 0.25}, {[3]int{0, 0, 3}, 0}, {[3]int{1, 0, 3}, 0}, {[3]int{2, 0, -1}, 0.1},
	} {
		if got := c.rho(k.d); math.Abs(got-k.want) > 1e-15 {
			t.Errorf("rho%v = %g; want %g", k.d, got, k.want)
		}
	}
}

// What is missing from the list is 0, and a list of zeros is white noise.
func TestShortLists(t *testing.T) {
	for _, c := range []struct {
		list []int
		none bool
		one  float64 // rho one voxel apart
		next float64 // one slice apart
	}{
		{[]int{0}, true, 0, 0}, {[]int{0, 0, 0, 0, 0, 0}, true, 0, 0}, {[]int{30}, false, 0.3, 0},
		{[]int{0, 0, 0, -1}, false, 0, 0}, {[]int{0, 0, 0, 0, 100}, false, 0, 1}, {[]int{0, 0, 0, 0, 0, 7}, false, 0, 0},
	} {
		got := newCorrelation(c.list)
		if got.correlated == c.none || got.rho([3]int{1, 0, 0}) != c.one || got.rho([3]int{0, 0, 1}) != c.next {
			t.Errorf("%v: %+v; white: %t, %g and %g", c.list, got, c.none, c.one, c.next)
		}
	}
}

func TestCut(t *testing.T) {
	p := Params{Sigma: 3}
	if got := p.Cut([3]int{1, 0, 0}); got != 18 {
		t.Errorf("%g is subtracted of white noise; want 2 sigma^2", got)
	}
	p.correlation = newCorrelation([]int{50, 0, 0, -100})
	for d, want := range map[[3]int]float64{{1, 0, 0}: 9, {0, 2, 0}: 18, {0, 4, 0}: 36, {7, 7, 7}: 18} {
		if got := p.Cut(d); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g is subtracted at %v; want %g", got, d, want)
		}
	}
}

// The automatic list is the estimate, averaged over the axes of the slice.
func TestAutoCorrelation(t *testing.T) {
	r, err := denoise.NewRecipe("nlm", 3)
	if err != nil {
		t.Fatal(err)
	}
	r = r.With("sigma", denoise.Number(5)).With("h", denoise.Number(9)).With("correlation", denoise.Auto)
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1})
	var c noise.Correlation
	const middle = noise.MaxLag
	c.InPlane[middle][middle], c.Across[0] = 1, 1
	for d := 1; d <= noise.MaxLag; d++ {
		c.InPlane[middle][middle+d], c.InPlane[middle+d][middle] = 0.5/float64(d), 0.3/float64(d)
	}
	c.InPlane[middle][middle+4] = -9 // beyond what a correlation can be
	c.Across[1], c.Across[2] = 0.246, -0.031
	for _, e := range []struct {
		c    *noise.Correlation
		want denoise.Value
	}{{&c, denoise.List(40, 20, 13, -100, 25, -3)}, {nil, denoise.List(0)}} {
		f := denoise.Facts{Hi: 100, Noise: noise.Known(5)}
		f.Noise.Correlation = e.c
		resolved, err := r.Resolve(g, f)
		if err != nil || !resolved.Get("correlation").Equal(e.want) {
			t.Errorf("%v, %v; want %v", resolved.Get("correlation"), err, e.want)
		}
	}
}

// The list is refused if nothing is subtracted, and if it has no meaning.
func TestCorrelationIsChecked(t *testing.T) {
	r, err := denoise.NewRecipe("nlm", 2)
	if err != nil {
		t.Fatal(err)
	}
	r = r.With("h", denoise.Number(9))
	sigma := r.With("sigma", denoise.Number(5))
	given := denoise.List(60, 20)
	for name, c := range map[string]struct {
		r  denoise.Recipe
		ok bool
	}{
		"with a sigma":      {sigma.With("correlation", given), true},
		"automatic sigma":   {r.With("sigma", denoise.Auto).With("correlation", given), true},
		"in sigmas":         {r.With("sigma", denoise.Sigmas(1)).With("correlation", given), true},
		"without a sigma":   {r.With("sigma", denoise.Number(0)).With("correlation", given), false},
		"lk":                {sigma.With("rician", denoise.Bool(true)).With("weighting", denoise.Word("lk")).With("correlation", given), false},
		"six values":        {sigma.With("correlation", denoise.List(1, 2, 3, 4, 5, 6)), true},
		"seven values":      {sigma.With("correlation", denoise.List(1, 2, 3, 4, 5, 6, 7)), false},
		"more than certain": {sigma.With("correlation", denoise.List(101)), false},
		"ends of the range": {sigma.With("correlation", denoise.List(100, -100)), true},
	} {
		if err := c.r.Validate(); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A sigma that is found to be 0 leaves the list without effect.
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1})
	resolved, err := r.With("sigma", denoise.Auto).With("correlation", given).Resolve(g, denoise.Facts{Hi: 1, Noise: noise.Known(0)})
	if err != nil || !resolved.Get("correlation").Equal(denoise.List(0)) {
		t.Errorf("%s, %v; want white noise", resolved, err)
	}
	if _, err := resolved.Bind(g); err != nil {
		t.Error(err)
	}
	if pass, ok := stein([]denoise.Recipe{sigma.With("correlation", given)}); ok || pass.Start != nil {
		t.Error("correlated noise has a closed form of Stein's risk")
	}
}
