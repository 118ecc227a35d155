package command

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/files"
	"quell/cmd/option"
)

// gate returns what a command reads and writes, by its arguments and flags.
func (c Command) gate(cmd *cobra.Command, args []string) files.Gate {
	var g files.Gate
	for _, in := range c.inputs(args) {
		g.Inputs = append(g.Inputs, c.named(in)...)
	}
	for _, out := range c.outputs(args) {
		if !out.Several {
			g.Outputs = append(g.Outputs, files.Target{Option: out.Name, Path: *out.Path, Kind: out.Kind})
		}
	}
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

// inputs and outputs return the arguments that are read and written.
func (c Command) inputs(args []string) []string {
	if c.Inputs == nil {
		return nil
	}
	return c.Inputs(args)
}

func (c Command) outputs(args []string) []Output {
	if c.Outputs == nil {
		return nil
	}
	return c.Outputs(args)
}

// named returns the paths that an input names: of a pattern those that fit. An earlier output of the command may be
// among these, see batch.List.
func (c Command) named(in string) []string {
	if c.Many && strings.ContainsAny(in, "*?[") {
		if paths, err := filepath.Glob(in); err == nil {
			return paths
		}
	}
	return []string{in}
}
