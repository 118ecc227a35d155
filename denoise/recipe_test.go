package denoise_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"quell/denoise"
)

func TestValueRoundTrips(t *testing.T) {
	for text, v := range map[string]denoise.Value{
		"auto": denoise.Auto, "10": denoise.Number(10), "0.1": denoise.Number(0.1), "-3": denoise.Number(-3),
		"15%": denoise.Percent(15), "gaussian": denoise.Word("gaussian"), "true": denoise.Bool(true),
		"false": denoise.Bool(false), "1,2,3": denoise.List(1, 2, 3),
		"1.2sigma": denoise.Sigmas(1.2), "0sigma": denoise.Sigmas(0), "sure": denoise.SURE,
	} {
		if v.String() != text {
			t.Errorf("%q is written as %q", text, v)
		}
		parsed, err := denoise.ParseValue(" " + text + " ")
		if err != nil || !parsed.Equal(v) {
			t.Errorf("%q is read as %v, %v", text, parsed, err)
		}
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var back denoise.Value
		if err := json.Unmarshal(data, &back); err != nil || !back.Equal(v) {
			t.Errorf("%s is read as %v, %v", data, back, err)
		}
	}
	for _, text := range []string{"visible", "visible:0.95", "visible:0.95,0.9", "visible:0,0.9,0.99"} {
		if v, err := denoise.ParseValue(text); err != nil || !v.IsVisible() || v.String() != text {
			t.Errorf("%q is read as %v, %v", text, v, err)
		}
	}
	for text, want := range map[string]float64{"2.5 sigma": 2.5, "1.2σ": 1.2, " 3 σ ": 3} {
		if v, err := denoise.ParseValue(text); err != nil || !v.Equal(denoise.Sigmas(want)) || v.Float() != want {
			t.Errorf("%q is read as %v, %v", text, v, err)
		}
	}
	for _, text := range []string{"", "x%", "1,b", "sigma", "x sigma", "1,2σ", "visible:", "visible:all", "visible:1", "visible:-0.1", "visible:0.9,0.9,0.3,0.3"} {
		if v, err := denoise.ParseValue(text); err == nil {
			t.Errorf("%q is read as %v", text, v)
		}
	}
	for _, text := range []string{`{"a":1}`, `[true]`, `["a"]`, `null`, `"1,b"`} {
		var v denoise.Value
		if err := json.Unmarshal([]byte(text), &v); err == nil {
			t.Errorf("%s is read as %v", text, v)
		}
	}
}

func TestValueLists(t *testing.T) {
	list := []int{1, 2}
	v := denoise.List(list...)
	list[0] = 9
	v.Ints()[1] = 9
	if !slices.Equal(v.Ints(), []int{1, 2}) {
		t.Errorf("a list shares its memory: %v", v)
	}
	if !slices.Equal(denoise.Number(3).Ints(), []int{3}) || denoise.Word("x").Ints() != nil {
		t.Error("a number is a list of one, a word none")
	}
}

