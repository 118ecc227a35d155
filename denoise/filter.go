package denoise

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/volume"
)

// Filter describes one filter. Menus, sliders, command line flags, help, the
// recipe check, the halo, cost estimates and the conformance suite are made from
// this description.
type Filter struct {
	Name   string  // in recipes and on the command line
	Title  string  // in menus
	Source string  // the paper that defines the filter
	Dims   []int   // the dimensionalities it supports, the default first
	Params []Param // in display order; Register adds Stabilise and MixStrength
	Help   string  // one or two sentences for users

	// Bind converts a resolved recipe into typed parameters and passes for
	// volumes of geometry g. Call it through [Recipe.Bind].
	Bind func(r Recipe, g volume.Geometry) (Program, error)

	// Strength is the parameter that trades noise for structure.
	Strength Strength

	// Stein, if not nil, returns the closed form of Stein's risk for resolved
	// recipes that differ in nothing but their strength; ok is false if they have
	// none. The noise must be white.
	Stein func(recipes []Recipe) (pass SteinPass, ok bool)

	// Support, if not nil, returns the function that computes which neighbourhood p's
	// passes choose around a voxel that is not excluded, from the field that the first
	// of them reads. It is called through [Recipe.Neighbourhoods].
	Support func(p Program) func(in *Field, x, y, z int) Lengths

	// Coarse, if not nil, returns a recipe with a result that resembles the one of r,
	// which is resolved, at a fraction of its cost; ok is false if r is as cheap. It is
	// called through [Recipe.Coarse].
	Coarse func(r Recipe) (coarse Recipe, ok bool)

	// ReadsNoise states that the passes read the noise map themselves. Every other
	// filter runs on the volume divided by the map, see Program.Normalised.
	ReadsNoise bool

	// ReadsPadding states that the stored values of padding influence the
	// result, as patch samples of nlm do.
	ReadsPadding bool

	// Chooses states that a threshold decides which neighbours are used, so that the
	// rounding of scaled voxels may turn a choice: results scale exactly with powers of 2.
	Chooses bool

	// CorrectsRician, if not nil, reports whether a recipe corrects the noise of magnitude
	// images itself: that recipe refuses Stabilise.
	CorrectsRician func(r Recipe) bool

	// Together, if not nil, filters the volumes of a 4-D series together; Bind then refuses a volume.
	Together *Together

	// Cases are the recipes that the conformance suite runs on every engine:
	// every option, with search regions small enough for the float64 reference.
	Cases []Case
}

// Strength names the parameter that decides how much a filter removes, and the
// range that contains its best value on any image. The zero Strength belongs to a
// filter without such a parameter.
//
// Lo and Hi count in sigmas of the noise for a parameter in the volume's unit, in
// the smallest voxel spacing for one in mm, and in its own unit otherwise.
type Strength struct {
	Param  string
	Lo, Hi float64
}

// Case is one recipe of the conformance suite.
type Case struct {
	Name string
	Dims int
	Set  string // parameters that differ from their default: "h=9 search-radius=2"

	// Large is the size of a volume that needs several tiles or slabs; zero for
	// a case that runs on volumes of all the usual small sizes.
	Large [3]int
	// CT selects a volume with the value range of a CT: air next to bone.
	CT bool
	// Biased states that the recipe changes a constant volume.
	Biased bool
}

// InBothDims returns every case in two and in three dimensions, named so, with the
// settings of all before its own.
func InBothDims(settings string, cases []Case) []Case {
	var all []Case
	for _, c := range cases {
		name := c.Name
		c.Set = settings + " " + c.Set
		for _, c.Dims = range []int{2, 3} {
			c.Name = fmt.Sprintf("%d-D %s", c.Dims, name)
			all = append(all, c)
		}
	}
	return all
}

// Recipe returns the recipe of a case of f.
func (f Filter) Recipe(c Case) (Recipe, error) {
	r, err := NewRecipe(f.Name, c.Dims)
	if err != nil {
		return r, err
	}
	for setting := range strings.FieldsSeq(c.Set) {
		name, text, _ := strings.Cut(setting, "=")
		v, err := ParseValue(text)
		if err != nil {
			return r, fmt.Errorf("%s: %s: %w", f.Name, name, err)
		}
		r = r.With(name, v)
	}
	return r, r.Validate()
}

// Param returns the parameter of that name.
func (f Filter) Param(name string) (Param, bool) {
	i := slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == name })
	if i < 0 {
		return Param{}, false
	}
	return f.Params[i], true
}

// registered holds every filter of volumes in the order of registration, and together those of 4-D series. They change only
// during package initialisation, so that no lock is needed.
var registered, together []Filter

// Register adds filters to the table that [Filters] returns. Package
// denoise/filter calls it once for all filters of the program. It panics if a
// description is incomplete or a name is taken. It must not be called after
// initialisation.
func Register(filters ...Filter) {
	for _, f := range filters {
		if err := f.check(); err != nil {
			panic(fmt.Sprintf("denoise: filter %q: %v", f.Name, err))
		}
		if !f.ReadsNoise {
			f.Params = append(slices.Clip(f.Params), Stabilise)
		}
		f.Params = append(slices.Clip(f.Params), MixStrength)
		if f.Together != nil {
			together = append(together, f)
			continue
		}
		registered = append(registered, f)
	}
}

// check reports the missing parts of a description.
func (f Filter) check() error {
	if slices.ContainsFunc(AllFilters(), func(g Filter) bool { return g.Name == f.Name }) {
		return fmt.Errorf("registered twice")
	}
	for what, missing := range map[string]bool{
		"name": f.Name == "", "title": f.Title == "", "source": f.Source == "", "help": f.Help == "",
		"dimensionality": len(f.Dims) == 0, "Bind function": f.Bind == nil, "conformance case": len(f.Cases) == 0,
	} {
		if missing {
			return fmt.Errorf("it has no %s", what)
		}
	}
	if _, ok := f.Param(f.Strength.Param); !ok && f.Strength != (Strength{}) {
		return fmt.Errorf("its strength %s is no parameter", f.Strength.Param)
	}
	for i, p := range f.Params {
		if slices.ContainsFunc(f.Params[:i], func(q Param) bool { return q.Name == p.Name }) {
			return fmt.Errorf("parameter %s is there twice", p.Name)
		}
		if err := p.describe(); err != nil {
			return fmt.Errorf("parameter %q: %w", p.Name, err)
		}
		for name := range p.Implies {
			if _, ok := f.Param(name); !ok {
				return fmt.Errorf("parameter %s implies %s, which does not exist", p.Name, name)
			}
		}
	}
	return nil
}

// Filters returns every registered filter of volumes, the most used first. The result is
// shared and must not be changed.
func Filters() []Filter { return registered }

// FiltersFor is Filters, and after them the filters of 4-D series that take so many volumes.
func FiltersFor(volumes int) []Filter {
	return append(slices.Clip(registered), slices.DeleteFunc(slices.Clone(together), func(f Filter) bool { return volumes < f.Together.Fewest })...)
}

// AllFilters is Filters, and after them all filters of 4-D series.
func AllFilters() []Filter { return FiltersFor(math.MaxInt) }

// FilterByName returns the filter of that name; the error lists the names that
// exist.
func FilterByName(name string) (Filter, error) {
	names := make([]string, len(registered)+len(together))
	for i, f := range AllFilters() {
		if f.Name == name {
			return f, nil
		}
		names[i] = f.Name
	}
	return Filter{}, message.Errorf(message.RecipeFilter, "no filter is called %q; there are %s", name, strings.Join(names, ", "))
}
