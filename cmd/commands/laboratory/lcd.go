package laboratory

import (
	"fmt"

	"github.com/spf13/cobra"

	"quell/app/engines"
	"quell/app/job"
	"quell/bench/lcd"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/denoise"
)

// newBenchFDA is quell bench fda-lcd.
func newBenchFDA() command.Command {
	return newBenchLCD(lcd.CT(), "Run the FDA's task of low-contrast detectability with every filter",
		`Scan a cylinder of water with the four inserts of the FDA's low-contrast task at
doses of 100, 55 and 10 %, with filtered backprojection`)
}

// newBenchMR is quell bench mr-lcd.
func newBenchMR() command.Command {
	return newBenchLCD(lcd.MR(), "Run a task of low-contrast detectability in MR with every filter",
		`Make images of a head of T1 contrast with four inserts in its white matter, in
Rician noise of SNR 20, 10 and 5`)
}

// newBenchLCD is the command of a task; made is how its images are made.
func newBenchLCD(task lcd.Task, short, made string) command.Command {
	var markdown, quick bool
	engine := "auto"
	o := lcd.Options{Task: task, Images: 200, Seed: 1}
	c := command.Command{
		Name:  task.Name,
		Short: short,
		Long: made + `. Filter the images slice by slice with every filter, its
values automatic, and look with four model observers: Laguerre-Gauss and dense
difference-of-Gaussians channels, and the non-prewhitening observer without and with
the eye. Prints the noise that is left, the contrast kept, AUC and d' with half their
intervals of 95 %. docs/DETECT.md has the definitions.`,
		Example: "  quell bench " + task.Name + " --images 200 --json",
		Args:    command.Exactly(0, "no argument"),
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.IntVar(&o.Images, "images", o.Images, "scan `N` images of each kind")
		flags.Uint64Var(&o.Seed, "seed", o.Seed, "seed `N` of the noise")
		flags.BoolVar(&quick, "quick", false, "the level of the least noise alone")
		option.AddEngine(cmd, &engine, option.EngineHelp)
		flags.BoolVar(&markdown, "markdown", false, "print tables in Markdown, with two of the observers")
	}
	c.Run = func(cmd *cobra.Command, _ []string) (err error) {
		if o.Images < 10 || o.Images > 2000 {
			return job.Usagef("--images %d: give 10 to 2000", o.Images)
		}
		if quick {
			o.Levels = task.Levels[:1]
		}
		if o.Engine, err = engines.Pick(engine); err != nil {
			return err
		}
		var done func()
		o.Progress, done = counting(cmd)
		defer done()
		r, err := lcd.Run(cmd.Context(), o)
		done()
		if err != nil {
			return err
		}
		switch {
		case command.JSON(cmd):
			return command.PrintJSON(cmd.OutOrStdout(), r)
		case markdown:
			return r.WriteMarkdown(cmd.OutOrStdout())
		}
		return r.WriteText(cmd.OutOrStdout())
	}
	return c
}

