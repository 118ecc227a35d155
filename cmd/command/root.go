package command

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"quell/app/files"
	"quell/app/job"
	"quell/app/pacs"
	"quell/cmd/option"
	"quell/denoise"
	"quell/internal/clean"
)

// runCommand runs the command line.
func runCommand(ctx context.Context, groups []Group, args []string, stdout, stderr io.Writer) error {
	l := newLine(groups)
	root := l.root
	root.SetArgs(forShell(root, append([]string{}, args...))) // cobra takes those of the process for nil
	root.SetOut(stdout)
	root.SetErr(stderr)
	var misused error
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if value, ok := valueAfterHelp(cmd, args); ok {
			misused = notHelp(value)
			return
		}
		misused = cmp.Or(misused, l.help(cmd))
	})
	err := root.ExecuteContext(ctx)
	if l.verbose {
		files.LogInto(slog.New(slog.DiscardHandler))
	}
	return cmp.Or(err, misused)
}

// steps writes the lines of a log for a person to read.
func steps(w io.Writer) slog.Handler {
	return slog.NewTextHandler(prefixed{w}, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
			return slog.Attr{}
		}
		return a
	}})
}

// prefixed begins every line as all lines on stderr begin. A line comes in one Write.
type prefixed struct{ io.Writer }

func (p prefixed) Write(line []byte) (int, error) {
	_, err := p.Writer.Write(append([]byte("quell: "), line...))
	return len(line), err
}

// endOf returns the exit code of an error and the sentence for stderr, "" for no error.
func endOf(ctx context.Context, err error) (code int, text string) {
	var sent *pacs.SendError
	switch {
	case err == nil:
		return job.ExitDone, ""
	case errors.As(err, &sent):
	case ctx.Err() != nil:
		return job.ExitCancelled, cancelledText(err)
	}
	return job.ExitCode(err), clean.Line(err.Error())
}

// LimitProcessors limits the processors in use by the value of a flag.
func LimitProcessors(flag string, n int) error {
	if n < 1 {
		return job.Usagef("--%s %d: give 1 or more; without the flag all processors are used", flag, n)
	}
	runtime.GOMAXPROCS(min(n, runtime.NumCPU()))
	return nil
}

// New is the command line with groups of commands, for tests of what all commands have.
func New(groups []Group) *cobra.Command { return newLine(groups).root }

func init() { cobra.EnableCommandSorting = false } // the table has them in the order of help