func TestParamCheck(t *testing.T) {
	for _, c := range []struct {
		filter, param string
		value         string
		want          string // part of the error; "" for none
	}{
		{"nlm", "h", "10", ""}, {"nlm", "h", "auto", ""},
		{"nlm", "h", "0", "outside"}, {"nlm", "h", "NaN", "outside"}, {"nlm", "h", "10%", "percentage"},
		{"nlm", "h", "coupe", ""}, {"bnlm", "h", "coupe", ""}, {"nlm", "sigma", "coupe", "not a number"}, {"bilateral", "sigma-range", "coupe", "not a number"},
		{"bilateral", "sigma-spatial", "1.5,2", ""}, {"bilateral", "sigma-spatial", "1,2,3", ""}, {"bilateral", "sigma-spatial", "1,2,3,4", "4 values"},
		{"bilateral", "sigma-spatial", "1,0", "outside"}, {"gaussian", "sigma-spatial", "1.5,2", "not a number"}, {"median", "radius", "1,1,1.5", "whole numbers"},
		{"nlm", "h", "1,2", "not a number"}, {"nlm", "h", "much", "not a number"},
		{"nlm", "h", "1.2sigma", ""}, {"nlm", "h", "0sigma", ""}, {"nlm", "h", "-1sigma", "0 or more"}, {"nlm", "h", "Inf sigma", "0 or more"}, {"nlm", "h", "NaN sigma", "0 or more"},
		{"nlm", "search-radius", "1sigma", "unit of the voxels"}, {"gaussian", "sigma-spatial", "1sigma", "unit of the voxels"}, {"median", "radius", "1sigma", "whole"},
		{"nlm", "h", "sure", ""}, {"median", "radius", "sure", ""}, {"nlm", "centre", "sure", "strength"}, {"nlm", "rician", "sure", "strength"},
		{"nlm", "search-radius", "2.5", "whole"}, {"nlm", "search-radius", "32", ""}, {"nlm", "search-radius", "33", "outside"}, {"nlm", "search-radius", "auto", "auto"},
		{"nlm", "centre", "one", ""}, {"nlm", "centre", "two", "one of"}, {"nlm", "centre", "3", "one of"}, {"nlm", "rician", "1", "neither"}, {"nlm", "rician", "true", ""},
		{"bilateral", "sigma-range", "15%", ""}, {"bilateral", "sigma-range", "0%", ""}, {"bilateral", "sigma-range", "100%", ""},
		{"bilateral", "sigma-range", "100.1%", "outside"}, {"bilateral", "sigma-range", "-0.1%", "outside"},
		{"bilateral", "radius", "1,2,3", ""}, {"bilateral", "radius", "3", ""}, {"bilateral", "radius", "1,2", "2 values"},
		{"bilateral", "radius", "1,2,99", "outside"}, {"bilateral", "radius", "1.5", "whole"}, {"median", "radius", "wide", "whole"},
		{"lpa", "scales", "1,2,4,9", ""}, {"lpa", "scales", "0,1", "outside"}, {"lpa", "scales", "1,3,3", "must rise"}, {"lpa", "scales", "3,1", "must rise"},
	} {
		f, err := denoise.FilterByName(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := f.Param(c.param)
		if !ok {
			t.Fatalf("%s has no %s", c.filter, c.param)
		}
		v, err := denoise.ParseValue(c.value)
		if err != nil {
			t.Fatal(err)
		}
		err = p.Check(v)
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %s=%s: %v; want %q", c.filter, c.param, c.value, err, c.want)
		}
	}
}

