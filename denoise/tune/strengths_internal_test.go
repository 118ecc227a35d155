package tune

import (
	"errors"
	"math"
	"slices"
	"testing"

	"quell/denoise"
	_ "quell/denoise/filter"
	"quell/denoise/noise"
	"quell/volume"
)

// steps returns a search of a filter on voxels of 2 x 3 x 4 mm.
func steps(t *testing.T, filter string) *search {
	t.Helper()
	r, err := denoise.NewRecipe(filter, 2)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSteps(volume.NewGeometry([3]int{9, 9, 9}, [3]float64{3, 2, 4}), r, denoise.Facts{Hi: 100, Noise: noise.Known(5)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The strengths that are tried first cover the range of the filter: whole numbers one by
// one, others at equal ratios. A strength in sigmas, in voxels and in the smallest spacing
// becomes the value of the parameter and back.
func TestFirstStrengths(t *testing.T) {
	for filter, c := range map[string]struct {
		count int
		unit  float64 // of a strength in the unit of the parameter
	}{"median": {5, 1}, "gaussian": {coarse, 2}, "bilateral": {coarse, 5}, "lpa": {coarse, 1}} {
		s := steps(t, filter)
		xs := s.grid()
		if len(xs) != c.count || math.Abs(xs[0]-s.strength.Lo) > 1e-12 || math.Abs(xs[len(xs)-1]-s.strength.Hi) > 1e-9 {
			t.Errorf("%s: %v; want %d from %g to %g", filter, xs, c.count, s.strength.Lo, s.strength.Hi)
		}
		for k := 1; k+1 < len(xs); k++ {
			if filter == "median" && xs[k] != xs[k-1]+1 || filter != "median" && math.Abs(xs[k+1]*xs[k-1]/xs[k]/xs[k]-1) > 1e-9 {
				t.Errorf("%s: %v is not even", filter, xs)
			}
		}
		for _, x := range xs {
			r, err := s.at(x)
			if err != nil {
				t.Fatal(err)
			}
			v := r.Get(s.param.Name)
			if got := slices.Max(append(v.Ints(), -1)); filter == "median" && float64(got) != x {
				t.Errorf("median of strength %g: %v", x, v)
			}
			if filter != "median" && math.Abs(v.Float()/(x*c.unit)-1) > 1e-9 {
				t.Errorf("%s of strength %g: %v; want %g", filter, x, v, x*c.unit)
			}
			if back, ok := StrengthOf(r, s.geometry, 5); !ok || math.Abs(back-x) > 1e-9*x {
				t.Errorf("%s: the strength %g became %g, %v", filter, x, back, ok)
			}
		}
	}
}

// A recipe that does not use its strength has none to be tried.
func TestNoStrengthToTry(t *testing.T) {
	r, err := denoise.NewRecipe("nlm", 2)
	if err != nil {
		t.Fatal(err)
	}
	g, facts := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1}), denoise.Facts{Hi: 100, Noise: noise.Known(5)}
	if s, err := newSteps(g, r, facts); err != nil || s.param.Name != "h" {
		t.Errorf("nlm: %v", err)
	}
	lk := r.With("weighting", denoise.Word("lk"))
	if s, err := newSteps(g, lk, facts); s != nil || !errors.Is(err, ErrNoStrength) {
		t.Errorf("lk: %v", err)
	}
	if x, ok := StrengthOf(lk, g, 5); ok || x != 0 {
		t.Errorf("lk has the strength %g", x)
	}
}

// curved gives a search points at strengths 1, 2, 4, ... with the given risks in both
// halves.
func curved(halves ...[2]float64) *search {
	s := &search{objective: LeastRisk, facts: denoise.Facts{Noise: noise.Known(1)}}
	for k, h := range halves {
		p := tried{strength: math.Exp2(float64(k))}
		for i, mse := range h {
			p.halves[i] = tally{Stein: denoise.Stein{Residual: 10 * (mse + 1)}, voxels: 10, noise: 10}
		}
		s.points = append(s.points, p)
	}
	return s
}

func TestStrengthsBetween(t *testing.T) {
	same := func(mse ...float64) *search {
		var halves [][2]float64
		for _, x := range mse {
			halves = append(halves, [2]float64{x, x})
		}
		return curved(halves...)
	}
	for name, c := range map[string]struct {
		s    *search
		want []float64 // as exponents of 2
	}{
		"inside": {same(3, 1, 2, 4), []float64{0.5, 1.5}}, "the first": {same(1, 2, 3), []float64{0.5}}, "the last": {same(3, 2, 1), []float64{1.5}}, "alone": {same(1), nil},
	} {
		got := c.s.between()
		for i := range got {
			got[i] = math.Round(math.Log2(got[i])*1e9) / 1e9
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: between at 2^%v; want 2^%v", name, got, c.want)
		}
	}
}

// The halves disagree by what the one loses at the strength of the other, relative to its
// least: the mean of both. A half without voxels disagrees with anything.
func TestDisagreement(t *testing.T) {
	for name, c := range map[string]struct {
		s    *search
		want float64
	}{
		"agreed":          {curved([2]float64{3, 6}, [2]float64{1, 2}, [2]float64{2, 3}), 0},
		"neighbours":      {curved([2]float64{3, 6}, [2]float64{1, 3}, [2]float64{1.5, 2}), (0.5 + 0.5) / 2},
		"of another size": {curved([2]float64{3, 6}, [2]float64{1, 3}, [2]float64{2, 2}), (1 + 0.5) / 2},
	} {
		if got := c.s.disagreement(); !(math.Abs(got-c.want) <= 1e-12) {
			t.Errorf("%s: %g; want %g", name, got, c.want)
		}
	}
	one := curved([2]float64{3, 6}, [2]float64{1, 2})
	one.points[1].halves[1] = tally{}
	if got := one.disagreement(); got != 1 {
		t.Errorf("one box: %g", got)
	}
}

// Values on the curve are values of the parameter in the series: if the noise is
// stabilised, those in the volume's unit come from sigmas of it.
func TestValuesOnTheCurve(t *testing.T) {
	for _, c := range []struct {
		filter      string
		unit, value float64
	}{{"bilateral", 0, 10}, {"bilateral", 3, 30}, {"gaussian", 0, 4}, {"gaussian", 3, 4}} {
		s := steps(t, c.filter)
		s.unit = c.unit
		r, err := s.at(2)
		if err != nil {
			t.Fatal(err)
		}
		s.points = []tried{{strength: 2, recipe: r, halves: [2]tally{{voxels: 1, noise: 1}}}}
		if got := s.curve().Points[0]; math.Abs(got.Value.Float()-c.value) > 1e-9 || got.Strength != 2 {
			t.Errorf("%s in units of %g: %+v; want %g", c.filter, c.unit, got, c.value)
		}
	}
}

// What the voxels of a slice add up to, of the voxels that count, and of all
// slices.
func TestShares(t *testing.T) {
	g := volume.NewGeometry([3]int{2, 2, 3}, [3]float64{1, 1, 1})
	r := held(g, make([]float32, 12), make([]bool, 12))
	found := []float32{2, 2, 2, 2}
	for i := range r.data {
		r.data[i], r.use[i] = float32(i), i%4 != 1 && i < 8
	}
	var per []share
	for z := range 3 {
		per = append(per, shareOf(r.data[4*z:4*z+4], found, r.use[4*z:4*z+4]))
	}
	want := []share{{3, 12, 2, 0}, {3, 12, 2, 0}, {}}
	if !slices.Equal(per, want) {
		t.Errorf("%+v; want %+v", per, want)
	}
	if s := shareOf(r.data[:4], []float32{1, 9, 3, 3}, r.use[:4]); s.peak != 3 || s.at != 2 {
		t.Errorf("%+v; want the first of the highest that count", s)
	}
	for enough, want := range map[int]int{1: 3, 3: 3, 4: 6, 100: 6} {
		if n := r.count(enough); n != want {
			t.Errorf("%d voxels, where %d are enough; want %d", n, enough, want)
		}
	}
	if all := total(per); all != (share{voxels: 6, found: 24}) || all.structure() != 4 || (share{}).structure() != 0 {
		t.Errorf("all: %+v", all)
	}
}

// Without the recipe every filter with a strength may stand in: in a slice its 2-D form.
func TestStandIns(t *testing.T) {
	for deep, several := range map[int]bool{1: false, 2: true} {
		g := volume.NewGeometry([3]int{9, 9, deep}, [3]float64{1, 1, 1})
		all, err := defaults(g, denoise.Facts{Hi: 100, Noise: noise.Known(2)})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range denoise.Filters() {
			for _, dims := range f.Dims {
				there := slices.ContainsFunc(all, func(r denoise.Recipe) bool { return r.Filter == f.Name && r.Dims == dims })
				if want := f.Strength.Param != "" && (dims == 2 || several); there != want {
					t.Errorf("several slices %v: %s %d-D stands in: %v", several, f.Name, dims, there)
				}
			}
		}
	}
}

func TestInnerBest(t *testing.T) {
	for best, want := range []bool{false, true, true, false} {
		if c := (Curve{Points: make([]Point, 4), Best: best}); c.Inner() != want {
			t.Errorf("best point %d of 4: %t", best, !want)
		}
	}
}
