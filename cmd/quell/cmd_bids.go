package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/batch"
	"quell/app/batch/bids"
	"quell/app/job"
)

// bidsPreset is the recipe if none is named: a BIDS App runs without options.
const bidsPreset = "mr-brain-3d"

func newBIDS() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bids BIDS_DIR OUT_DIR participant",
		Short: "Remove noise from the images of a BIDS dataset",
		Long: `Filter the images of a BIDS dataset, as a BIDS App, and write a derivative dataset:

  OUT_DIR/sub-01/anat/sub-01_desc-denoised_T1w.nii.gz and .json
  OUT_DIR/dataset_description.json, report.html, report.csv

The sidecar holds the metadata that apply to the source, the source itself, and under
Quell the recipe, sigma and the verdict (see quell assess). Gradients of diffusion
series are copied. Files that .bidsignore names are left out, and masks,
segmentations, phases and field maps always.

Without --modality the images of anat are taken, without a recipe the preset
` + bidsPreset + `. Everything else is as in quell batch: a second run does what is missing.`,
		Example: `  quell bids study/ study/derivatives/quell participant
  quell bids study/ out/ participant --participant-label 01 02 --modality bold --filter odct`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 3 || args[2] != "participant" {
				return job.Usagef("bids takes BIDS_DIR, OUT_DIR and the level participant, the only one; see %s --help", cmd.CommandPath())
			}
			return nil
		},
	}
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 2 {
			return []string{"participant"}, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	var f batchFlags
	var filter bids.Filter
	flags := cmd.Flags()
	flags.SortFlags = false
	// BIDS Apps write flags with underscores.
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	flags.StringSliceVar(&filter.Participants, "participant-label", nil, "only these participants, as `labels` with or without sub-")
	flags.StringSliceVar(&filter.Sessions, "session-label", nil, "only these sessions, as `labels` with or without ses-")
	flags.StringSliceVar(&filter.Modalities, "modality", nil, "only images of these `suffixes`, such as T1w,FLAIR,bold, in every folder")
	flags.Bool("skip-bids-validator", false, "no effect: the dataset is not validated as a whole")
	f.recipe.addTo(cmd)
	f.addTo(cmd)
	addOutputFlags(cmd, &f.options.Job.Output.Options)
	f.recipe.params = addParamFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// A list with spaces, as in BIDS Apps, leaves labels among the arguments.
		for _, label := range args[3:] {
			if !flags.Changed("participant-label") {
				return job.Usagef("%q is one argument too many; see %s --help", label, cmd.CommandPath())
			}
			filter.Participants = append(filter.Participants, label)
		}
		if f.recipe.filter == "" && f.recipe.recipe == "" && f.recipe.preset == "" {
			f.recipe.preset = bidsPreset
		}
		f.options.Output = args[1]
		return f.run(cmd, func(ctx context.Context, o batch.Options, events batch.Events) (batch.Summary, error) {
			return bids.Run(ctx, args[0], filter, o, events)
		})
	}
	return cmd
}
