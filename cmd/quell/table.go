package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// table returns the commands.
func table() []*cobra.Command {
	return []*cobra.Command{
		newInfo(), newDenoise(), newCompare(), newMeasure(), newNoise(), newEstimate(), newAssess(), newDetect(), newStudy(), newTune(), newPresets(), newConvert(), newSend(), newPacs(), newPhantom(), newBench(), newBatch(), newBIDS(), newModule(), newWorker(), newDevices(), newServe(), newServeArrays(), newVersion(), newView(),
	}
}

// newRoot is the command line.
func newRoot() *cobra.Command { return newLine(table()...) }

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	return streams{in: os.Stdin, out: out, errs: errs}.execute(ctx, table(), args)
}
