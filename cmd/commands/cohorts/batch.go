package cohorts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"quell/app/batch"
	"quell/app/batch/queue"
	"quell/app/files"
	"quell/app/job"
	"quell/cmd/command"
	"quell/cmd/option"
	"quell/internal/message"
)

// batchFlags are the flags that commands on many series share.
type batchFlags struct {
	recipe   option.Recipe
	shard    shardFlag
	noiseMap string
	metrics  string
	nats     natsFlags
	children int
	compress option.Compress
	options  batch.Options
	reveal   string
}

// Batch is quell batch.
func Batch() command.Command {
	var f batchFlags
	c := command.Command{
		Name:  "batch IN... OUT --recipe FILE|--preset NAME|--filter NAME [parameters]",
		Short: "Remove noise from many series",
		Long: `Filter every series of IN by one recipe. IN is a series, a folder with everything
below it, a pattern in quotes ('cohort/*/T1w.nii.gz'), a BIDS dataset, or a list: a
.csv whose first line names the columns path and, where needed, series (its number in
quell info) and output.

OUT mirrors the names of IN, relative to the folder that holds all of them. A NIfTI
or Analyze file keeps its name; a DICOM series becomes a folder named by its number,
its description and eight digits that tell it from others. A DICOM series is the files
of one folder; below a DICOMDIR, those of all.

A 4-D series is one series, with one output of all its volumes.

Every series ends in one output, which was read back and compared, or in one failure;
the others go on. OUT/report.csv and OUT/report.html have a row for each, problems
first, with sigma, the verdict (see quell assess), seconds and pictures. The same
command again does only what is missing: what failed, what is new, and what another
version or a changed input asks for. Inputs with the same DICOM instances are filtered
once. OUT holds one recipe: another one is refused there, unless --overwrite has it
replace what the first one made.

--select takes conditions on DICOM attributes by their keywords, or on Path, Format,
Part, Volumes, Slices, Rows, Columns and SliceSpacing, all of which must hold:
  --select 'Modality=CT,SliceThickness<=1.5,SeriesDescription~B30'
The comparisons are = != < <= > >=, and ~ !~ for regular expressions. A series without
the attribute is not taken, except by != and !~.

--shard I/N does one of N parts of about the same size: run it N times, on any machines
that share OUT; 0/N is the last one. Two batches of the same part, or of different N, on one OUT are refused.
The parts follow from the names and sizes of the inputs: after a change of these run all
parts again, which do only what is missing.

With --deidentify, names of folders and inputs become pseudonyms in OUT, in the
reports, and in what is printed. They follow from a key of this account and are the
same in every run; machines that share OUT need the same key.

--processes N does the series in N processes; --nats URL leaves them to quell worker, by
a NATS server of version ` + queue.LeastServer + ` or later.

Exit codes: 0 every series is done, 1 some failed, 3 some failed and all of these
because their input is unreadable or refused.`,
		Example: `  quell batch cohort/ denoised/ --preset mr-brain-3d
  quell batch 'study/*/CT' denoised/ --recipe tuned.json --select 'SliceThickness<=1.5'
  quell batch list.csv denoised/ --filter nlm --h sure --shard 3/16`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 {
				return job.Usagef("batch takes IN... and OUT; see %s --help", cmd.CommandPath())
			}
			return nil
		},
		Inputs:  func(args []string) []string { return args[:len(args)-1] },
		Outputs: command.Last(files.BatchOutput),
		Many:    true,
		First:   []command.First{{Flag: "preset"}, {Flag: "recipe"}, {Flag: "select"}, {Flag: "workers"}, {Flag: "shard"}, {Flag: "engine"}},
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.SortFlags = false
		f.recipe.AddTo(cmd)
		flags.StringVar(&f.options.Select, "select", "", "take only the series that fulfil these `conditions`")
		f.addTo(cmd)
		option.AddModality(cmd, &f.options.Job.Input.Modality)
		option.AddUneven(cmd, &f.options.Job.Uneven, "split filters evenly spaced runs of slices by themselves, ")
		f.nats.addTo(cmd)
		flags.IntVar(&f.children, "processes", 0, "do the series in `N` processes, each with a GPU of its own where there are several; one that dies is replaced")
		option.AddOutputFlags(cmd, &f.options.Job.Output.Options)
		option.AddAttach(cmd, &f.options.Job.Output.Attach)
		flags.BoolVar(&f.options.Job.Output.Deidentify, "deidentify", false, "remove the patient's identity from DICOM output (PS3.15 basic profile), and put pseudonyms in place of names in everything else that is written or printed; what is drawn in the pixels stays")
		flags.StringVar(&f.reveal, "reveal", "", "print the inputs that a `pseudonym` in a report of --deidentify stands for, and do nothing else")
		f.compress.AddTo(cmd)
		f.recipe.Params = option.AddParams(cmd)
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		f.options.Inputs, f.options.Output = args[:len(args)-1], args[len(args)-1]
		if f.reveal != "" {
			return f.printRevealed(cmd)
		}
		if err := f.distribute(cmd); err != nil {
			return err
		}
		return f.run(cmd, batch.Run)
	}
	return c
}