// newLine is the command line with groups of commands; the last group gets those that are about commands.
func newLine(groups []Group) *line {
	l := &line{groups: groups, of: map[*cobra.Command]Command{}}
	var logPath, module string
	var threads int
	var quiet bool
	var log io.Closer
	root := &cobra.Command{
		Use:   "quell",
		Short: "Remove noise from CT and MR series, and measure what was removed",
		Long: `Quell removes noise from CT and MR series. It is not for clinical use.

IN is a DICOM file or a folder, zip or DICOMDIR of them, or .nii, .nii.gz,
.hdr/.img, .nrrd, .nhdr, .mha or .mhd. DICOM files may be compressed by gzip
(.dcm.gz). One DICOM file is one slice: give the folder for the series.
OUT ending in .nii or .nii.gz is NIfTI, in .hdr Analyze, in .nrrd NRRD, in .mha
MetaImage; a name without an ending, or with a slash after it, is a folder of DICOM.
Other endings (a dot and up to four letters, or one of another format) are refused;
sub-01.v2 is a folder. A folder that cannot be replaced, such as a mount point, is
written into. An input is never written to, nor is a folder that is one.
IN may be - for standard input, or a named pipe as of <(command), and OUT - for
standard output: NIfTI, NRRD or MetaImage in one file. pacs:NODE/SERIES-UID is a
series of a PACS, see quell pacs.

Exit codes: 0 done, 1 failed, 2 bad arguments, 3 input unreadable or refused,
4 done, with volumes or slices left out that are named, 130 cancelled.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return noCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if module != "" {
				return l.writeModule(cmd.OutOrStdout(), strings.ToLower(module))
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) (err error) {
			if cmd.Flags().Changed("threads") {
				if err := LimitProcessors("threads", threads); err != nil {
					return err
				}
			}
			if err := refuseAll(cmd); err != nil {
				return err
			}
			c := l.of[cmd]
			if err := pipesOf(cmd).redirect(cmd, c, args); err != nil {
				return err
			}
			if err := c.gate(cmd, args).Check(); err != nil {
				return err
			}
			var also []slog.Handler
			if l.verbose {
				if quiet {
					return job.Usagef("give --verbose or --quiet, not both")
				}
				also = append(also, steps(cmd.ErrOrStderr()))
				files.LogInto(slog.New(also[0]))
			}
			if logPath != "" {
				log, err = files.LogTo(logPath, also...)
			}
			return err
		},
		PersistentPostRunE: func(cmd *cobra.Command, args []string) error {
			if err := pipesOf(cmd).deliver(cmd); err != nil {
				return err
			}
			if log != nil {
				if err := log.Close(); err != nil {
					return err
				}
			}
			return leftOut(cmd)
		},
	}
	root.Flags().Bool("json", false, option.JSONHelp)
	AddVersion(root)
	root.SetFlagErrorFunc(misuse)
	root.SetHelpCommand(l.newHelp())
	option.AddOutput(root.PersistentFlags(), &logPath, "log", files.LogOutput, "append a log to this `file`; it has no names and no paths")
	root.PersistentFlags().BoolVarP(&l.verbose, "verbose", "v", false, "also write the steps of the work to standard error, as --log does to a file")
	root.PersistentFlags().BoolVarP(&quiet, "quiet", "q", false, "write results, warnings and errors alone: no notes, no progress, and not what was written")
	root.PersistentFlags().IntVar(&threads, "threads", 0, "use at most `N` processors; all if not given")
	root.PersistentFlags().Bool(allFlag, false, "with --help: everything about a command")
	_ = root.PersistentFlags().MarkHidden(allFlag) // the help names it
	l.root = root
	last := len(groups) - 1
	for i, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.Title, Title: g.Title})
		if i == last {
			g.Commands = append(g.Commands, completion(), manual())
			root.SetHelpCommandGroupID(g.Title)
		}
		for _, c := range g.Commands {
			l.add(root, c, g.Title)
		}
	}
	names := l.moduleNames()
	option.AddName(root, &module, "xml", "module", names, "describe the `MODULE` to 3D Slicer: "+option.Either(names))
	root.InitDefaultHelpCmd()
	return l
}

// newHelp is cobra's help, but it knows the filters too, and a name that is unknown is an error.
func (l *line) newHelp() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [COMMAND|FILTER]",
		Short: "Help about a command, or about a filter and its parameters",
		Example: `  quell help
  quell help denoise
  quell help denoise --all
  quell help nlm`,
		ValidArgsFunction: completeHelp,
		PersistentPreRun:  func(*cobra.Command, []string) {}, // --all is for it
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if f, err := denoise.FilterByName(strings.ToLower(args[0])); err == nil {
					return writeFilterHelp(cmd.OutOrStdout(), f)
				}
			}
			of, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = noCommand(cmd.Root(), rest[0])
			}
			if err != nil {
				return err
			}
			return l.writeHelp(cmd.OutOrStdout(), of, cmd.Flags().Changed(allFlag))
		},
	}
	cmd.Flags().Bool("json", false, option.JSONHelp)
	return cmd
}

// help writes what --help asks for: of a command with a filter among its flags the help of the filter.
func (l *line) help(cmd *cobra.Command) error {
	if flag := cmd.Flags().Lookup("filter"); flag != nil && flag.Changed && len(ParametersOf(cmd)) > 0 {
		if f, err := denoise.FilterByName(flag.Value.String()); err == nil {
			return writeFilterHelp(cmd.OutOrStdout(), f)
		}
	}
	return l.writeHelp(cmd.OutOrStdout(), cmd, cmd.Flags().Changed(allFlag))
}

// versionFlag is --version: a switch that gives its command the version when it is set, as that may read the executable.
type versionFlag struct {
	cmd *cobra.Command
	on  bool
}

// AddVersion adds --version, which cobra prints. A template for its form would keep every exported method in the
// program.
func AddVersion(cmd *cobra.Command) {
	flag := cmd.Flags().VarPF(&versionFlag{cmd: cmd}, "version", "", "print the version")
	flag.NoOptDefVal = "true"
}

func (f *versionFlag) Set(text string) (err error) {
	if f.on, err = strconv.ParseBool(text); f.on {
		f.cmd.Version = job.Version()
		f.cmd.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "quell"}
	}
	return err
}

func (f *versionFlag) String() string { return strconv.FormatBool(f.on) }

// Type is that of a switch, for cobra.
func (f *versionFlag) Type() string { return "bool" }
