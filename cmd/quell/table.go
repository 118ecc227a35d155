package main

import (
	"context"
	"io"
	"os"

	"quell/cmd/command"
	"quell/cmd/commands/cohorts"
	"quell/cmd/commands/filtering"
	"quell/cmd/commands/judging"
	"quell/cmd/commands/laboratory"
	"quell/cmd/commands/network"
	"quell/cmd/commands/viewing"
)

// table returns the commands in their groups, the most needed first.
func table() []command.Group {
	return []command.Group{
		{Title: "Series", Commands: []command.Command{
			viewing.Info(), viewing.Convert(), viewing.View(),
		}},
		{Title: "Filters", Commands: []command.Command{
			filtering.Denoise(), filtering.Presets(), filtering.Tune(),
		}},
		{Title: "Judging", Commands: []command.Command{
			judging.Estimate(), judging.Assess(), judging.Compare(), judging.Measure(), judging.Detect(), judging.Study(),
		}},
		{Title: "PACS", Commands: []command.Command{
			network.PACS(), network.Send(), network.Serve(),
		}},
		{Title: "Batch", Commands: []command.Command{
			cohorts.Batch(), cohorts.BIDS(), cohorts.Worker(), cohorts.Module(),
		}},
		{Title: "Laboratory", Brief: true, Commands: []command.Command{
			laboratory.Phantom(), laboratory.Noise(), laboratory.Bench(), laboratory.Devices(), laboratory.Version(), laboratory.ServeArrays(), antsCommand(),
		}},
	}
}

// execute runs the command line and returns the exit code.
func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	return command.Streams{In: os.Stdin, Out: out, Errs: errs}.Execute(ctx, table(), args)
}