// printRevealed prints the inputs that a pseudonym stands for.
func (f *batchFlags) printRevealed(cmd *cobra.Command) error {
	units, err := batch.List(cmd.Context(), f.options.Inputs, f.options.Output)
	if err != nil {
		return err
	}
	paths, err := batch.Reveal(units, f.reveal)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if _, err := fmt.Fprintln(cmd.OutOrStdout(), path); err != nil {
			return err
		}
	}
	return nil
}

// addTo adds the flags of the work.
func (f *batchFlags) addTo(cmd *cobra.Command) {
	flags := cmd.Flags()
	option.AddEngine(cmd, &f.options.Job.Engine.Name, option.BatchEngineHelp)
	flags.StringVar(&f.noiseMap, "noise-map", "", "noise that differs from place to place: `auto` to estimate it in each series, or none; the filter works in units of it; if not given, it is estimated if the noise differs from place to place and no strength is a number")
	flags.IntVar(&f.options.Workers, "workers", 0, "`N` series are in work at once: one is filtered while others are read and written; 3 if not given")
	option.AddMemory(cmd, &f.options.Memory, "they may take together, about: a `size` like 8GB")
	flags.BoolVar(&f.options.WithoutVerdict, "no-verdict", false, "leave the results unjudged: much faster where the filter is; sigma is then given where the recipe needs it")
	flags.BoolVar(&f.options.Verify, "verify", false, "compare the bytes of outputs that are there with what was written, and do again what differs; without it, only of files that changed since")
	flags.Var(&f.shard, "shard", "do the part `I/N` of the series")
	flags.StringVar(&f.metrics, "metrics", "", metricsHelp)
}

// distribute has other processes do the series if the flags ask for that.
func (f *batchFlags) distribute(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	switch {
	case f.nats.url == "" && !changed("processes"):
		return nil
	case f.nats.url != "" && changed("processes"):
		return job.Usagef("give --nats or --processes: with --nats start quell worker where the series are to be done")
	case changed("shard"):
		return job.Usagef("--shard is for batches without a queue; leave it out, as workers share the series anyway")
	case f.nats.url != "" && (changed("workers") || changed("memory")):
		return job.Usagef("with --nats give --workers and --memory to quell worker")
	case f.nats.url != "":
		f.options.Distribute = f.nats.remote()
		return nil
	case f.children < 1:
		return job.Usagef("--processes %d: give 1 or more", f.children)
	}
	f.options.Distribute = processes(f.children, f.options.Workers, cmp.Or(f.options.Memory, job.DefaultMemory()))
	return nil
}

// run does the batch that the flags describe and prints what it came to.
func (f *batchFlags) run(cmd *cobra.Command, run func(context.Context, batch.Options, batch.Events) (batch.Summary, error)) error {
	o := f.options
	o.Job.Output.Compress = f.compress.Compression
	if err := f.recipe.Apply(&o.Job); err != nil {
		return err
	}
	o.Shard, o.Shards = f.shard.part, max(f.shard.of, 1)
	if cmd.Flags().Changed("workers") && o.Workers < 1 {
		return job.Usagef("--workers %d: give 1 or more", o.Workers)
	}
	if o.Job.NoiseMap = job.GivenMap(f.noiseMap); o.Job.MapFile() != "" {
		return job.Usagef("--noise-map %s: a file fits one series; give auto or none", f.noiseMap)
	}
	events, done := batchEvents(cmd)
	events, stop, err := withMetrics(f.metrics, events)
	if err != nil {
		return err
	}
	defer stop()
	summary, err := run(cmd.Context(), o, events)
	done()
	if err != nil {
		if summary.Done == 0 {
			return command.Leaving(err, "no series was done")
		}
		return command.Leaving(err, fmt.Sprintf("the %s that are done stay: the same command continues with the next series", message.Count(summary.Done, "series", "series")))
	}
	if command.JSON(cmd) {
		err = summary.WriteJSON(cmd.OutOrStdout())
	} else {
		err = printSummary(cmd, summary)
	}
	if err != nil {
		return err
	}
	return summary.Err()
}

