package denoise

import (
	"errors"
	"strings"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// withProbe registers a filter for one test: a strength that may be a percentage or
// automatic, a radius per axis and a switch. Its Bind returns the program given.
func withProbe(t *testing.T, bind func(r Recipe, g volume.Geometry) (Program, error)) Recipe {
	t.Helper()
	before := registered
	t.Cleanup(func() { registered = before })
	Register(Filter{
		Name: "probe", Title: "Probe", Source: "test", Help: "A test.", Dims: []int{2, 3}, Bind: bind, Cases: []Case{{Dims: 2}},
		Params: []Param{
			{
				Name: "amount", Label: "Amount", Help: "S.", Kind: Float, Min: 1, Max: 10, Lo: 1, Hi: 10, Step: 1,
				Default: Number(2), Percent: true,
				Auto: NoiseSigma,
			},
			{
				Name: "radius", Label: "Radius", Help: "R.", Kind: Ints, PerAxis: true, Max: 9, Hi: 9, Step: 1, Default: List(1),
				Auto: &AutoRule{Value: func(_ Recipe, g volume.Geometry) (Value, error) {
					if g.Spacing[0] != 1 {
						return Value{}, errors.New("no radius fits")
					}
					return List(g.Dims[0]), nil
				}},
			},
			{Name: "exact", Label: "Exact", Help: "E.", Kind: Switch, Default: Bool(false)},
		},
	})
	r, err := NewRecipe("probe", 3)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var unitGrid = volume.NewGeometry([3]int{3, 2, 1}, [3]float64{1, 1, 1})

// Computed numbers are moved into the domain; given ones are not.
func TestResolveClamps(t *testing.T) {
	r := withProbe(t, func(Recipe, volume.Geometry) (Program, error) { return chain("voxels>result"), nil })
	for _, c := range []struct {
		given Value
		facts Facts
		want  float64
	}{
		{Percent(10), Facts{Lo: -10, Hi: 30}, 4}, {Percent(100), Facts{Hi: 11}, 10}, {Percent(10), Facts{Hi: 1}, 1}, {Percent(0), Facts{Hi: 5}, 1},
		{Auto, Facts{Noise: noise.Known(7)}, 7}, {Auto, Facts{Noise: noise.Known(11)}, 10}, {Auto, Facts{}, 1}, {Number(3), Facts{Hi: 7}, 3},
	} {
		out, err := r.With("amount", c.given).Resolve(unitGrid, c.facts)
		if err != nil || out.Get("amount").Float() != c.want || !out.Get("radius").Equal(List(1, 1, 1)) {
			t.Errorf("%s with %+v resolves to %s, %v; want %g", c.given, c.facts, out, err, c.want)
		}
	}
	wide := unitGrid
	wide.Spacing[0] = 2
	if _, err := r.With("radius", Auto).Resolve(wide, Facts{}); err == nil || !strings.Contains(err.Error(), "probe: no radius fits") {
		t.Errorf("error %v; want the rule's", err)
	}
	if out, err := r.With("radius", Auto).Resolve(unitGrid, Facts{}); err != nil || !out.Get("radius").Equal(List(3, 3, 3)) {
		t.Errorf("an automatic radius resolves to %s, %v", out, err)
	}
	if len(r.Params) != 5 || !r.Get("radius").Equal(List(1)) {
		t.Errorf("Resolve changed the recipe it was called on: %v", r.Params)
	}
}

func TestResolved(t *testing.T) {
	r := withProbe(t, func(Recipe, volume.Geometry) (Program, error) { return chain("voxels>result"), nil }).With("radius", List(1, 2, 3))
	for _, c := range []struct {
		r    Recipe
		want bool
	}{
		{r, true}, {r.With("amount", Percent(5)), false}, {r.With("amount", Auto), false},
		{r.With("radius", List(1)), false}, {Recipe{Filter: "none"}, false},
	} {
		if got := c.r.Resolved(); got != c.want {
			t.Errorf("%s: resolved %v", c.r, got)
		}
	}
}

func TestBind(t *testing.T) {
	var program Program
	var wrong error
	r := withProbe(t, func(Recipe, volume.Geometry) (Program, error) { return program, wrong })
	resolved, err := r.Resolve(unitGrid, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	program = chain("voxels>result")
	p, err := resolved.Bind(unitGrid)
	if err != nil || !p.Recipe.Equal(resolved) || p.Recipe.Filter != "probe" || len(p.Passes) != 1 {
		t.Errorf("bound to %+v, %v", p, err)
	}
	refused := func(what string, r Recipe, want string) {
		t.Helper()
		if p, err := r.Bind(unitGrid); err == nil || !strings.Contains(err.Error(), want) || p.Passes != nil {
			t.Errorf("%s: %d passes, error %v; want one that says %q", what, len(p.Passes), err, want)
		}
	}
	refused("not resolved", r, "not resolved")
	refused("invalid", resolved.With("amount", Number(99)), "outside")
	refused("no filter", Recipe{Version: RecipeVersion, Filter: "none"}, "no filter")
	program = chain("voxels>a")
	refused("broken program", resolved, "probe: no pass computes the result")
	wrong = errors.New("does not fit")
	refused("refused by the filter", resolved, "probe: does not fit")
}

// Accepts refuses a map that no pass reads and misses one that a pass reads.
func TestAccepts(t *testing.T) {
	v := volume.New(unitGrid)
	v.Data[0] = 1 // as a noise map it needs a positive number
	for _, c := range []struct {
		p     Program
		in    Input
		error string
	}{
		{chain("voxels>result"), Input{Volume: v}, ""},
		{chain("voxels>result"), Input{Volume: v, Noise: v}, "does not use a noise map"},
		{chain("voxels>result"), Input{Volume: v, Guide: v}, "does not use a guide volume"},
		{chain("voxels,noise map>result"), Input{Volume: v, Noise: v}, ""},
		{chain("voxels,noise map>result"), Input{Volume: v}, "needs a noise map"},
		{chain("voxels>a", "a,guide volume>result"), Input{Volume: v, Guide: v}, ""},
		{chain("voxels>a", "a,guide volume>result"), Input{Volume: v}, "needs a guide volume"},
		{chain("voxels,noise map,guide volume>result"), Input{Volume: v, Guide: v}, "needs a noise map"},
		{chain("voxels,noise map,guide volume>result"), Input{Volume: v, Noise: v, Guide: v}, ""},
		{chain("voxels>result"), Input{}, "no volume"},
	} {
		err := c.p.Accepts(c.in)
		if (err == nil) != (c.error == "") || (err != nil && !strings.Contains(err.Error(), c.error)) {
			t.Errorf("%s: error %v; want %q", c.p.Passes[0].Name, err, c.error)
		}
	}
}

// The reach counts every input, not only the voxels, and no intermediate.
func TestReachOfMaps(t *testing.T) {
	for _, name := range []string{NoiseMap, GuideVolume} {
		p := chain("voxels>a", "a,"+name+">result")
		p.Passes[0].Reach, p.Passes[1].Reach = [3]int{0, 0, 0}, [3]int{0, 2, 0}
		p.Passes[0].Inputs = nil
		if got, want := p.Reach(), [3]int{0, 2, 0}; got != want {
			t.Errorf("%s: reach %v; want %v", name, got, want)
		}
	}
	p := chain(">a", "a>result")
	p.Passes[0].Inputs = nil
	if got := p.Reach(); got != [3]int{} {
		t.Errorf("an intermediate counts as an input: reach %v", got)
	}
}

// A number per axis holds for every axis that the recipe filters along.
func TestAxes(t *testing.T) {
	r := Recipe{Dims: 3, Params: map[string]Value{"one": List(4), "three": List(1, 2, 3), "number": Number(5)}}
	flat := r
	flat.Dims = 2
	for _, c := range []struct{ got, want [3]int }{
		{r.Axes("one"), [3]int{4, 4, 4}}, {r.Axes("three"), [3]int{1, 2, 3}}, {r.Axes("number"), [3]int{5, 5, 5}}, {r.Isotropic(2), [3]int{2, 2, 2}},
		{flat.Axes("one"), [3]int{4, 4, 0}}, {flat.Axes("three"), [3]int{1, 2, 0}}, {flat.Isotropic(2), [3]int{2, 2, 0}},
	} {
		if c.got != c.want {
			t.Errorf("axes %v; want %v", c.got, c.want)
		}
	}
}

// Recipes of filters that do not exist, as records of other versions hold them, are
// refused and harm nothing.
func TestRecipeOfNoFilter(t *testing.T) {
	if _, err := NewRecipe("none", 2); err == nil {
		t.Error("a recipe of no filter was made")
	}
	r := Recipe{Version: RecipeVersion, Filter: "none", Dims: 3, Params: map[string]Value{"h": Number(2)}}
	set := r.Set("h", Number(3))
	if !set.Get("h").Equal(Number(3)) || !r.Get("h").Equal(Number(2)) {
		t.Errorf("Set gives %v and leaves %v", set.Params, r.Params)
	}
	if r.Equal(r) || !r.Get("k").IsAuto() || r.Ignores("h").String() != "" || r.String() != "none 3-D" {
		t.Errorf("%s: equal %v, k %s, ignores h: %q", r, r.Equal(r), r.Get("k"), r.Ignores("h"))
	}
	if _, err := r.ResolveFor(t.Context(), Input{Volume: volume.New(unitGrid)}); err == nil {
		t.Error("it was resolved")
	}
	if _, err := (Filter{Name: "none"}).Recipe(Case{Dims: 3}); err == nil {
		t.Error("a case of no filter has a recipe")
	}
}

func TestRecipesOfCases(t *testing.T) {
	withProbe(t, func(Recipe, volume.Geometry) (Program, error) { return Program{}, nil })
	f, err := FilterByName("probe")
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Recipe(Case{Dims: 3, Set: "amount=5% radius=1,2,3"})
	if err != nil || r.Dims != 3 || !r.Get("amount").Equal(Percent(5)) || !r.Get("radius").Equal(List(1, 2, 3)) {
		t.Errorf("%s, %v", r, err)
	}
	for set, want := range map[string]string{"amount=x%": "amount", "amount=": "missing", "depth=3": "depth", "amount=11": "outside"} {
		if _, err := f.Recipe(Case{Dims: 3, Set: set}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want one that says %q", set, err, want)
		}
	}
	if _, err := f.Recipe(Case{Dims: 4}); err == nil {
		t.Error("a 4-D case has a recipe")
	}
	if _, err := FilterByName("prob"); err == nil || !strings.Contains(err.Error(), "there are ") || !strings.Contains(err.Error()+", ", ", probe, ") {
		t.Errorf("error %v; want one that lists the filters", err)
	}
}

// Two recipes are equal if version, filter, dims and every value are; a missing value is
// the default.
func TestRecipeEqual(t *testing.T) {
	r := withProbe(t, func(Recipe, volume.Geometry) (Program, error) { return Program{}, nil })
	twin, _ := FilterByName("probe")
	twin.Name = "twin"
	Register(twin)
	version, filter, dims, bare := r, r, r, r
	version.Version++
	filter.Filter = "twin"
	dims.Dims = 2
	bare.Params = nil
	for name, c := range map[string]struct {
		o    Recipe
		want bool
	}{
		"itself": {r, true}, "without values": {bare, true}, "version": {version, false}, "filter": {filter, false}, "dims": {dims, false},
		"number": {r.With("amount", Number(3)), false}, "same number": {r.With("amount", Number(2)), true},
		"percentage": {r.With("amount", Percent(2)), false}, "list": {r.With("radius", List(2)), false},
		"longer list": {r.With("radius", List(1, 1, 1)), false}, "switch": {r.With("exact", Bool(true)), false},
	} {
		if r.Equal(c.o) != c.want || c.o.Equal(r) != c.want {
			t.Errorf("%s: equal %v", name, r.Equal(c.o))
		}
	}
	if Word("a").Equal(Word("b")) || Number(0).Equal(Bool(false)) || Auto.Equal(Number(0)) {
		t.Error("values of another kind or text are equal")
	}
}

// Labels round numbers to six digits, and no list or switch.
func TestRecipeString(t *testing.T) {
	r := withProbe(t, func(Recipe, volume.Geometry) (Program, error) { return Program{}, nil })
	r = r.With("amount", Number(3.14159265)).With("radius", List(1, 2, 3)).With("exact", Bool(true))
	if got, want := r.String(), "probe 3-D amount=3.14159 radius=1,2,3 exact=true"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
	if got, want := r.With("amount", Percent(12.3456789)).String(), "probe 3-D amount=12.3457% radius=1,2,3 exact=true"; got != want {
		t.Errorf("%q; want %q", got, want)
	}
	if why := r.Ignores("depth"); why.String() != "" {
		t.Errorf("a parameter that does not exist is ignored: %s", why)
	}
	if !r.Get("depth").IsAuto() {
		t.Errorf("a parameter that does not exist is %s", r.Get("depth"))
	}
}

func TestValueInt(t *testing.T) {
	for x, want := range map[float64]int{2.4: 2, 2.5: 3, -2.5: -3, -2.4: -2, 7: 7} {
		if got := Number(x).Int(); got != want {
			t.Errorf("%g is rounded to %d; want %d", x, got, want)
		}
	}
	if Word("x").Float() != 0 || Percent(7).Float() != 7 || !Bool(true).On() || Bool(false).On() || Auto.On() {
		t.Error("numbers and percentages have a value, switches a state")
	}
	var v Value
	if err := v.UnmarshalJSON([]byte("{")); err == nil {
		t.Error("half of a value was read")
	}
}
