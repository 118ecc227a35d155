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
	for _, text := range []string{"", "x%", "1,b"} {
		if v, err := denoise.ParseValue(text); err == nil {
			t.Errorf("%q is read as %v", text, v)
		}
	}
	for _, text := range []string{`{"a":1}`, `[1.5]`, `["a"]`, `null`, `"1,b"`} {
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
		{"nlm", "h", "1,2", "not a number"}, {"nlm", "h", "much", "not a number"},
		{"nlm", "search-radius", "2.5", "whole"}, {"nlm", "search-radius", "33", "outside"}, {"nlm", "search-radius", "auto", "auto"},
		{"nlm", "centre", "one", ""}, {"nlm", "centre", "two", "one of"}, {"nlm", "rician", "1", "neither"}, {"nlm", "rician", "true", ""},
		{"bilateral", "sigma-range", "15%", ""}, {"bilateral", "sigma-range", "101%", "outside"},
		{"bilateral", "radius", "1,2,3", ""}, {"bilateral", "radius", "3", ""}, {"bilateral", "radius", "1,2", "2 values"},
		{"bilateral", "radius", "1,2,99", "outside"}, {"bilateral", "radius", "1.5", "whole"}, {"median", "radius", "wide", "whole"},
		{"lpa", "scales", "1,2,4,9", ""}, {"lpa", "scales", "0,1", "outside"},
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

// Every parameter's own description must hold together: what a slider or a flag
// is made of.
func TestFiltersAreSound(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range denoise.Filters() {
		if f.Name == "" || seen[f.Name] || f.Title == "" || f.Source == "" || f.Help == "" || len(f.Dims) == 0 {
			t.Errorf("filter %q lacks something or is there twice", f.Name)
		}
		seen[f.Name] = true
		names := map[string]bool{}
		for _, p := range f.Params {
			at := f.Name + " " + p.Name
			if names[p.Name] || p.Label == "" || p.Help == "" {
				t.Errorf("%s lacks something or is there twice", at)
			}
			names[p.Name] = true
			if err := p.Check(p.Default); err != nil {
				t.Errorf("%s: the default is refused: %v", at, err)
			}
			if p.Kind == denoise.Float || p.Kind == denoise.Int || p.Kind == denoise.Ints {
				if !(p.Min <= p.Lo && p.Lo < p.Hi && p.Hi <= p.Max && p.Step > 0) {
					t.Errorf("%s: slider %g to %g by %g in %g to %g", at, p.Lo, p.Hi, p.Step, p.Min, p.Max)
				}
			}
			if (p.Kind == denoise.Choice) != (len(p.Choices) > 1) {
				t.Errorf("%s: choices %v", at, p.Choices)
			}
		}
		for _, dims := range f.Dims {
			if _, err := denoise.NewRecipe(f.Name, dims); err != nil {
				t.Errorf("%s %d-D: %v", f.Name, dims, err)
			}
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
	if !bare.Equal(r) || !bare.Get("sigma-range").Equal(denoise.Percent(15)) {
		t.Errorf("a recipe without parameters is not the default: %s", bare)
	}
	changed := bare.With("sigma-range", denoise.Number(3))
	if changed.Equal(bare) || len(bare.Params) != 0 {
		t.Error("With changed the recipe it was called on")
	}
	if _, err := denoise.NewRecipe("lpa", 3); err == nil {
		t.Error("lpa has no 3-D form")
	}
}
