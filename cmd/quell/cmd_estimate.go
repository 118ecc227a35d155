package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"quell/denoise"
)

func newEstimate() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "estimate IN",
		Short: "Estimate the noise of a series and of each of its slices",
		Long: `Estimate the standard deviation of the noise from pseudo-residuals (Coupe et al.
2008) over the foreground: for the whole series, and for each slice alone. A
slice with too little foreground gives 0.`,
		Args: exactly(1, "one IN"),
	}
	asJSON := cmd.Flags().Bool("json", false, jsonHelp)
	var pick choice
	pick.addTo(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := open(cmd, pick.input(cmd, args[0]))
		if err != nil {
			return err
		}
		defer in.Close()
		est, err := denoise.Estimate(cmd.Context(), in.Volume)
		if err != nil {
			return err
		}
		w := cmd.OutOrStdout()
		if *asJSON {
			return printJSON(w, struct {
				denoise.NoiseEstimate
				Unit string `json:"unit,omitempty"`
			}{est, in.Volume.Unit})
		}
		if _, err := fmt.Fprintf(w, "sigma %.4g %s\n", est.Sigma, in.Volume.Unit); err != nil {
			return err
		}
		for z, sigma := range est.PerSlice {
			if _, err := fmt.Fprintf(w, "slice %d  %.4g\n", z, sigma); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}
