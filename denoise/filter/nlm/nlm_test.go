package nlm

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/pairwise"
	"quell/denoise/tile"
	"quell/volume"
)

func near(got, want, relative float64) bool {
	return math.Abs(got-want) <= relative*math.Abs(want)
}

func TestTaps(t *testing.T) {
	r := denoise.Recipe{Dims: 2, Params: map[string]denoise.Value{
		"patch-radius": denoise.Number(2), "search-radius": denoise.Number(3),
		"patch-weights": denoise.Word("gaussian"), "patch-sigma": denoise.Number(1),
	}}
	p := newParams(r)
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
	u := newParams(r.With("patch-weights", denoise.Word("uniform")).With("patch-radius", denoise.Number(1)))
	if !slices.Equal(u.Taps, []float64{1. / 3, 1. / 3, 1. / 3}) {
		t.Errorf("uniform taps %v", u.Taps)
	}
}

// TestWorkOfPatches: the GPU sums patches anew if they are larger than its kernels for
// overlapping ones, and for the weights of lk; the work then counts every tap.
func TestWorkOfPatches(t *testing.T) {
	g := volume.NewGeometry([3]int{64, 60, 20}, [3]float64{1, 1, 1})
	for _, c := range []struct {
		dims, search, patch int
		lk                  bool
		work                float64
		reach               [3]int
	}{
		{2, 5, 3, false, 121, [3]int{8, 8, 0}},
		{2, 5, 4, false, 121 * 81, [3]int{9, 9, 0}},
		{2, 5, 1, true, 121 * 9, [3]int{6, 6, 0}},
		{3, 2, 3, false, 125, [3]int{5, 5, 5}},
		{3, 2, 4, false, 125 * 729, [3]int{6, 6, 6}},
		{3, 2, 0, false, 125, [3]int{2, 2, 2}},
	} {
		r, err := denoise.NewRecipe("nlm", c.dims)
		if err != nil {
			t.Fatal(err)
		}
		r = r.With("search-radius", denoise.Number(float64(c.search))).With("patch-radius", denoise.Number(float64(c.patch)))
		if c.lk {
			r = r.With("weighting", denoise.Word("lk"))
		} else {
			r = r.With("h", denoise.Number(10)).With("sigma", denoise.Number(5))
		}
		r, err = r.Resolve(g, denoise.Facts{Hi: 100})
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Bind(g)
		if err != nil {
			t.Fatal(err)
		}
		pass := p.Passes[len(p.Passes)-1]
		if float64(pass.Work) != c.work || pass.Reach != c.reach {
			t.Errorf("%+v: work %v, reach %v", c, pass.Work, pass.Reach)
		}
		pair := pairwise.Nanoseconds(c.dims * c.patch)
		if c.lk {
			pair += pairwise.NanosecondsLK
		}
		if want := tile.Count(p.Params.(Params).SearchRadius) / 2 * pair; math.Abs(pass.CPU.Nanoseconds/want-1) > 1e-12 {
			t.Errorf("%+v: %g ns, want %g", c, pass.CPU.Nanoseconds, want)
		}
	}
}
