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
	for _, f := range denoise.Filters() {
		if !strings.Contains(string(doc), "\n## "+f.Name+"\n") {
			t.Errorf("docs/FILTERS.md has no heading %q", "## "+f.Name)
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
			if p.Name == denoise.Stabilise.Name {
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
