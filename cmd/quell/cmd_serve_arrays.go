package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"quell/app/arrays"
	"quell/denoise/noise"
)

func newServeArrays() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve-arrays",
		Short: "Serve a program that holds its images in memory, such as the Python package",
		Long: fmt.Sprintf(`Answer requests on standard input by replies on standard output, each a line of JSON,
until standard input ends. Voxels lie in files that both processes map. The results
are those of quell denoise, estimate and assess, bit for bit.

This is version %d of the protocol, which docs/PYTHON.md describes. The Python package
uses it; a person has no need to.`, arrays.Version),
		Example: `  quell serve-arrays`,
		Args:    exactly(0, "no arguments"),
		Hidden:  true, // programs call it
	}
	cmd.Flags().Bool("json", false, jsonHelp+" if the command fails; replies are JSON in any case")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		of := streamsOf(cmd)
		return arrays.Serve(cmd.Context(), of.in, of.out, arrays.Forms{
			Error:    func(err error) any { return failureOf(cmd.Context(), err) },
			Estimate: func(e noise.Estimate) any { return volumeEstimate{Estimate: e}.json() },
		})
	}
	return cmd
}
