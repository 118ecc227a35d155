package arrays

import (
	"maps"
	"slices"
	"strings"

	"quell/app/job"
	"quell/denoise"
)

// recipe returns the recipe of a request, and whether its dims follow the series: a recipe, a preset or
// the defaults of a filter, with the parameters that are given.
func (r Request) recipe() (recipe denoise.Recipe, autoDims bool, err error) {
	dims := 0
	switch d := r.Dims.(type) {
	case nil:
	case string:
		autoDims = d == "auto"
	case float64:
		dims = int(d)
	}
	if r.Dims != nil && !autoDims && dims != 2 && dims != 3 {
		return recipe, false, job.Usagef("dims is %v; give 2, 3 or auto", r.Dims)
	}
	switch {
	case r.Recipe != nil && r.Preset != "":
		return recipe, false, job.Usagef("give a preset or a recipe, not both")
	case r.Recipe != nil:
		recipe = *r.Recipe
	case r.Preset != "":
		preset, err := job.PresetByName(r.Preset)
		if err != nil {
			return recipe, false, err
		}
		recipe = preset.Recipe
	case r.Filter == "":
		return recipe, false, job.Usagef("which filter? Give a filter, a preset or a recipe")
	default:
		if recipe, err = denoise.NewRecipe(r.Filter, dims); err != nil {
			return recipe, false, job.Usage(err)
		}
	}
	if r.Filter != "" && r.Filter != recipe.Filter {
		return recipe, false, job.Usagef("the recipe is for %s, not for %s; leave the filter or the recipe out", recipe.Filter, r.Filter)
	}
	if dims != 0 {
		recipe.Dims = dims
	}
	recipe, err = r.changed(recipe)
	return recipe, autoDims, err
}

// changed returns a recipe with the parameters of the request.
func (r Request) changed(recipe denoise.Recipe) (denoise.Recipe, error) {
	f, err := denoise.FilterByName(recipe.Filter)
	if err != nil {
		return recipe, job.Usage(err)
	}
	given := slices.Sorted(maps.Keys(r.Parameters))
	for _, name := range given {
		if _, ok := f.Param(name); !ok {
			var names []string
			for _, p := range f.Params {
				names = append(names, p.Name)
			}
			return recipe, job.Usagef("%s has no parameter %s; it has %s", f.Name, name, strings.Join(names, ", "))
		}
	}
	recipe = recipe.SetAll(r.Parameters)
	for _, name := range given {
		if why := recipe.Ignores(name); !why.IsZero() {
			return recipe, job.Usagef("%s", why)
		}
	}
	if err := recipe.Validate(); err != nil {
		return recipe, job.Usage(err)
	}
	return recipe, nil
}
