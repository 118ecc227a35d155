package option

import (
	"strings"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/denoise"
)

// Recipe are the flags that describe a recipe. The parameters come last in the help.
type Recipe struct {
	Filter, Recipe, Preset, Dims string
	Params                       Params // of AddParams
}

// AddTo adds all flags except the parameters.
func (f *Recipe) AddTo(cmd *cobra.Command) {
	f.AddWith(cmd, FilterNames(), "")
}

// AddWith is AddTo with these names of filters; more follows the help of --filter.
func (f *Recipe) AddWith(cmd *cobra.Command, names []string, more string) {
	flags := cmd.Flags()
	AddName(cmd, &f.Filter, "filter", "filter", names, "the filter's `name`: "+strings.Join(FilterNames(), ", ")+more)
	AddRecipe(flags, &f.Recipe, "recipe", "start from the recipe in this `file`, or in the sidecar of an output; flags override it")
	AddName(cmd, &f.Preset, "preset", "preset", PresetNames(), "start from the preset of this `name`, see quell presets; flags override it")
	AddDims(cmd, &f.Dims, "if not given, the recipe's, or else auto")
}

// Open reports whether the flags leave the filter open: they name none, and no parameter.
func (f *Recipe) Open() bool {
	if f.Filter != "" || f.Recipe != "" || f.Preset != "" {
		return false
	}
	for _, p := range f.Params {
		if p.Given {
			return false
		}
	}
	return true
}

// Apply gives a job the recipe that the flags describe.
func (f *Recipe) Apply(j *job.Job) error {
	dims := DimsOf(f.Dims)
	filter := f.Filter
	j.AutoDims = f.Dims == AutoDims || f.Dims == "" && f.Recipe == "" && f.Preset == ""
	if j.AutoFilter { // the filter that stays if no gain is known
		filter, j.AutoDims = denoise.Filters()[0].Name, dims == 0
	}
	var recipe denoise.Recipe
	var err error
	switch {
	case f.Preset == "":
		recipe, err = f.Params.Recipe(f.Recipe, filter, dims)
	case f.Recipe != "":
		return job.Usagef("give --preset or --recipe, not both")
	default:
		recipe, err = f.Params.preset(f.Preset, f.Filter, dims)
	}
	if err != nil {
		return err
	}
	j.Recipe = &recipe
	return nil
}

// AutoDims is --dims auto.
const AutoDims = "auto"

// AddDims adds --dims; usage says what holds without it.
func AddDims(cmd *cobra.Command, dims *string, usage string) {
	AddName(cmd, dims, "dims", "", []string{"2", "3", AutoDims}, "`2|3|auto`: slice by slice, as a volume, or as suits the series; "+usage)
}

// DimsOf returns the number of --dims, 0 for auto and for none.
func DimsOf(text string) int {
	switch text {
	case "2":
		return 2
	case "3":
		return 3
	}
	return 0
}

// PresetNames are the names of the presets.
func PresetNames() []string {
	var names []string
	for _, p := range job.Presets() {
		names = append(names, p.Name)
	}
	return names
}

// EngineHelp is the usage of --engine.
const EngineHelp = "the engine by `name`: auto, cpu or cuda"

// BatchEngineHelp is the help of commands on many series, which stop if nothing is given and the GPU
// fails.
const BatchEngineHelp = "the engine by `name`: cuda or cpu; if not given, that of the first series, and the batch stops if it fails; auto: the CPU does what the GPU cannot"

// AddEngine adds --engine. The value of engine is the default.
func AddEngine(cmd *cobra.Command, engine *string, usage string) {
	AddName(cmd, engine, "engine", "engine", []string{"auto", "cpu", "cuda"}, usage)
}

// EveryFilter in place of a filter's name asks for all of them.
const EveryFilter = "all"
