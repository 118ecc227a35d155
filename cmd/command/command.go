package command

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"quell/app/files"
	"quell/app/job"
	"quell/cmd/option"
)

// Command is one command: what help, manual pages, completion, pipes and the gate read of it, and what it does. No
// code asks a command for its name: what differs between commands is a field.
type Command struct {
	Name                 string // and its arguments, as help shows them: "convert IN OUT"
	Short, Long, Example string
	JSON                 string               // follows the help of --json
	Hidden               bool                 // programs call it, not persons
	Args                 cobra.PositionalArgs // nil: those of Name, see arguments

	Inputs  func(args []string) []string // the arguments that are read, a part of args; nil for none
	Outputs func(args []string) []Output // the arguments that are written; nil for none
	Pipes   bool                         // Inputs and the output may be pipes and references to a PACS
	Many    bool                         // Inputs may be patterns of names, and queries of a PACS for any number of series
	Module  *Module                      // its description to 3D Slicer; nil for none

	First   []First // the flags of its first screen; those that come first, if nil
	Filters bool    // its first screen describes the filters

	Flags    func(cmd *cobra.Command) // adds flags; nil for none
	Run      func(cmd *cobra.Command, args []string) error
	Commands []Command // below it
}

// First is a flag that the first screen of a command names.
type First struct {
	Flag string
	Text string // what it does, if the first clause of its usage is too long for a screen
}

// Output is an argument that names an output.
type Output struct {
	Name    string // in help
	Path    *string
	Kind    *files.Kind
	Several bool // Path is the beginning of the names of several, which the command checks itself
}

// Group is a group of commands in help.
type Group struct {
	Title    string
	Brief    bool // few need it: the first screen has the names alone
	Commands []Command
}

// Every is Inputs of a command whose arguments are all read.
func Every(args []string) []string { return args }

// Leading is Inputs of a command that reads its first argument.
func Leading(args []string) []string { return args[:1] }

// Last is Outputs of a command whose last argument is a new output of a kind.
func Last(kind *files.Kind) func(args []string) []Output {
	return func(args []string) []Output {
		return []Output{{Name: "OUT", Path: &args[len(args)-1], Kind: kind}}
	}
}

// arguments accepts the arguments that the name of a command lists before its flags: words in capitals. Others are
// Command.Args.
func arguments(name string) cobra.PositionalArgs {
	var words []string
	for _, word := range strings.Fields(name)[1:] {
		switch {
		case strings.HasPrefix(word, "-") || strings.HasPrefix(word, "[-") || word == "[parameters]":
			return Exactly(len(words), strings.Join(words, " and "))
		case word != strings.ToUpper(word) || strings.ContainsAny(word, "[."):
			return cobra.ArbitraryArgs
		}
		words = append(words, word)
	}
	return Exactly(len(words), strings.Join(words, " and "))
}

// Exactly accepts n arguments; usage names them in the error.
func Exactly(n int, usage string) cobra.PositionalArgs {
	if n == 0 && usage == "" {
		usage = "no arguments"
	}
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return job.Usagef("%s takes %s, not %d arguments; see %s --help", cmd.Name(), usage, len(args), cmd.CommandPath())
		}
		return nil
	}
}

// JSON reports whether a command prints JSON.
func JSON(cmd *cobra.Command) bool { return cmd.Flags().Lookup("json").Value.String() == "true" }

// line is a command line.
type line struct {
	root    *cobra.Command
	groups  []Group
	verbose bool
	of      map[*cobra.Command]Command
}

// add adds a command below another.
func (l *line) add(to *cobra.Command, c Command, group string) {
	cmd := &cobra.Command{Use: c.Name, Short: c.Short, Long: c.Long, Example: c.Example, Hidden: c.Hidden, Args: c.Args, RunE: c.Run, GroupID: group}
	if cmd.Args == nil {
		cmd.Args = arguments(c.Name)
	}
	if c.Flags != nil {
		c.Flags(cmd)
	}
	cmd.Flags().Bool("json", false, option.JSONHelp+c.JSON)
	addCompletions(cmd)
	l.of[cmd] = c
	to.AddCommand(cmd)
	for _, below := range c.Commands {
		l.add(cmd, below, "")
	}
}

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
