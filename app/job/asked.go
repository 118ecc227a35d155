package job

import (
	"maps"
	"slices"
	"strings"

	"quell/denoise"
)

// Asked is a recipe as programs ask for it in JSON: a recipe, the name of a preset, or of a filter, whose defaults hold,
// with parameters that replace those of it.
type Asked struct {
	Recipe     *denoise.Recipe          `json:"recipe,omitempty"`
	Preset     string                   `json:"preset,omitempty"`
	Filter     string                   `json:"filter,omitempty"`
	Dims       any                      `json:"dims,omitempty"` // 2, 3, "auto"; missing: the dims of the recipe, or else auto
	Parameters map[string]denoise.Value `json:"parameters,omitempty"`
}

// Named reports whether a filter is named at all.
func (a Asked) Named() bool { return a.Recipe != nil || a.Preset != "" || a.Filter != "" }

// Answer returns the recipe that is asked for, and whether its dims follow the series. Errors are *UsageError.
func (a Asked) Answer() (recipe denoise.Recipe, autoDims bool, err error) {
	dims := 0
	switch d := a.Dims.(type) {
	case nil:
	case string:
		autoDims = d == "auto"
	case float64:
		dims = int(d)
	}
	if a.Dims != nil && !autoDims && dims != 2 && dims != 3 {
		return recipe, false, Usagef("dims is %v; give 2, 3 or auto", a.Dims)
	}
	switch {
	case a.Recipe != nil && a.Preset != "":
		return recipe, false, Usagef("give a preset or a recipe, not both")
	case a.Recipe != nil:
		recipe = *a.Recipe
	case a.Preset != "":
		preset, err := PresetByName(a.Preset)
		if err != nil {
			return recipe, false, err
		}
		recipe = preset.Recipe
	case a.Filter == "":
		return recipe, false, Usagef("which filter? Give a filter, a preset or a recipe")
	default:
		autoDims = dims == 0
		if recipe, err = denoise.NewRecipe(a.Filter, dims); err != nil {
			return recipe, false, Usage(err)
		}
	}
	if a.Filter != "" && a.Filter != recipe.Filter {
		return recipe, false, Usagef("the recipe is for %s, not for %s; leave the filter or the recipe out", recipe.Filter, a.Filter)
	}
	if dims != 0 {
		recipe.Dims = dims
	}
	recipe, err = a.changed(recipe)
	return recipe, autoDims, err
}

// changed returns a recipe with the parameters that are given.
func (a Asked) changed(recipe denoise.Recipe) (denoise.Recipe, error) {
	f, err := denoise.FilterByName(recipe.Filter)
	if err != nil {
		return recipe, Usage(err)
	}
	given := slices.Sorted(maps.Keys(a.Parameters))
	for _, name := range given {
		if _, ok := f.Param(name); !ok {
			var names []string
			for _, p := range f.Params {
				names = append(names, p.Name)
			}
			return recipe, Usagef("%s has no parameter %s; it has %s", f.Name, name, strings.Join(names, ", "))
		}
	}
	recipe = recipe.SetAll(a.Parameters)
	for _, name := range given {
		if why := recipe.Ignores(name); !why.IsZero() {
			return recipe, Usagef("%s", why)
		}
	}
	if err := recipe.Validate(); err != nil {
		return recipe, Usage(err)
	}
	return recipe, nil
}
