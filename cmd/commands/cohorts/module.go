package cohorts

import (
	"os"

	"github.com/spf13/cobra"

	"quell/app/hosts"
	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
)

// Module is quell module.
func Module() command.Command {
	var recipe option.Recipe
	c := command.Command{
		Name:  "module [IN OUT]",
		Short: "Filter what a host program puts into a folder: mercure, MONAI Deploy",
		Long: `Filter the images of the folder IN and leave the results in OUT, which is empty, as files
without a folder of their own, with their recipe and result.json. Hosts name the folders
in the environment:

  mercure       MERCURE_IN_DIR, MERCURE_OUT_DIR; settings in IN/task.json
  MONAI Deploy  MONAI_INPUTPATH, MONAI_OUTPUTPATH, or the HOLOSCAN_ ones

Settings are JSON, in task.json under process, settings:
  {"preset": "mr-brain-3d", "series": "all"}
  {"filter": "nlm", "dims": 3, "parameters": {"h": "sure"}, "verdict": false}
They may name recipe, preset or filter, dims, parameters, series (a number or all),
engine, noise_map, compress, uneven, verdict and deidentify. One that names no filter
leaves that to the flags; if they name none, the filter that is expected to gain most
is taken, as by quell denoise.

result.json holds the status, done or failed, and for each series its files, the verdict
and the outcome as quell denoise prints it. After a failure OUT holds result.json alone,
with the error. Without series the largest is filtered, with all volumes if it is 4-D.`,
		Example: `  quell module
  quell module --preset ct-head-slices
  quell module study/ denoised/ --filter odct`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return job.Usagef("module takes IN and OUT, or neither if the environment names them")
			}
			return nil
		},
		JSON: ": that of result.json",
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.SortFlags = false
		recipe.AddTo(cmd)
		recipe.Params = option.AddParams(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		place, err := hosts.Find(args, os.Getenv)
		if err != nil {
			return err
		}
		form := func(err error) any { return command.FailureOf(cmd.Context(), err) }
		settings, err := moduleSettings(place, &recipe)
		if err != nil {
			return hosts.Refuse(place, err, form)
		}
		events, done := command.EventsOf(cmd)
		defer done()
		result, err := hosts.Run(cmd.Context(), place, settings, form, events)
		if err != nil {
			return err
		}
		return command.Tell(cmd, result, "%s", result.Notification.Text)
	}
	return c
}

// moduleSettings returns the settings of the host, with the recipe of the flags if they name no filter. If neither does,
// the filter stays open, as quell denoise leaves it.
func moduleSettings(place hosts.Place, recipe *option.Recipe) (hosts.Settings, error) {
	s, _, err := place.ReadTask()
	if err != nil || s.Named() {
		return s, err
	}
	if recipe.Open() {
		if dims := option.DimsOf(recipe.Dims); dims != 0 && s.Dims == nil {
			s.Dims = float64(dims)
		}
		return s, nil
	}
	var j job.Job
	if err := recipe.Apply(&j); err != nil {
		return s, err
	}
	s.Recipe = j.Recipe
	if j.AutoDims {
		s.Dims = option.AutoDims
	}
	return s, nil
}
