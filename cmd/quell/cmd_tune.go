package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/tune"
)

func newTune() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tune IN [--filter NAME|all] [parameters]",
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
		Args: exactly(1, "one IN"),
	}
	flags := cmd.Flags()
	filter := "nlm"
	addNameFlag(cmd, &filter, "filter", "filter", append(filterNames(), everyFilter), "the filter's `name`: "+strings.Join(filterNames(), ", ")+"; or all")
	recipeFile := new(string)
	addInput(flags, recipeFile, "recipe", "start from the recipe in this `file`; flags override it")
	var dims string
	addDimsFlag(cmd, &dims, "the recipe's if not given, or without one auto")
	objective, engineName := string(tune.LeastRisk), "auto"
	addNameFlag(cmd, &objective, "objective", "objective", []string{string(tune.LeastRisk), string(tune.Discrepancy)}, "what the best strength is: `sure|residual`")
	addEngineFlag(cmd, &engineName, engineHelp)
	out := new(string)
	addOutput(flags, out, "out", files.RecipeOutput, "write the recipe to this `file`")
	overwrite := flags.Bool("overwrite", false, "replace a file that Quell did not write")
	asJSON := flags.Bool("json", false, jsonHelp)
	var pick choice
	pick.addTo(cmd)
	params := addParamFlags(cmd)
	var every gallery
	every.addTo(flags)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		all := filter == everyFilter
		if err := every.check(flags, all, params); err != nil {
			return err
		}
		if *recipeFile != "" && !flags.Changed("filter") {
			filter = ""
		}
		var recipe denoise.Recipe
		if !all {
			var err error
			if recipe, err = params.recipe(*recipeFile, filter, dimsOf(dims)); err != nil {
				return err
			}
		}
		engine, err := pickEngine(cmd, engineName)
		if err != nil {
			return err
		}
		in, err := openInput(cmd, pick.input(args[0]))
		if err != nil {
			return err
		}
		defer in.Close()
		if all {
			return every.run(cmd, engine, in.Series, *out, *overwrite, *asJSON)
		}
		if dims == autoDims || dims == "" && *recipeFile == "" {
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
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), t)
		}
		tw := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
		fmt.Fprintf(tw, "%s\terror (sigmas)\tnoise kept\t\n", t.Curve.Param)
		for i, p := range t.Curve.Points {
			mark := ""
			if i == t.Curve.Best {
				mark = "best"
			}
			fmt.Fprintf(tw, "%s\t%.3f\t%.0f %%\t%s\n", p.Value, p.RMSE(), 100*p.Kept, mark)
		}
		if err := tw.Flush(); err != nil {
			return err
		}
		for _, doubt := range t.Doubts {
			fmt.Fprintln(cmd.OutOrStdout(), doubt)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", t.Recipe)
		return err
	}
	return cmd
}
