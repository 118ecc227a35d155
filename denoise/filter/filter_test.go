package filter_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"quell/denoise"
	_ "quell/denoise/filter"
	"quell/denoise/noise"
	"quell/volume"
)

var grid = volume.NewGeometry([3]int{64, 64, 20}, [3]float64{0.5, 0.8, 3})

// Every filter is described in full: what Register cannot check.
func TestEveryFilterIsComplete(t *testing.T) {
	doc, err := os.ReadFile("../../docs/FILTERS.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(denoise.Filters()) < 5 {
		t.Fatalf("%d filters are registered", len(denoise.Filters()))
	}
	for _, f := range denoise.AllFilters() {
		if !strings.Contains(string(doc), "\n## "+f.Name+"\n") {
			t.Errorf("docs/FILTERS.md has no heading %q", "## "+f.Name)
		}
		if f.Together != nil { // it has no passes
			continue
		}
		picture := "images/filter-" + f.Name + ".png"
		if _, err := os.Stat("../../docs/" + picture); err != nil || !strings.Contains(string(doc), "("+picture+")") {
			t.Errorf("docs/FILTERS.md does not show docs/%s, which make pictures draws: %v", picture, err)
		}
		if _, err := os.Stat(f.Name + "/conformance_test.go"); err != nil {
			t.Errorf("%s is not in a package of its name that runs the conformance suite: %v", f.Name, err)
		}
		for _, dims := range f.Dims {
			r, err := denoise.NewRecipe(f.Name, dims)
			if err != nil {
				t.Fatal(err)
			}
			if r, err = r.Resolve(grid, denoise.Facts{Lo: 0, Hi: 100, Noise: noise.Known(5)}); err != nil {
				t.Fatal(err)
			}
			p, err := r.Bind(grid)
			if err != nil {
				t.Fatal(err)
			}
			reach := p.Reach()
			if reach[0] < 1 || reach[1] < 1 || (reach[2] > 0) != (dims == 3) {
				t.Errorf("%s reaches %v", r, reach)
			}
			for _, pass := range p.Passes {
				if !(pass.Work >= 1) || !(pass.CPU.Nanoseconds > 0) || pass.CPU.Scratch < 0 {
					t.Errorf("%s: pass %s costs %g steps, %g ns", r, pass.Name, pass.Work, pass.CPU.Nanoseconds)
				}
			}
		}
	}
}

// sliceCost is about the time in which a core filters one slice of grid, in ns for each
// voxel of it.
func sliceCost(t *testing.T, r denoise.Recipe) float64 {
	t.Helper()
	p, err := r.Bind(grid)
	if err != nil {
		t.Fatal(err)
	}
	slice := volume.Region{Min: [3]int{0, 0, 10}, Max: [3]int{64, 64, 11}}
	cost, halos := 0.0, p.Halos()
	for _, pass := range p.Passes {
		cost += pass.CPU.Nanoseconds * float64(slice.Grow(halos[pass.Output], grid).Voxels())
	}
	return cost / float64(slice.Voxels())
}