// Register refuses descriptions from which no menu, flag or engine can be made.
func TestRegisterRefusesIncompleteFilters(t *testing.T) {
	good, err := denoise.FilterByName("median")
	if err != nil {
		t.Fatal(err)
	}
	good.Name = "median2"
	good.Params = slices.Clone(good.Params)
	for name, change := range map[string]func(f *denoise.Filter){
		"taken name":   func(f *denoise.Filter) { f.Name = "median" },
		"no name":      func(f *denoise.Filter) { f.Name = "" },
		"no help":      func(f *denoise.Filter) { f.Help = "" },
		"no title":     func(f *denoise.Filter) { f.Title = "" },
		"no source":    func(f *denoise.Filter) { f.Source = "" },
		"no parameter": func(f *denoise.Filter) { f.Params[0].Name = "" },
		"no hint":      func(f *denoise.Filter) { f.Params[0].Help = "" },
		"low slider":   func(f *denoise.Filter) { f.Params[0].Min = f.Params[0].Lo + 1 },
		"empty slider": func(f *denoise.Filter) { f.Params[0].Hi = f.Params[0].Lo },
		"one choice": func(f *denoise.Filter) {
			f.Params = append(f.Params, denoise.Param{
				Name: "c", Label: "C", Help: "C.", Kind: denoise.Choice, Choices: []string{"a"}, Default: denoise.Word("a"),
			})
		},
		"int without a slider": func(f *denoise.Filter) {
			f.Params = append(f.Params, denoise.Param{Name: "n", Label: "N", Help: "N.", Kind: denoise.Int, Default: denoise.Number(0)})
		},
		"float without a slider": func(f *denoise.Filter) {
			f.Params = append(f.Params, denoise.Param{Name: "n", Label: "N", Help: "N.", Kind: denoise.Float, Default: denoise.Number(0)})
		},
		"rising switch": func(f *denoise.Filter) {
			f.Params = append(f.Params, denoise.Param{Name: "s", Label: "S", Help: "S.", Kind: denoise.Switch, Rising: true, Default: denoise.Bool(false)})
		},
		"no dims":        func(f *denoise.Filter) { f.Dims = nil },
		"no Bind":        func(f *denoise.Filter) { f.Bind = nil },
		"no cases":       func(f *denoise.Filter) { f.Cases = nil },
		"twice":          func(f *denoise.Filter) { f.Params = append(f.Params, f.Params[0]) },
		"no label":       func(f *denoise.Filter) { f.Params[0].Label = "" },
		"wrong default":  func(f *denoise.Filter) { f.Params[0].Default = denoise.List(99) },
		"auto default":   func(f *denoise.Filter) { f.Params[0].Default = denoise.Auto },
		"slider outside": func(f *denoise.Filter) { f.Params[0].Hi = 17 },
		"no step":        func(f *denoise.Filter) { f.Params[0].Step = 0 },
		"stray choices":  func(f *denoise.Filter) { f.Params[0].Choices = []string{"a", "b"} },
		"implies none":   func(f *denoise.Filter) { f.Params[0].Implies = map[string]denoise.Value{"x": denoise.Auto} },
		"axes of float in the volume's unit": func(f *denoise.Filter) {
			f.Params[0].Kind, f.Params[0].Default, f.Params[0].Unit = denoise.Float, denoise.Number(1), "value"
		},
		"rule of a count": func(f *denoise.Filter) { f.Params[0].Rules = []denoise.Rule{{Name: "x"}} },
	} {
		t.Run(name, func(t *testing.T) {
			f := good
			f.Params = slices.Clone(good.Params)
			change(&f)
			defer func() {
				if recover() == nil {
					t.Error("Register took it")
				}
			}()
			denoise.Register(f)
		})
	}
}

// Recipes with a parameter that they ignore are refused with the reason, unless it
// is at its default.
func TestIgnoredParameters(t *testing.T) {
	lk := newRecipe(t, "nlm", 3).With("weighting", denoise.Word("lk"))
	uniform := newRecipe(t, "nlm", 3).With("patch-weights", denoise.Word("uniform"))
	rician := lk.With("rician", denoise.Bool(true))
	for _, c := range []struct {
		r       denoise.Recipe
		name    string
		value   denoise.Value
		ignored bool
	}{
		{newRecipe(t, "nlm", 3), "h", denoise.Number(9), false}, {lk, "h", denoise.Number(9), true},
		{newRecipe(t, "nlm", 3), "k", denoise.Number(3), true}, {lk, "k", denoise.Number(3), false},
		{newRecipe(t, "nlm", 3), "sigma", denoise.Number(3), false}, {lk, "sigma", denoise.Number(3), true}, {rician, "sigma", denoise.Number(3), false},
		{newRecipe(t, "nlm", 3), "patch-sigma", denoise.Number(3), false}, {uniform, "patch-sigma", denoise.Number(3), true},
		{lk, "patch-sigma", denoise.Number(3), false}, {lk, "centre", denoise.Word("one"), false},
		{newRecipe(t, "bilateral", 3), "sigma-spatial", denoise.Number(3), false},
	} {
		why := c.r.Ignores(c.name)
		err := c.r.With(c.name, c.value).Validate()
		if (why.String() != "") != c.ignored || (err != nil) != c.ignored || (err != nil && !strings.Contains(err.Error(), why.String())) {
			t.Errorf("%s with %s=%s: ignored because %q, error %v", c.r, c.name, c.value, why, err)
		}
		if err := c.r.Validate(); err != nil {
			t.Errorf("%s: %v", c.r, err)
		}
	}
}