// newBenchSolid is quell bench lcd-3d.
func newBenchSolid() command.Command {
	engine := "auto"
	against := new(string)
	o := lcd.SolidOptions{Spacing: 1, Volumes: 12, Seed: 1}
	c := command.Command{
		Name:  "lcd-3d [SERIES]",
		Short: "Run low-contrast detectability in three dimensions, where --strength visible stops",
		Long: `Scan spheres in water, each as long as it is wide, at three doses with three kernels, or
add noise to a head (--mr). Filter the volumes with every filter in three dimensions,
where --strength visible stops. Prints the noise that is left, what is possible, the
mean frequency and the power in bands, the contrast kept, and d' after over before of
two observers: of each sphere, and of a pair and of a sphere with spikes against one of
their mass; and f50 of rods of 30, 100 and 300 HU, after over before.

With --against nothing is scanned. What a vendor's filter or reconstruction left of
SERIES is put beside what every filter of a proposal leaves where the slider stops, the
proposal first: noise, contrast, mean frequency and bands, with the verdicts.`,
		Example: `  quell bench lcd-3d --spacing 3
  quell bench lcd-3d fbp/ --against iterative/`,
		Args:   cobra.MaximumNArgs(1),
		Inputs: command.Every,
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.BoolVar(&o.MR, "mr", false, "spheres in the white matter of a head, in Rician noise")
		flags.StringSliceVar(&o.Filters, "filters", nil, "`NAME,...` of filters; if not given, all")
		flags.Float64Var(&o.Spacing, "spacing", o.Spacing, "slices of `MM`")
		flags.Float64Var(&o.Noise, "noise", 0, "noise of `HU` in place of that of the doses")
		flags.Float64Var(&o.Across, "across", 0, "noise that a Gaussian of `N` slices has blurred: of 0.5 neighbours correlate by 0.26, of 1 by 0.78")
		flags.IntVar(&o.Volumes, "volumes", o.Volumes, "scan `N` volumes of each kind, with three of each sphere in each")
		flags.Uint64Var(&o.Seed, "seed", o.Seed, "seed `N` of the noise")
		flags.BoolVar(&o.Quick, "quick", false, "the level of the least noise alone")
		option.AddInput(flags, against, "against", "put this `RESULT` of SERIES, by another program, beside those of the filters")
		option.AddEngine(cmd, &engine, option.EngineHelp)
	}
	c.Run = func(cmd *cobra.Command, args []string) (err error) {
		if (len(args) > 0) != (*against != "") {
			return job.Usagef("SERIES and --against RESULT go together: the original, and what another program made of the same scan")
		}
		if o.Volumes < 2 || o.Volumes > 200 || !(o.Spacing >= 0.3 && o.Spacing <= 10) {
			return job.Usagef("--volumes %d --spacing %g: give 2 to 200 volumes of slices of 0.3 to 10 mm", o.Volumes, o.Spacing)
		}
		if !(o.Noise >= 0 && o.Across >= 0 && o.Across <= 1) || o.MR && o.Noise+o.Across > 0 {
			return job.Usagef("--noise %g --across %g: of a CT, give HU of 0 and more, and 0 to 1 slices", o.Noise, o.Across)
		}
		for _, name := range o.Filters {
			if _, err := denoise.FilterByName(name); err != nil {
				return job.Usage(err)
			}
		}
		if o.Engine, err = engines.Pick(engine); err != nil {
			return err
		}
		if len(args) > 0 {
			return compared(cmd, o, args[0], *against)
		}
		var done func()
		o.Progress, done = counting(cmd)
		defer done()
		r, err := lcd.RunSolid(cmd.Context(), o)
		done()
		if err != nil {
			return err
		}
		if command.JSON(cmd) {
			return command.PrintJSON(cmd.OutOrStdout(), r)
		}
		return r.WriteMarkdown(cmd.OutOrStdout())
	}
	return c
}

// compared prints what another program and the filters make of a series.
func compared(cmd *cobra.Command, o lcd.SolidOptions, path, other string) error {
	in, err := command.OpenInput(cmd, job.Input{Path: path})
	if err != nil {
		return err
	}
	defer in.Close()
	v, err := command.OpenSame(cmd, other, in.Volume)
	if err != nil {
		return err
	}
	b, err := lcd.Against(cmd.Context(), o.Engine, in.Series, v, o.Filters)
	switch {
	case err != nil:
		return err
	case command.JSON(cmd):
		return command.PrintJSON(cmd.OutOrStdout(), b)
	}
	return b.WriteMarkdown(cmd.OutOrStdout())
}

// counting prints how many parts are done, until it is ended.
func counting(cmd *cobra.Command) (progress func(n, total int), done func()) {
	events, done := command.EventsOf(cmd)
	if events.Progress == nil {
		return nil, done
	}
	return func(n, total int) {
		events.Progress(job.Step(fmt.Sprintf("%d of %d", n, total)), int64(n), int64(total))
	}, done
}
