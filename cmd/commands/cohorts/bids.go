package cohorts

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/batch"
	"quell/app/batch/bids"
	"quell/app/files"
	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
)

// bidsPreset is the recipe if none is named: a BIDS App runs without options.
const bidsPreset = "mr-brain-3d"

// The levels of analysis of a BIDS App.
const (
	participantLevel = "participant"
	groupLevel       = "group"
)

// bidsMachine are the flags by which BIDS Apps say what a run may use of the machine.
type bidsMachine struct {
	work         string
	cpus, memory int
}

func (m *bidsMachine) addTo(flags *pflag.FlagSet) {
	flags.VarP(option.Input{Path: &m.work}, "work-dir", "w", "keep temporary files in this `folder`; those of outputs are beside these in any case")
	flags.IntVar(&m.cpus, "n-cpus", 0, "use at most `N` processors, as --threads does")
	flags.IntVar(&m.memory, "mem-mb", 0, "use about `N` megabytes of memory, as --memory does")
}

// apply has the flags that other commands have do what these say.
func (m *bidsMachine) apply(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	for _, pair := range [][2]string{{"n-cpus", "threads"}, {"mem-mb", "memory"}} {
		if changed(pair[0]) && changed(pair[1]) {
			return job.Usagef("give --%s or --%s, not both", pair[0], pair[1])
		}
	}
	if changed("n-cpus") {
		if err := command.LimitProcessors("n-cpus", m.cpus); err != nil {
			return err
		}
	}
	if changed("mem-mb") {
		if m.memory < 1 {
			return job.Usagef("--mem-mb %d: give 1 or more", m.memory)
		}
		if err := cmd.Flags().Set("memory", fmt.Sprintf("%dMB", m.memory)); err != nil {
			return err
		}
	}
	if m.work == "" {
		return nil
	}
	if err := os.MkdirAll(m.work, 0o700); err != nil {
		return job.Usagef("--work-dir %s: %w", m.work, err)
	}
	return os.Setenv("TMPDIR", m.work)
}

// BIDS is quell bids.
func BIDS() command.Command {
	var f batchFlags
	var filter bids.Filter
	var machine bidsMachine
	c := command.Command{
		Name:  "bids BIDS_DIR OUT_DIR participant|group",
		Short: "Remove noise from the images of a BIDS dataset",
		Long: `Filter the images of a BIDS dataset, as a BIDS App, and write a derivative dataset:

  OUT_DIR/sub-01/anat/sub-01_desc-denoised_T1w.nii.gz and .json
  OUT_DIR/dataset_description.json, report.html, report.csv

The sidecar holds the metadata that apply to the source, the source itself, and under
Quell the recipe, sigma and the verdict (see quell assess). Gradients of diffusion
series are copied. Files that .bidsignore names are left out, and masks,
segmentations, phases, field maps and noRF always. lowrank takes sigma from the noRF
file of the same entities, unless --noise-map or --sigma is given.

The level participant does the images, of all participants or of --participant-label:
one run after the other, or at the same time by --shard. The level group, for after
them, does what is missing and writes the reports over all participants.

Without --modality the images of anat are taken, without a recipe the preset
` + bidsPreset + `. Everything else is as in quell batch: a second run does what is missing.`,
		Example: `  quell bids study/ study/derivatives/quell participant
  quell bids study/ out/ participant --participant-label 01 02 --modality bold --filter odct
  quell bids study/ study/derivatives/quell group --n_cpus 4 --mem_mb 8000 -w work`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 3 || args[2] != participantLevel && args[2] != groupLevel {
				return job.Usagef("bids takes BIDS_DIR, OUT_DIR and the level, participant or group; see %s --help", cmd.CommandPath())
			}
			return nil
		},
		Inputs: command.Leading,
		Outputs: func(args []string) []command.Output {
			return []command.Output{{Name: "OUT_DIR", Path: &args[1], Kind: files.BatchOutput}}
		},
		First: []command.First{{Flag: "participant-label"}, {Flag: "session-label"}, {Flag: "modality"}, {Flag: "preset"}, {Flag: "work-dir", Text: "keep temporary files in this folder"}, {Flag: "n-cpus"}, {Flag: "mem-mb"}},
	}
	c.Flags = func(cmd *cobra.Command) {
		cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 2 {
				return []string{participantLevel, groupLevel}, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		}
		command.AddVersion(cmd)
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
		f.recipe.AddTo(cmd)
		f.addTo(cmd)
		machine.addTo(flags)
		option.AddOutputFlags(cmd, &f.options.Job.Output.Options)
		f.recipe.Params = option.AddParams(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		flags := cmd.Flags()
		// A list with spaces, as in BIDS Apps, leaves labels among the arguments.
		for _, label := range args[3:] {
			if !flags.Changed("participant-label") {
				return job.Usagef("%q is one argument too many; see %s --help", label, cmd.CommandPath())
			}
			filter.Participants = append(filter.Participants, label)
		}
		if args[2] == groupLevel && len(filter.Participants) > 0 {
			return job.Usagef("the level group is about all participants; leave --participant-label out")
		}
		if err := machine.apply(cmd); err != nil {
			return err
		}
		if f.recipe.Filter == "" && f.recipe.Recipe == "" && f.recipe.Preset == "" {
			f.recipe.Preset = bidsPreset
		}
		f.options.Output = args[1]
		return f.run(cmd, func(ctx context.Context, o batch.Options, events batch.Events) (batch.Summary, error) {
			return bids.Run(ctx, args[0], filter, o, events)
		})
	}
	return c
}
