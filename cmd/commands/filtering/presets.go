package filtering

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/cmd/command"
)

// Presets is quell presets.
func Presets() command.Command {
	c := command.Command{
		Name:  "presets",
		Short: "List the recipes for a modality and an anatomy",
		Long: `List the recipes that come with Quell, for quell denoise --preset NAME. Each names the
data that it was tuned on; on other data it is a start. Strengths count in sigmas of the
noise of the series, which is estimated.`,
		Example: `  quell presets
  quell denoise ct/ denoised/ --preset ct-head-soft-tissue`,
	}
	c.Run = func(cmd *cobra.Command, _ []string) error {
		return command.Print(cmd, map[string]any{"presets": job.Presets()}, func(tw io.Writer) {
			for _, p := range job.Presets() {
				fmt.Fprintf(tw, "%s\t%s\t%s\n\t\ttuned on %s\n", p.Name, p.Title, p.Recipe, p.TunedOn)
			}
		})
	}
	return c
}
