package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quell/app"
	"quell/denoise/noise"
)

func newEstimate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "estimate IN",
		Short: "Estimate the noise of a series and of each of its slices",
		Long: `Estimate the standard deviation of the noise, of the whole series and of each
slice, with a confidence for each figure:

  high  within about 5 %
  fair  within about 20 %
  low   the image's own texture may be part of it; where the image was smoothed or
        interpolated the noise may be stronger, too: the reason says so
  none  there is no figure

CT is measured in even soft tissue, with the correlation of its noise; everything
else by differences in the foreground, for Gaussian or Rician noise. --map writes
the noise of every voxel.`,
		Args: exactly(1, "one IN"),
	}
	asJSON := cmd.Flags().Bool("json", false, jsonHelp)
	mapped := cmd.Flags().String("map", "", "write the noise map, sigma for every voxel, to `OUT`")
	var options app.ExportOptions
	addOutputFlags(cmd, &options)
	var pick choice
	pick.addTo(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := open(cmd, pick.input(args[0]))
		if err != nil {
			return err
		}
		defer in.Close()
		var e noise.Estimate
		if *mapped != "" {
			events, done := eventsOf(cmd)
			_, e, err = app.ExportNoiseMap(cmd.Context(), in.Series, *mapped, options, events)
			done()
		} else {
			e, err = noise.Of(cmd.Context(), in.Volume)
		}
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), estimateJSON(e, in.Volume.Unit))
		}
		return printEstimate(cmd.OutOrStdout(), e, in.Volume.Unit)
	}
	return cmd
}

// estimateJSON is the estimate with the sigmas of the slices as a plain list.
func estimateJSON(e noise.Estimate, unit string) any {
	perSlice := make([]float64, len(e.PerSlice))
	for z, f := range e.PerSlice {
		perSlice[z] = f.Sigma
	}
	return struct {
		noise.Estimate
		Sigmas []float64 `json:"per_slice"`
		Unit   string    `json:"unit,omitempty"`
	}{e, perSlice, unit}
}

func printEstimate(w io.Writer, e noise.Estimate, unit string) error {
	kind := string(e.Model)
	if !e.ModelKnown {
		kind += " (assumed: no background shows it)"
	}
	if e.Correlation != nil {
		kind += fmt.Sprintf(", correlated: %.2f from pixel to pixel, %.2f from slice to slice", e.Correlation.Rho(1, 0, 0), e.Correlation.Rho(0, 0, 1))
	}
	if _, err := fmt.Fprintf(w, "sigma %s\nnoise %s\n", figureText(e.Figure, unit), kind); err != nil {
		return err
	}
	for z, f := range e.PerSlice {
		if _, err := fmt.Fprintf(w, "slice %d  %s\n", z, figureText(f, unit)); err != nil {
			return err
		}
	}
	return nil
}

// figureText is a figure with its unit and confidence.
func figureText(f noise.Figure, unit string) string {
	if f.Confidence == noise.None {
		return "unknown: " + f.Why
	}
	text := fmt.Sprintf("%.4g", f.Sigma)
	if unit != "" {
		text += " " + unit
	}
	text += fmt.Sprintf("  %s confidence", f.Confidence)
	if f.Why != "" {
		text += ": " + f.Why
	}
	return text
}