func printSummary(cmd *cobra.Command, s batch.Summary) error {
	parts := []string{message.Count(s.Done, "series", "series").String() + " done"}
	if s.Reused > 0 {
		parts[0] += fmt.Sprintf(" (%d before)", s.Reused)
	}
	for _, p := range []struct {
		n    int
		text string
	}{{s.Failed, "failed"}, {s.Duplicates, "with the same images as another"}, {s.Unselected, "not selected"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.text))
		}
	}
	lines := []string{fmt.Sprintf("%s in %s; see %s", strings.Join(parts, ", "), job.TimeText(s.Seconds), s.HTML)}
	if s.Mapped > 0 {
		lines = append(lines, fmt.Sprintf("%s filtered by an estimated noise map; --noise-map none filters without.", message.Count(s.Mapped, "series was", "series were")))
	}
	if len(s.Pending) > 0 {
		lines = append(lines, fmt.Sprintf("Parts that are still to be done over these inputs: %s.", strings.Trim(fmt.Sprint(s.Pending), "[]")))
	}
	if s.OfOthers > 0 {
		lines = append(lines, message.Count(s.OfOthers, "output", "outputs").String()+" in that folder were made by another recipe or version of Quell and have no row.")
	}
	return command.Tell(cmd, nil, "%s", strings.Join(lines, "\n"))
}

// batchEvents writes failures to stderr, and on a terminal a line with the progress.
func batchEvents(cmd *cobra.Command) (events batch.Events, done func()) {
	terminal := term.IsTerminal(int(os.Stderr.Fd()))
	clearLine := func() {
		if terminal {
			fmt.Fprint(os.Stderr, "\r\x1b[K")
		}
	}
	events.Warning = func(text string) {
		clearLine()
		command.Warn(cmd, "warning: %s", text)
	}
	events.Result = func(r batch.SeriesResult) {
		if r.State == batch.Failed {
			clearLine()
			command.Warn(cmd, "warning: %s: %s", r.Input(), r.Problem)
		}
	}
	if terminal && !command.Quiet(cmd) {
		events.Progress = func(s batch.Progress) {
			clearLine()
			fmt.Fprint(os.Stderr, progressText(s))
		}
	}
	return events, clearLine
}

// progressText is a line like "12 done, 1 failed, 37 %, 5m10s left".
func progressText(s batch.Progress) string {
	text := fmt.Sprintf("%d done", s.Done+s.Duplicates)
	if s.Failed > 0 {
		text += fmt.Sprintf(", %d failed", s.Failed)
	}
	text += fmt.Sprintf(", %.0f %%", 100*s.Share)
	if s.Left > 0 {
		text += fmt.Sprintf(", %s left", s.Left.Round(time.Second))
	}
	return text
}

// shardFlag is --shard I/N, counted from 1, with I counted from 0. An I of 0 is N, for hosts that count from 0 and have
// no shell.
type shardFlag struct{ part, of int }

func (f *shardFlag) String() string {
	if f.of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", f.part+1, f.of)
}

func (f *shardFlag) Type() string { return "I/N" }

func (f *shardFlag) Set(text string) error {
	if *f = (shardFlag{}); text == "" {
		return nil // as a script writes it that has no parts
	}
	a, b, ok := strings.Cut(text, "/")
	i, errA := strconv.Atoi(a)
	n, errB := strconv.Atoi(b)
	if !ok || errA != nil || errB != nil || i < 0 || i > n || n < 1 {
		return errors.New("give I/N, such as 3/16 for the third of sixteen parts")
	}
	f.part, f.of = (i+n-1)%n, n
	return nil
}
