package laboratory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/engines"
	"quell/app/files"
	"quell/app/job"
	"quell/bench"
	"quell/cmd/command"
	"quell/cmd/option"
)

// Bench is quell bench.
func Bench() command.Command {
	var o bench.Options
	var list, overwrite, tune bool
	var csvFile, plots, report, documents string
	c := command.Command{
		Name:  "bench [NAME...]",
		Short: "Run the papers' experiments on this machine",
		Long: `Run the experiments of the papers that the filters come from, on this machine,
and print the papers' figures beside those measured here. NAME is an experiment
or a paper, as --list shows them; without one, all are run but
upadhya-blocks-all, which has 2723 rows.

Every row is compared with the float64 reference before it is timed. Times are
of the filter alone: from memory to memory on the CPU, the kernels on a GPU.
Without --volume the inputs are phantoms of the papers' sizes; the result says
what was filtered. A run that is cancelled writes what was measured, and continues
where it stopped when the same command is given again.

--tune measures none of that. It searches the launch shapes of the kernels that
are the fastest on this GPU, checks them, and keeps them for later runs of the
program, with that device, driver and version of the kernels.`,
		Example: `  quell bench --list
  quell bench --quick --report bench.html
  quell bench zheng --engine cpu --csv zheng.csv`,
		Commands: []command.Command{newBenchFDA(), newBenchMR(), newBenchSolid()},
	}
	c.Flags = func(cmd *cobra.Command) {
		flags := cmd.Flags()
		flags.BoolVar(&list, "list", false, "list the experiments and measure nothing")
		option.AddEngine(cmd, &o.Engine, "the engine by `name`: cpu, cuda, or auto for the rows of both")
		flags.BoolVar(&o.Quick, "quick", false, "one repeat and fewer slices: under two minutes for all rows of a CPU with two cores")
		option.AddInput(flags, &o.Volume, "volume", "filter this `IN` in place of the phantoms; noise is added as in the paper")
		flags.BoolVar(&o.Fresh, "fresh", false, "measure again what a cancelled run has measured")
		option.AddOutput(flags, &csvFile, "csv", files.TableOutput, "write a line for each figure to this `file`")
		option.AddOutput(flags, &plots, "plots", files.ChartsOutput, "write the charts and pictures as PNG files into this `folder`")
		option.AddOutput(flags, &report, "report", files.PageOutput, "write an HTML page with the findings to this `file`, and beside it one page for each paper with tables, charts and pictures; for one paper, one page with all")
		option.AddOutput(flags, &documents, "write", files.DocumentOutput, "write papers.md, its tables and its charts into this `folder`, as in docs/benchmarks")
		flags.BoolVar(&tune, "tune", false, "search the launch shapes that are the fastest on this GPU, and use them from now on")
		flags.BoolVar(&overwrite, "overwrite", false, "replace files that Quell did not write")
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		flags := cmd.Flags()
		known := option.Name{Kind: "experiment", Names: experimentNames()}
		for i := range args {
			known.Value = &args[i]
			if err := known.Set(args[i]); err != nil {
				return job.Usagef("%s: %w", args[i], err)
			}
		}
		o.Names = args
		none := func(why string, names ...string) error {
			for _, name := range names {
				if flags.Changed(name) {
					return job.Usagef("--%s has no effect: %s", name, why)
				}
			}
			return nil
		}
		if list {
			if err := none("--list measures nothing", "engine", "quick", "volume", "fresh", "csv", "plots", "report", "write", "overwrite", "tune"); err != nil {
				return err
			}
			return listExperiments(cmd, args)
		}
		if tune {
			if len(args) > 0 {
				return job.Usagef("--tune measures no experiments; leave %s away", args[0])
			}
			if err := none("--tune measures no experiments", "engine", "volume", "fresh", "csv", "plots", "report", "write", "overwrite"); err != nil {
				return err
			}
			return tuneGPU(cmd, o.Quick)
		}
		if err := o.Validate(); err != nil {
			return err
		}
		o.Command = commandLine(cmd, args)
		var err error
		if o.Checkpoint, err = bench.CheckpointPath(); err != nil {
			command.Warn(cmd, "warning: %v", err)
		}
		events, done := benchEvents(cmd)
		defer done()
		r, stopped := bench.Run(cmd.Context(), o, events)
		done()
		if stopped != nil {
			left := "no row was measured"
			if _, err := os.Stat(o.Checkpoint); err == nil {
				left = "the rows that were measured are kept: the same command continues with the next one"
			}
			if stopped = command.Leaving(stopped, left); len(r.Experiments) == 0 {
				return stopped
			}
		}
		if err := errors.Join(writeWith(files.TableOutput, csvFile, r.WriteCSV, overwrite), writePages(report, r, overwrite), writePlots(plots, r, overwrite), writeDocuments(documents, r, overwrite)); err != nil {
			return err
		}
		if stopped != nil {
			return stopped
		}
		if command.JSON(cmd) {
			err = command.PrintJSON(cmd.OutOrStdout(), r)
		} else {
			err = r.WriteText(cmd.OutOrStdout())
		}
		if failed := r.Failures(); err == nil && failed != "" {
			err = errors.New(failed)
		}
		return err
	}
	return c
}

