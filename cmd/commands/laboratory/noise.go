package laboratory

import (
	"strings"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/denoise/noise"
)

// Noise is quell noise.
func Noise() *cobra.Command {
	var models []string
	for _, m := range noise.Models() {
		models = append(models, string(m))
	}
	cmd := &cobra.Command{
		Use:   "noise IN OUT --model MODEL --sigma S",
		Short: "Add noise of a known strength to a series",
		Long: `Add noise of a known strength to a series, to see how well a filter removes it
again. The same seed gives the same values on every machine.`,
		Example: `  quell noise clean.nii.gz noisy.nii.gz --model rician --sigma 10
  quell noise ct/ noisy/ --model gaussian --sigma 20 --seed 7`,
		Args: command.Exactly(2, "IN and OUT"),
	}
	flags := cmd.Flags()
	var model string
	option.AddName(cmd, &model, "model", "noise model", models, "the noise `model`: "+strings.Join(models, " or "))
	sigma := flags.Float64("sigma", 0, "standard deviation `S` of the noise, in the series' unit")
	seed := flags.Uint64("seed", 1, "seed `N` of the noise")
	var options job.Options
	option.AddOutputFlags(cmd, &options)
	command.AddFormat(cmd)
	var memory string
	option.AddMemory(cmd, &memory, "given noise")
	var pick option.Choice
	pick.AddTo(cmd)
	asJSON := cmd.Flags().Bool("json", false, option.JSONHelp)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !flags.Changed("model") || !flags.Changed("sigma") {
			return job.Usagef("which noise? Give --model (%s) and --sigma", strings.Join(models, " or "))
		}
		n := job.AddedNoise{Model: noise.Model(model), Sigma: *sigma, Seed: *seed}
		if err := n.Validate(); err != nil {
			return err
		}
		limit, err := option.MemorySize(cmd, memory)
		if err != nil {
			return err
		}
		report, err := command.Do(cmd, job.Job{Input: pick.Input(args[0]), Noise: &n, Memory: limit, Output: job.Output{Path: args[1], Options: options}})
		if err != nil {
			return err
		}
		if *asJSON {
			return command.PrintReport(cmd.OutOrStdout(), report)
		}
		return command.PrintWritten(cmd, report, n.String()+" added to "+command.VolumesText(report))
	}
	return cmd
}
