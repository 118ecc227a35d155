package command

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/files"
	"quell/app/study"
	"quell/cmd/option"
)

// pathOf returns the words by which a command is called, without the name of the program: two commands may have the
// same last word.
func pathOf(cmd *cobra.Command) string { return strings.TrimPrefix(cmd.CommandPath(), "quell ") }

// ArgumentsOf returns which arguments of a command are read and which are written.
func ArgumentsOf(cmd *cobra.Command, args []string) (inputs []string, outputs []files.Target) {
	out := func(path string, kind *files.Kind) []files.Target {
		return []files.Target{{Option: "OUT", Path: path, Kind: kind}}
	}
	switch name := pathOf(cmd); {
	case name == "phantom" && len(args) == 1:
		if n, err := cmd.Flags().GetInt("repeats"); err == nil && n > 1 {
			return nil, nil // the names have numbers: app.MakePhantom checks them
		}
		return nil, out(args[0], files.SeriesOutput)
	case (name == "denoise" || name == "noise" || name == "convert") && len(args) == 2:
		return args[:1], out(args[1], files.SeriesOutput)
	case strings.HasPrefix(name, "pacs"):
		return pacsArguments(name, args)
	case name == "study make" && len(args) == 2:
		return args[:1], append(out(args[1], files.StudyOutput), out(study.KeyPath(args[1]), files.StudyKeyOutput)...)
	case name == "batch" && len(args) > 1:
		last := len(args) - 1
		for _, in := range args[:last] {
			if paths, err := filepath.Glob(in); err == nil && strings.ContainsAny(in, "*?[") {
				inputs = append(inputs, paths...) // but for the output of an earlier batch, see batch.List
				continue
			}
			inputs = append(inputs, in)
		}
		return inputs, out(args[last], files.BatchOutput)
	case name == "bids" && len(args) > 1:
		return args[:1], []files.Target{{Option: "OUT_DIR", Path: args[1], Kind: files.BatchOutput}}
	case name == "bench" || name == "help" || name == "completion" || name == "man" || name == "module" || strings.HasPrefix(name, cobra.ShellCompRequestCmd):
		return nil, nil // names, or folders that the command checks itself
	}
	return args, nil
}

// pacsArguments is ArgumentsOf for the commands of quell pacs, whose other arguments are no paths.
func pacsArguments(name string, args []string) (inputs []string, outputs []files.Target) {
	switch {
	case name == "pacs get" && len(args) == 2:
		return nil, []files.Target{{Option: "OUT", Path: args[1], Kind: files.SeriesOutput}}
	case name == "pacs send" && len(args) == 2:
		return args[1:], nil
	}
	return nil, nil
}

// gateOf returns what a command reads and writes, by its arguments and flags.
func gateOf(cmd *cobra.Command, args []string) files.Gate {
	var g files.Gate
	g.Inputs, g.Outputs = ArgumentsOf(cmd, slices.Clone(args)) // which grow
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch v := f.Value.(type) {
		case option.Output:
			g.Outputs = append(g.Outputs, files.Target{Option: "--" + f.Name, Path: *v.Path, Kind: v.Kind})
		case option.Input:
			g.Inputs = append(g.Inputs, *v.Path)
		}
	})
	if f := cmd.Flags().Lookup("overwrite"); f != nil {
		g.Overwrite = f.Value.String() == "true"
	}
	return g
}
