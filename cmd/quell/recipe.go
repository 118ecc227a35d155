package main

import (
	"strings"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/denoise"
)

// recipeFlags are the flags that describe a recipe. The parameters come last in the help.
type recipeFlags struct {
	filter, recipe, preset, dims string
	params                       paramFlags // of addParamFlags
}

// addTo adds all flags except the parameters.
func (f *recipeFlags) addTo(cmd *cobra.Command) {
	f.addWith(cmd, filterNames(), "")
}

// addWith is addTo with these names of filters; more follows the help of --filter.
func (f *recipeFlags) addWith(cmd *cobra.Command, names []string, more string) {
	flags := cmd.Flags()
	addNameFlag(cmd, &f.filter, "filter", "filter", names, "the filter's `name`: "+strings.Join(filterNames(), ", ")+more)
	addInput(flags, &f.recipe, "recipe", "start from the recipe in this `file`, or in the record beside an output; flags override it")
	addNameFlag(cmd, &f.preset, "preset", "preset", presetNames(), "start from the preset of this `name`, see quell presets; flags override it")
	addDimsFlag(cmd, &f.dims, "if not given, the recipe's or the filter's default")
}

// open reports whether the flags leave the filter open: they name none, and no parameter.
func (f *recipeFlags) open() bool {
	if f.filter != "" || f.recipe != "" || f.preset != "" {
		return false
	}
	for _, p := range f.params {
		if p.set {
			return false
		}
	}
	return true
}

// apply gives a job the recipe that the flags describe.
func (f *recipeFlags) apply(j *job.Job) error {
	dims := dimsOf(f.dims)
	filter := f.filter
	j.AutoDims = f.dims == autoDims
	if j.AutoFilter { // the filter that stays if no gain is known
		filter, j.AutoDims = denoise.Filters()[0].Name, dims == 0
	}
	var recipe denoise.Recipe
	var err error
	switch {
	case f.preset == "":
		recipe, err = f.params.recipe(f.recipe, filter, dims)
	case f.recipe != "":
		return job.Usagef("give --preset or --recipe, not both")
	default:
		recipe, err = f.params.preset(f.preset, f.filter, dims)
	}
	if err != nil {
		return err
	}
	j.Recipe = &recipe
	return nil
}

// autoDims is --dims auto.
const autoDims = "auto"

// addDimsFlag adds --dims; usage says what holds without it.
func addDimsFlag(cmd *cobra.Command, dims *string, usage string) {
	addNameFlag(cmd, dims, "dims", "", []string{"2", "3", autoDims}, "`2|3|auto`: slice by slice, as a volume, or as suits the series; "+usage)
}

// dimsOf returns the number of --dims, 0 for auto and for none.
func dimsOf(text string) int {
	switch text {
	case "2":
		return 2
	case "3":
		return 3
	}
	return 0
}

func presetNames() []string {
	var names []string
	for _, p := range job.Presets() {
		names = append(names, p.Name)
	}
	return names
}

// engineHelp is the usage of --engine.
const engineHelp = "the engine by `name`: auto, cpu or cuda"

// batchEngineHelp is the help of commands on many series, which stop if nothing is given and the GPU
// fails.
const batchEngineHelp = "the engine by `name`: cuda or cpu; if not given, that of the first series, and the batch stops if it fails; auto: the CPU does what the GPU cannot"

// addEngineFlag adds --engine. The value of engine is the default.
func addEngineFlag(cmd *cobra.Command, engine *string, usage string) {
	addNameFlag(cmd, engine, "engine", "engine", []string{"auto", "cpu", "cuda"}, usage)
}

// lesionsHelp is the help of --lesions of the commands that filter.
const lesionsHelp = "judge too what the recipe leaves of virtual lesions in the series, as quell assess --lesions does: over if one that was visible fades"

// everyFilter in place of a filter's name asks for all of them.
const everyFilter = "all"
