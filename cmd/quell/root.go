package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"quell/app"
	"quell/internal/clean"
)

// execute runs the command line and returns the exit code. All text passes the cleaner, as it may
// quote names of files and attributes; the progress bar alone writes to the terminal itself.
func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	stdout, stderr := clean.NewWriter(out), clean.NewWriter(errs)
	defer stderr.Flush()
	defer stdout.Flush()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	code := app.ExitCode(err)
	var sent *app.SendError
	switch {
	case err == nil:
	case errors.As(err, &sent):
		fmt.Fprintln(stderr, "quell: "+clean.Line(err.Error()))
	case ctx.Err() != nil:
		code = app.ExitCancelled
		fmt.Fprintln(stderr, "quell: cancelled; nothing was written")
	default:
		fmt.Fprintln(stderr, "quell: "+clean.Line(err.Error()))
	}
	return code
}

// Help texts of flags that several commands have.
const (
	jsonHelp      = "print one JSON object"
	seriesHelp    = "which series of IN, counted from 1 as by quell info, all volumes of the largest 4-D series, or of that of N with all:N; the largest, with all of its volumes, if not given"
	componentHelp = "which `component` of complex voxels (magnitude, phase, real, imaginary) or of colours (luminance, red, green, blue)"
)

func newRoot() *cobra.Command {
	var logPath string
	var threads int
	var log io.Closer
	root := &cobra.Command{
		Use:   "quell",
		Short: "Remove noise from CT and MR series, and measure what was removed",
		Long: `Quell removes noise from CT and MR series. It is not for clinical use.

IN is a DICOM file or a folder, zip or DICOMDIR of them, or .nii, .nii.gz,
.hdr/.img. DICOM files may be compressed by gzip (.dcm.gz). One DICOM file is
one slice: give the folder for the series.
OUT ending in .nii or .nii.gz is NIfTI, in .hdr Analyze, anything else is a
folder of DICOM. An input is never written to.

Exit codes: 0 done, 1 failed, 2 bad arguments, 3 input unreadable or refused,
130 cancelled.`,
		Version:       app.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return app.Usagef("there is no command %q; see quell --help", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, args []string) (err error) {
			if cmd.Flags().Changed("threads") {
				if threads < 1 {
					return app.Usagef("--threads %d: give 1 or more; without the flag all processors are used", threads)
				}
				runtime.GOMAXPROCS(min(threads, runtime.NumCPU()))
			}
			if logPath != "" {
				log, err = app.LogTo(logPath)
			}
			return err
		},
		PersistentPostRunE: func(cmd *cobra.Command, args []string) error {
			if log == nil {
				return nil
			}
			return log.Close()
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return app.Usagef("%w; see %s --help", err, cmd.CommandPath())
	})
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().StringVar(&logPath, "log", "", "append a log to this `file`; it holds no names and no paths")
	root.PersistentFlags().IntVar(&threads, "threads", 0, "how many processors to use, at most; all if not given")
	root.AddCommand(
		newInfo(), newDenoise(), newCompare(), newMeasure(), newNoise(), newEstimate(), newAssess(), newTune(), newPresets(), newConvert(), newSend(), newPhantom(), newBench(), newBatch(), newBIDS(), newWorker(), newDevices(), newVersion(), newView(),
	)
	return root
}

// exactly accepts n arguments; usage names them in the error.
func exactly(n int, usage string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return app.Usagef("%s takes %s, not %d arguments; see %s --help", cmd.Name(), usage, len(args), cmd.CommandPath())
		}
		return nil
	}
}
