package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"quell/app"
	"quell/denoise/noise"
)

func newAssess() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "assess BEFORE AFTER",
		Short: "Judge a denoised series without a reference",
		Long: `Judge how well AFTER was denoised from BEFORE, without a reference. The verdict is

  clean    the input holds no noise to speak of
  under    noise is left that the filter could remove
  matched  the error is estimated within 15 % of the least this filter reaches
  over     structure is lost for the noise that is removed
  unknown  there is no ground to judge on; why says what is missing

Where AFTER has its record (AFTER.recipe.json) or --recipe is given, the filter is
run again on parts of BEFORE and the error is estimated over its strength (Stein's
unbiased risk). Otherwise the filter whose result is most like AFTER stands in, which
is less certain. Each slice is judged by its own noise and residual; place is where
the residual shows the most structure.`,
		Args: exactly(2, "BEFORE and AFTER"),
	}
	mask := cmd.Flags().String("mask", "", "count only voxels that are not 0 in this `file`")
	noiseMap := cmd.Flags().String("noise-map", "", "the noise map that the filter worked by: this `file`, or auto to estimate it again; errors count in units of it")
	recipeFile := cmd.Flags().String("recipe", "", "the recipe that made AFTER, if it lies in another `file` than beside it")
	asJSON := cmd.Flags().Bool("json", false, jsonHelp)
	var pick choice
	pick.addTo(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		before, err := open(cmd, pick.input(args[0]))
		if err != nil {
			return err
		}
		defer before.Close()
		in := app.AssessInput{Before: before.Series}
		if in.After, err = openSame(cmd, args[1], before.Volume); err != nil {
			return err
		}
		if *mask != "" {
			if in.Mask, err = openMask(cmd, *mask, before.Volume); err != nil {
				return err
			}
		}
		if *noiseMap != "" {
			if in.Maps, err = app.OpenNoiseMap(cmd.Context(), *noiseMap, before.Series); err != nil {
				return err
			}
		}
		if *recipeFile != "" {
			r, err := app.LoadRecipe(*recipeFile)
			if err != nil {
				return err
			}
			if !r.Resolved() {
				return app.Usagef("%s holds automatic values; give the recipe as it was run, which lies beside an output", *recipeFile)
			}
			in.Recipe = &r
		} else if in.Recipe, err = app.RecipeBeside(args[1], before.Volume, in.Maps); err != nil {
			return err
		}
		if in.Engine, err = app.PickEngine("cpu"); err != nil {
			return err
		}
		a, err := app.Assess(cmd.Context(), in)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), a)
		}
		w := cmd.OutOrStdout()
		fmt.Fprintf(w, "verdict      %s (%s confidence)\nwhy          %s\n", a.Verdict, a.Confidence, a.Why)
		unit := a.Unit
		if unit != "" {
			unit = " " + unit
		}
		sigma := "unknown"
		if a.SigmaConfidence != noise.None {
			sigma = fmt.Sprintf("%.4g%s (%s confidence)", a.Sigma, unit, a.SigmaConfidence)
		}
		fmt.Fprintf(w, "sigma        %s\nresidual_sd  %.4g%s\nstructure    %.3g of the noise variance\n", sigma, float64(a.ResidualSD), unit, a.Structure)
		for _, b := range a.Spectrum {
			fmt.Fprintf(w, "spectrum     %.3g times the power of noise, after a Gaussian of %g voxels\n", b.Power, b.Scale)
		}
		if a.Place != nil {
			fmt.Fprintf(w, "place        %s\n", a.Place)
		}
		for z, s := range a.Slices {
			fmt.Fprintf(w, "slice %-6d %-8s sigma %.4g, residual_sd %.4g, structure %.3g\n", z, s.Verdict, s.Sigma, float64(s.ResidualSD), s.Structure)
		}
		return nil
	}
	return cmd
}
