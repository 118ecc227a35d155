package filtering

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/run"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/denoise"
	"quell/denoise/tune"
)

// Tune is quell tune.
func Tune() command.Command {
	filter := "nlm"
	recipeFile := new(string)
	var dims string
	objective, engineName := string(tune.LeastRisk), "auto"
	out, overwrite := new(string), new(bool)
	var pick option.Choice
	var params option.Params
	var every gallery
	c := command.Command{
		Name:  "tune IN [--filter NAME|all] [parameters]",
		Short: "Find the best strength of a filter by the noise of the series",
		Long: `Find the best strength of a filter without a reference. Objectives:

  sure      the least mean squared error, estimated by Stein's unbiased risk on parts
            of the series: in closed form, or by running the filter with and without
            a small perturbation that has the correlation of the noise
  residual  the strength at which the residual is as strong as the noise that was
            removed (discrepancy principle); looks at no error, and smooths more where
            the filter takes structure evenly

Errors are given in units of the noise variance: 1 is the series as it is. Prints the
curve and the recipe; --out writes the recipe, for quell denoise --recipe. "quell
denoise IN OUT --filter nlm --h sure" does both in one step.

--filter all is a gallery: every filter at its best automatic setting, on one slice or
those of --slices, with the estimated error and the noise that is left, the verdict, the
structure in the residual, the time, and with --reference the PSNR. --picture draws
them side by side.`,
		Example: `  quell tune ct/ --filter nlm --out tuned.json
  quell tune brain.nii.gz --filter all --slices 20:22 --picture gallery.png`,
		Inputs: command.Every,
		Pipes:  true,
		First:  []command.First{{Flag: "objective"}, {Flag: "dims"}, {Flag: "out"}, {Flag: "json"}},
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		option.AddName(cmd, &filter, "filter", "filter", append(option.FilterNames(), option.EveryFilter), "the filter's `name`: "+strings.Join(option.FilterNames(), ", ")+"; or all")
		option.AddRecipe(flags, recipeFile, "recipe", "start from the recipe in this `file`; flags override it")
		option.AddDims(cmd, &dims, "the recipe's if not given, or without one auto")
		option.AddName(cmd, &objective, "objective", "objective", []string{string(tune.LeastRisk), string(tune.Discrepancy)}, "what the best strength is: `sure|residual`")
		option.AddEngine(cmd, &engineName, option.EngineHelp)
		option.AddOutput(flags, out, "out", files.RecipeOutput, "write the recipe to this `file`")
		flags.BoolVar(overwrite, "overwrite", false, "replace a file that Quell did not write")
		pick.AddTo(cmd)
		params = option.AddParams(cmd)
		every.addTo(flags)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		flags := cmd.Flags()
		all := filter == option.EveryFilter
		if err := every.check(flags, all, params); err != nil {
			return err
		}
		if *recipeFile != "" && !flags.Changed("filter") {
			filter = ""
		}
		var recipe denoise.Recipe
		if !all {
			var err error
			if recipe, err = params.Recipe(*recipeFile, filter, option.DimsOf(dims)); err != nil {
				return err
			}
		}
		engine, err := command.PickEngine(cmd, engineName)
		if err != nil {
			return err
		}
		in, err := command.OpenInput(cmd, pick.Input(args[0]))
		if err != nil {
			return err
		}
		defer in.Close()
		if all {
			return every.run(cmd, engine, in.Series, *out, *overwrite)
		}
		if dims == option.AutoDims || dims == "" && *recipeFile == "" {
			if recipe.Dims, err = run.ProposeDims(in.Series, recipe.Filter); err != nil {
				return err
			}
		}
		t, err := run.Tune(cmd.Context(), engine, run.TuneRequest{Series: in.Series, Recipe: recipe, Objective: tune.Objective(objective)})
		if err != nil {
			return err
		}
		if *out != "" {
			if err := files.WriteRecipe(*out, t.Recipe, *overwrite); err != nil {
				return err
			}
		}
		return command.Print(cmd, t, func(w io.Writer) {
			fmt.Fprintf(w, "%s\terror (sigmas)\tnoise kept\t\n", t.Curve.Param)
			for i, p := range t.Curve.Points {
				mark := ""
				if i == t.Curve.Best {
					mark = "best"
				}
				fmt.Fprintf(w, "%s\t%.3f\t%.0f %%\t%s\n", p.Value, p.RMSE(), 100*p.Kept, mark)
			}
			for _, doubt := range t.Doubts {
				fmt.Fprintln(w, doubt)
			}
			fmt.Fprintf(w, "%s\n", t.Recipe)
		})
	}
	return c
}
