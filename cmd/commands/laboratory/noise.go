package laboratory

import (
	"strings"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/denoise/noise"
)

// Noise is quell noise.
func Noise() command.Command {
	var models []string
	for _, m := range noise.Models() {
		models = append(models, string(m))
	}
	var model string
	sigma, seed := new(float64), new(uint64)
	var options job.Options
	var limit int64
	var pick option.Choice
	c := command.Command{
		Name:  "noise IN OUT --model MODEL --sigma S",
		Short: "Add noise of a known strength to a series",
		Long: `Add noise of a known strength to a series, to see how well a filter removes it
again. The same seed gives the same values on every machine.`,
		Example: `  quell noise reference.nii.gz noisy.nii.gz --model rician --sigma 10
  quell noise ct/ noisy/ --model gaussian --sigma 20 --seed 7`,
		Inputs:  command.Leading,
		Outputs: command.Last(files.SeriesOutput),
		Pipes:   true,
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		option.AddName(cmd, &model, "model", "noise model", models, "the noise `model`: "+strings.Join(models, " or "))
		flags.Float64Var(sigma, "sigma", 0, "standard deviation `S` of the noise, in the series' unit")
		flags.Uint64Var(seed, "seed", 1, "seed `N` of the noise")
		option.AddOutputFlags(cmd, &options)
		command.AddFormat(cmd)
		option.VolumeMemory(cmd, &limit, "given noise")
		pick.AddTo(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		flags := cmd.Flags()
		if !flags.Changed("model") || !flags.Changed("sigma") {
			return job.Usagef("which noise? Give --model (%s) and --sigma", strings.Join(models, " or "))
		}
		n := job.AddedNoise{Model: noise.Model(model), Sigma: *sigma, Seed: *seed}
		if err := n.Validate(); err != nil {
			return err
		}
		report, err := command.Do(cmd, job.Job{Input: pick.Input(args[0]), Noise: &n, Memory: limit, Output: job.Output{Path: args[1], Options: options}})
		if err != nil {
			return err
		}
		return command.PrintWritten(cmd, report, n.String()+" added to "+command.VolumesText(report))
	}
	return c
}
