package laboratory

import (
	"fmt"

	"github.com/spf13/cobra"

	"quell/app/arrays"
	"quell/cmd/command"
	"quell/cmd/commands/judging"
	"quell/denoise/noise"
)

// ServeArrays is quell serve-arrays.
func ServeArrays() command.Command {
	c := command.Command{
		Name:  "serve-arrays",
		Short: "Serve a program that holds its images in memory, such as the Python package",
		Long: fmt.Sprintf(`Answer requests on standard input by replies on standard output, each a line of JSON,
until standard input ends. Voxels lie in files that both processes map. The results
are those of quell denoise, estimate and assess, bit for bit.

This is version %d of the protocol, which docs/PYTHON.md describes. The Python package
uses it; a person has no need to.`, arrays.Version),
		Example: `  quell serve-arrays`,
		Hidden:  true, // programs call it
		JSON:    " if the command fails; replies are JSON in any case",
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		of := command.StreamsOf(cmd)
		return arrays.Serve(cmd.Context(), of.In, of.Out, arrays.Forms{
			Error:    func(err error) any { return command.FailureOf(cmd.Context(), err) },
			Estimate: func(e noise.Estimate) any { return judging.VolumeEstimate{Estimate: e}.JSON() },
		})
	}
	return c
}
