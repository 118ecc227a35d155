package denoise

import (
	"encoding/json"
	"slices"
	"testing"

	"quell/denoise/equalise"
)

// A recipe mixes below strength 100 only, after all other passes, and one from before the
// parameter is at full strength.
func TestMixtures(t *testing.T) {
	old := withStrength(t, nil).With("amount", Number(3)).With(stabiliseName, Number(0))
	delete(old.Params, strengthName)
	for _, c := range []struct {
		r      Recipe
		passes int
		share  equalise.Weights
		text   string
	}{
		{old, 1, nil, "probe 3-D amount=3"},
		{old.With(strengthName, Number(100)), 1, nil, "probe 3-D amount=3"},
		{old.With(strengthName, Number(99)), 2, equalise.Share(0.99), "probe 3-D amount=3 strength=99"},
		{old.With(strengthName, Number(0)).With(stabiliseName, Number(2)), 4, equalise.Share(0), "probe 3-D amount=3 stabilise=2 strength=0"},
	} {
		r, err := c.r.Resolve(unitGrid, Facts{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Bind(unitGrid)
		if err != nil {
			t.Fatal(err)
		}
		last := p.Passes[len(p.Passes)-1]
		if len(p.Passes) != c.passes || !slices.Equal(p.Weights, c.share) || (last.Name == Equalise) != (c.r.Mixed() < 1) || c.r.String() != c.text {
			t.Errorf("%s: %d passes, %s last, weights %v", c.r, len(p.Passes), last.Name, p.Weights)
		}
		if got := p.Normalised(2).Passes; got[len(got)-1].Name != MultiplyBySigma {
			t.Errorf("%s: %s is last under a noise map", c.r, got[len(got)-1].Name)
		}
	}
	for _, bad := range []float64{-1, 101} {
		if err := old.With(strengthName, Number(bad)).Validate(); err == nil {
			t.Errorf("strength %g is accepted", bad)
		}
	}
}

// A strength between 0 and 100 has an equaliser that is to be found, until it is given; a value that a user changes takes it
// back. A recipe of before equalisers takes its strength at all frequencies alike.
func TestEqualiserOfARecipe(t *testing.T) {
	full := withStrength(t, nil).With("amount", Number(3)).With(stabiliseName, Number(0))
	w := equalise.Weights{0.1, 0.2, 0.3, 0.4}
	some := full.With(strengthName, Number(40))
	found := full.Equalised(40, w)
	for name, c := range map[string]struct {
		r              Recipe
		toFind         bool
		weights, bound equalise.Weights
	}{
		"full":             {full, false, nil, nil},
		"none":             {full.With(strengthName, Number(0)), false, nil, equalise.Share(0)},
		"visible":          {full.With(strengthName, Visible), false, nil, nil},
		"some":             {some, true, equalise.Weights{}, equalise.Share(0.4)},
		"full again":       {found.With(strengthName, Number(100)), false, nil, nil},
		"found":            {found, false, w, w},
		"changed by hand":  {found.Set("amount", Number(4)), true, equalise.Weights{}, equalise.Share(0.4)},
		"changed by tests": {found.With("amount", Number(4)), false, w, w},
	} {
		if c.r.Equalises() != c.toFind || !slices.Equal(c.r.Equaliser, c.weights) || (c.r.Equaliser == nil) != (c.weights == nil) {
			t.Errorf("%s: %v", name, c.r.Equaliser)
		}
		data, err := json.Marshal(c.r)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseRecipe(data)
		if err != nil || !back.Equal(c.r) || back.Equalises() != c.toFind {
			t.Errorf("%s: %s becomes %+v, %v", name, data, back, err)
		}
		if name == "visible" {
			continue
		}
		r, err := c.r.Resolve(unitGrid, Facts{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Bind(unitGrid)
		if err != nil || r.Equalises() || !slices.Equal(p.Weights, c.bound) {
			t.Errorf("%s: bound with %v, %v", name, p.Weights, err)
		}
	}
	old, err := ParseRecipe([]byte(`{"version": 1, "filter": "probe", "dims": 3, "parameters": {"amount": 3, "strength": 40}}`))
	if err != nil || old.Equaliser != nil || old.Equal(some) {
		t.Errorf("a recipe of before: %v, %v", old.Equaliser, err)
	}
	for _, bad := range []string{"[1, 2]", "[1e9]"} {
		if _, err := ParseRecipe([]byte(`{"version": 1, "filter": "probe", "dims": 3, "parameters": {"strength": 40}, "equaliser": ` + bad + "}")); err == nil {
			t.Errorf("the equaliser %s is accepted", bad)
		}
	}
}