// The coarse form of a recipe is a recipe of the same filter, costs half of it or less,
// and has no coarser form itself.
func TestCoarseForms(t *testing.T) {
	for _, c := range []struct {
		filter string
		dims   int
		set    map[string]float64
		want   string // what differs in the coarse form; "" for none
	}{
		{"sadct", 2, nil, "overlap=12"}, {"sadct", 2, map[string]float64{"overlap": 37}, "overlap=12"}, {"sadct", 2, map[string]float64{"overlap": 36}, ""},
		{"prinlm", 3, nil, "2-D"}, {"prinlm", 3, map[string]float64{"search-radius": 1, "wiener": 6}, "2-D"},
		{"prinlm", 3, map[string]float64{"search-radius": 5}, "2-D"}, {"prinlm", 2, nil, ""}, {"prinlm", 2, map[string]float64{"search-radius": 6}, ""},
		{"prinlm", 2, map[string]float64{"search-radius": 7}, "2-D"}, {"prinlm", 2, map[string]float64{"wiener": 8}, "2-D"},
		{"nlm", 3, map[string]float64{"search-radius": 2}, ""}, {"nlm", 3, map[string]float64{"search-radius": 3}, "search-radius=2"},
		{"nlm", 3, map[string]float64{"search-radius": 5}, "search-radius=2"}, {"nlm", 2, map[string]float64{"search-radius": 3}, ""},
		{"nlm", 2, map[string]float64{"search-radius": 4}, "search-radius=2"}, {"nlm", 2, map[string]float64{"search-radius": 7}, "search-radius=3"},
		{"median", 3, nil, ""},
	} {
		r, err := denoise.NewRecipe(c.filter, c.dims)
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range c.set {
			r = r.With(name, denoise.Number(x))
		}
		if r, err = r.Resolve(grid, denoise.Facts{Lo: 0, Hi: 100, Noise: noise.Known(5)}); err != nil {
			t.Fatal(err)
		}
		coarse, ok := r.Coarse()
		if !ok {
			if c.want != "" {
				t.Errorf("%s has no coarse form; want %s", r, c.want)
			}
			continue
		}
		name, value, set := strings.Cut(c.want, "=")
		if c.want == "" || set && coarse.Get(name).String() != value || coarse.Filter != c.filter {
			t.Errorf("the coarse form of %s is %s; want %q", r, coarse, c.want)
		}
		if strings.HasPrefix(c.want, "2-D") && (coarse.Dims != 2 || coarse.Get("wiener").Int() != 0 || coarse.Get("search-radius").Int() != int(min(r.Get("search-radius").Float(), 3))) {
			t.Errorf("the coarse form of %s is %s", r, coarse)
		}
		if err := coarse.Validate(); err != nil || !coarse.Resolved() {
			t.Errorf("%s: %v", coarse, err)
		}
		if fine, cost := sliceCost(t, r), sliceCost(t, coarse); cost > fine/2 {
			t.Errorf("%s costs %.0f ns, its coarse form %.0f", r, fine, cost)
		}
		if _, again := coarse.Coarse(); again {
			t.Errorf("%s has a coarser form", coarse)
		}
	}
	if _, ok := (denoise.Recipe{Filter: "none"}).Coarse(); ok {
		t.Error("a filter that does not exist has a coarse form")
	}
}

// The conformance cases of a filter cover all its dimensionalities, parameters
// and choices, and several tiles.
func TestCasesCoverEveryOption(t *testing.T) {
	for _, f := range denoise.Filters() {
		var recipes []denoise.Recipe
		var names []string
		large := false
		for _, c := range f.Cases {
			r, err := f.Recipe(c)
			if err != nil {
				t.Errorf("%s %s: %v", f.Name, c.Name, err)
				continue
			}
			if slices.Contains(names, c.Name) {
				t.Errorf("%s has two cases called %s", f.Name, c.Name)
			}
			recipes, names = append(recipes, r), append(names, c.Name)
			large = large || c.Large != [3]int{}
		}
		if !large {
			t.Errorf("%s has no large case", f.Name)
		}
		covered := func(match func(r denoise.Recipe) bool) bool { return slices.ContainsFunc(recipes, match) }
		for _, dims := range f.Dims {
			if !covered(func(r denoise.Recipe) bool { return r.Dims == dims }) {
				t.Errorf("no case of %s is %d-D", f.Name, dims)
			}
		}
		for _, p := range f.Params {
			if p.Name == denoise.Stabilise.Name || p.Name == denoise.MixStrength.Name {
				continue // the suite sets it for every filter
			}
			if !covered(func(r denoise.Recipe) bool { return !r.Get(p.Name).Equal(p.Default) }) {
				t.Errorf("no case of %s sets %s", f.Name, p.Name)
			}
			for _, choice := range p.Choices {
				if !covered(func(r denoise.Recipe) bool { return r.Get(p.Name).String() == choice }) {
					t.Errorf("no case of %s has %s=%s", f.Name, p.Name, choice)
				}
			}
		}
	}
}