// experimentNames returns the names of experiments and of papers.
func experimentNames() (names []string) {
	for _, e := range bench.Experiments() {
		for _, name := range []string{e.Name, e.Paper.Key} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// tuneGPU searches launch shapes and prints what it gained.
func tuneGPU(cmd *cobra.Command, quick bool) error {
	path, err := engines.ShapesPath()
	if err != nil {
		return err
	}
	events, done := benchEvents(cmd)
	defer done()
	if events.Progress == nil {
		events.Row = nil // a few seconds need no lines
	}
	t, err := bench.Tune(cmd.Context(), bench.TuneOptions{Quick: quick, Save: path}, events)
	done()
	if err != nil {
		return err
	}
	if command.JSON(cmd) {
		return command.PrintJSON(cmd.OutOrStdout(), t)
	}
	return t.WriteText(cmd.OutOrStdout())
}

// listExperiments prints the chosen experiments.
func listExperiments(cmd *cobra.Command, names []string) error {
	chosen, err := bench.Select(names...)
	if len(names) == 0 {
		chosen = bench.Experiments()
	}
	if err != nil {
		return err
	}
	type entry struct {
		Name   string `json:"name"`
		Paper  string `json:"paper"`
		Source string `json:"source"`
		Title  string `json:"title"`
		Rows   int    `json:"rows"`
	}
	var all []entry
	for _, e := range chosen {
		all = append(all, entry{e.Name, e.Paper.Authors, e.Source, e.Title, len(e.Rows)})
	}
	return command.Print(cmd, struct {
		Experiments []entry `json:"experiments"`
	}{all}, func(tw io.Writer) {
		for _, e := range all {
			rows := "rows"
			if e.Rows == 1 {
				rows = "row"
			}
			fmt.Fprintf(tw, "%s\t%d %s\t%s\t%s, %s\n", e.Name, e.Rows, rows, e.Title, e.Paper, e.Source)
		}
	})
}

// benchEvents shows the progress of a run as EventsOf shows the progress of a job; if
// stderr is no terminal, a line for each experiment.
func benchEvents(cmd *cobra.Command) (bench.Events, func()) {
	input, done := command.EventsOf(cmd)
	events := bench.Events{Input: input, Message: func(text string) { command.Note(cmd, "%s", text) }}
	if input.Progress == nil {
		last := ""
		events.Row = func(experiment, _ string, n, of int) {
			if experiment != last {
				command.Note(cmd, "row %d of %d: %s", n, of, experiment)
			}
			last = experiment
		}
	} else {
		step := job.Step("")
		events.Row = func(experiment, row string, n, of int) {
			step = job.Step(fmt.Sprintf("%d of %d: %s, %s", n, of, experiment, row))
			input.Progress(step, 0, 1)
		}
		events.Progress = func(done, total int64) { input.Progress(step, done, total) }
	}
	return events, done
}

// commandLine returns the command as it was given, flags first.
func commandLine(cmd *cobra.Command, args []string) string {
	words := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			words = append(words, "--"+f.Name)
		} else {
			words = append(words, "--"+f.Name, f.Value.String())
		}
	})
	return strings.Join(append(words, args...), " ")
}

// writeWith writes a file, if it has a name.
func writeWith(kind *files.Kind, path string, write func(io.Writer) error, overwrite bool) error {
	if path == "" {
		return nil
	}
	var data bytes.Buffer
	if err := write(&data); err != nil {
		return err
	}
	return files.Write(kind, path, data.Bytes(), overwrite)
}

// kinds are those of the files that a run writes into a folder, by their endings.
var kinds = map[string]*files.Kind{".html": files.PageOutput, ".htm": files.PageOutput, ".csv": files.TableOutput, ".png": files.PictureOutput, ".md": files.DocumentPage}

// writeInto writes files into a folder, which is made if it is missing, by their names from there.
func writeInto(dir, sub string, all map[string][]byte, overwrite bool) error {
	if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
		return fmt.Errorf("the files of the run cannot be written: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := files.Write(kinds[filepath.Ext(name)], filepath.Join(dir, filepath.FromSlash(name)), all[name], overwrite); err != nil {
			return err
		}
	}
	return nil
}

// writePages writes the page of a run, and a page for each of its papers in the same folder.
func writePages(path string, r bench.Report, overwrite bool) error {
	if path == "" {
		return nil
	}
	pages, err := r.Pages(filepath.Base(path), func(paper string) string { return filepath.Base(files.PaperPage(path, paper)) })
	if err != nil {
		return err
	}
	return writeInto(filepath.Dir(path), "", pages, overwrite)
}

// writeDocuments writes the document of a run, its tables and its charts into a folder.
func writeDocuments(dir string, r bench.Report, overwrite bool) error {
	if dir == "" {
		return nil
	}
	documents, err := r.Documents()
	if err != nil {
		return err
	}
	return writeInto(dir, "images", documents, overwrite)
}

// writePlots writes the charts and pictures into a folder, also if no experiment has one.
func writePlots(dir string, r bench.Report, overwrite bool) error {
	if dir == "" {
		return nil
	}
	return writeInto(dir, "", r.PNGs(), overwrite)
}
