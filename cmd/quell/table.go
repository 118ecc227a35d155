package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"quell/cmd/command"
	"quell/cmd/commands/cohorts"
	"quell/cmd/commands/filtering"
	"quell/cmd/commands/judging"
	"quell/cmd/commands/laboratory"
	"quell/cmd/commands/network"
	"quell/cmd/commands/viewing"
)

// table returns the commands.
func table() []*cobra.Command {
	return []*cobra.Command{
		viewing.Info(), filtering.Denoise(), judging.Compare(), judging.Measure(), laboratory.Noise(), judging.Estimate(), judging.Assess(), judging.Detect(), judging.Study(), filtering.Tune(), filtering.Presets(), viewing.Convert(), network.Send(), network.PACS(), laboratory.Phantom(), laboratory.Bench(), cohorts.Batch(), cohorts.BIDS(), cohorts.Module(), cohorts.Worker(), laboratory.Devices(), network.Serve(), laboratory.ServeArrays(), laboratory.Version(), viewing.View(),
	}
}

// newRoot is the command line.
func newRoot() *cobra.Command { return command.New(table()...) }

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	return command.Streams{In: os.Stdin, Out: out, Errs: errs}.Execute(ctx, table(), args)
}