// A resolved recipe, as records hold it, runs again: what it ignores stays at its
// default and need not be resolved.
func TestResolvedRecipesRunAgain(t *testing.T) {
	for _, f := range denoise.Filters() {
		for _, c := range f.Cases {
			r, err := f.Recipe(c)
			if err != nil {
				t.Fatal(err)
			}
			for _, facts := range []denoise.Facts{{}, facts} {
				data, err := json.Marshal(resolve(t, r, facts))
				if err != nil {
					t.Fatal(err)
				}
				again, err := denoise.ParseRecipe(data)
				if err != nil || !again.Resolved() {
					t.Errorf("%s %s: recorded as %s it gives %v", f.Name, c.Name, data, err)
				}
			}
		}
	}
}

// What users do to one parameter has consequences for others.
func TestSet(t *testing.T) {
	on, off, auto := denoise.Bool(true), denoise.Bool(false), denoise.Auto
	nlm := newRecipe(t, "nlm", 3)
	check := func(what string, r denoise.Recipe, name string, want denoise.Value) {
		t.Helper()
		if got := r.Get(name); !got.Equal(want) {
			t.Errorf("%s: %s is %s; want %s", what, name, got, want)
		}
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	rician := nlm.Set("rician", on)
	check("rician on", rician, "sigma", auto)
	check("rician on again", rician.With("sigma", denoise.Number(0)).Set("rician", on), "sigma", denoise.Number(0))
	check("rician on and off", rician.Set("rician", off), "sigma", auto)
	check("rician with a sigma", nlm.Set("sigma", denoise.Number(4)).Set("rician", on), "sigma", denoise.Number(4))
	check("rician off with a sigma", rician.Set("sigma", denoise.Number(4)).Set("rician", off), "sigma", denoise.Number(4))
	check("rician and sigma 0", nlm.SetAll(map[string]denoise.Value{"rician": on, "sigma": denoise.Number(0)}), "sigma", denoise.Number(0))
	check("a plain change", nlm.With("rician", on), "sigma", auto)

	strong := nlm.Set("h", denoise.Number(30)).Set("sigma", denoise.Number(4))
	check("lk", strong.Set("weighting", denoise.Word("lk")), "h", auto)
	check("lk", strong.Set("weighting", denoise.Word("lk")), "sigma", auto)
	check("lk, rician", strong.SetAll(map[string]denoise.Value{"weighting": denoise.Word("lk"), "rician": on}), "sigma", denoise.Number(4))
	check("gaussian", nlm.Set("weighting", denoise.Word("lk")).Set("k", denoise.Number(4)).Set("weighting", denoise.Word("gaussian")), "k", denoise.Number(2))
	both := nlm.SetAll(map[string]denoise.Value{"weighting": denoise.Word("lk"), "h": denoise.Number(9)})
	if !both.Get("h").Equal(denoise.Number(9)) || both.Validate() == nil {
		t.Error("an ignored parameter that was given must be refused, not dropped")
	}
}

// Parameters in the volume's unit take any positive float32.
func TestDomain(t *testing.T) {
	for _, c := range []struct{ filter, param, want string }{
		{"nlm", "h", "above 0"}, {"nlm", "sigma", "0 or more"}, {"nlm", "k", "1 to 4"}, {"lpa", "gamma", "0.001 to 100"},
	} {
		f, _ := denoise.FilterByName(c.filter)
		p, _ := f.Param(c.param)
		if got := p.Domain(); got.String() != c.want {
			t.Errorf("%s: %q; want %q", c.param, got, c.want)
		}
	}
	for text, ok := range map[string]bool{"1e-37": true, "3e38": true, "1e-39": false, "3.5e38": false, "0": false, "-1": false} {
		v, err := denoise.ParseValue(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := newRecipe(t, "nlm", 3).With("h", v).Validate(); (err == nil) != ok {
			t.Errorf("h=%s: %v", text, err)
		}
	}
}

func TestRecipeJSON(t *testing.T) {
	r := newRecipe(t, "nlm", 3).With("h", denoise.Number(10)).With("patch-weights", denoise.Word("uniform"))
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	back, err := denoise.ParseRecipe(data)
	if err != nil || !back.Equal(r) {
		t.Errorf("%s is read as %s, %v", data, back, err)
	}
	if got, want := r.String(), "nlm 3-D h=10 patch-weights=uniform"; got != want {
		t.Errorf("it is called %q; want %q", got, want)
	}
	// A noise of 0 is off, a level of 0 is one.
	level := r.With("sigma", denoise.Number(0)).With("preselect", denoise.Bool(true)).With("zero", denoise.Number(0))
	if got, want := level.String(), "nlm 3-D h=10 patch-weights=uniform preselect=true zero=0"; got != want {
		t.Errorf("it is called %q; want %q", got, want)
	}
	for text, want := range map[string]string{
		`{"version":1,"filter":"nlm","dims":3,"parameters":{},"speed":9}`:     "speed",
		`{"version":1,"filter":"nlm","dims":3,"parameters":{"hh":1}}`:         "hh",
		`{"version":2,"filter":"nlm","dims":3}`:                               "version",
		`{"version":1,"filter":"nlm","dims":4}`:                               "4-D",
		`{"version":1,"filter":"none","dims":2}`:                              "none",
		`{"version":1,"filter":"median","dims":2,"parameters":{"radius":99}}`: "outside",
		`nlm`: "recipe",
	} {
		if _, err := denoise.ParseRecipe([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want one that says %q", text, err, want)
		}
	}
}

func TestRecipeDefaults(t *testing.T) {
	r, err := denoise.NewRecipe("bilateral", 0)
	if err != nil || r.Dims != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	bare := denoise.Recipe{Version: denoise.RecipeVersion, Filter: "bilateral", Dims: 2}
	if !bare.Equal(r) || !bare.Get("sigma-range").IsAuto() {
		t.Errorf("a recipe without parameters is not the default: %s", bare)
	}
	changed := bare.With("sigma-range", denoise.Number(3))
	if changed.Equal(bare) || len(bare.Params) != 0 {
		t.Error("With changed the recipe it was called on")
	}
	other := bare
	other.Dims = 3
	if bare.Equal(other) || other.Equal(bare) {
		t.Error("a 2-D recipe equals the 3-D one")
	}
	if _, err := denoise.NewRecipe("lpa", 3); err == nil {
		t.Error("lpa has no 3-D form")
	}
}

// A recipe that does not name a parameter which came later has the value that gives its
// result from before: noise that is not correlated, odct's threshold of then. A new recipe
// names the default.
func TestParametersThatAreAbsent(t *testing.T) {
	old, err := denoise.ParseRecipe([]byte(`{"version": 1, "filter": "odct", "dims": 2, "parameters": {"sigma": 7, "stabilise": 0}}`))
	if err != nil {
		t.Fatal(err)
	}
	if !old.Resolved() || !old.Get("correlation").Equal(denoise.List(0)) || !old.Get("threshold").Equal(denoise.Number(2.7)) {
		t.Errorf("%v, resolved %v", old, old.Resolved())
	}
	if _, sigma := old.Needs(); sigma {
		t.Error("a recipe from before the correlation needs the noise")
	}
	r, err := denoise.NewRecipe("odct", 2)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Get("correlation").IsAuto() || !r.Get("threshold").IsAuto() {
		t.Errorf("%v", r)
	}
	r = r.With("sigma", denoise.Number(7)).With("stabilise", denoise.Number(0))
	for v, want := range map[string]string{"0": "odct 2-D sigma=7", "0,0": "odct 2-D sigma=7 correlation=0,0", "30": "odct 2-D sigma=7 correlation=30"} {
		list, err := denoise.ParseValue(v)
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Ints()) == 1 {
			list = denoise.List(list.Ints()...)
		}
		if got := r.With("correlation", list).With("threshold", denoise.Number(2.7)).String(); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
}
