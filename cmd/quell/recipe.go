package main

import (
	"github.com/spf13/cobra"

	"quell/app"
	"quell/denoise"
)

// recipeFlags are the flags that describe a recipe. The parameters come last in the help.
type recipeFlags struct {
	filter, recipe, preset, dims string
	params                       paramFlags // of addParamFlags
}

// addTo adds all flags but those of the parameters.
func (f *recipeFlags) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.filter, "filter", "", "the filter's `name`: "+filterNames())
	flags.StringVar(&f.recipe, "recipe", "", "start from the recipe in this `file`, or in the record beside an output; flags override it")
	flags.StringVar(&f.preset, "preset", "", "start from the preset of this `name`, see quell presets; flags override it")
	flags.StringVar(&f.dims, "dims", "", "`2|3|auto`: slice by slice, as a volume, or as suits the series; if not given, the recipe's or the filter's default")
}

// apply gives a job the recipe that the flags describe.
func (f *recipeFlags) apply(cmd *cobra.Command, job *app.Job) error {
	dims := 0
	switch f.dims {
	case "2", "3":
		dims = int(f.dims[0] - '0')
	case "auto":
		job.AutoDims = true
	default:
		if cmd.Flags().Changed("dims") {
			return app.Usagef("--dims %s: give 2, 3 or auto", f.dims)
		}
	}
	var recipe denoise.Recipe
	var err error
	switch {
	case f.preset == "":
		recipe, err = f.params.recipe(f.recipe, f.filter, dims)
	case f.recipe != "":
		return app.Usagef("give --preset or --recipe, not both")
	default:
		recipe, err = f.params.preset(f.preset, f.filter, dims)
	}
	if err != nil {
		return err
	}
	job.Recipe = &recipe
	return nil
}
