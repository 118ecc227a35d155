package option

import (
	"github.com/spf13/pflag"

	"quell/app/files"
)

// Output is a flag that names an output. Every output is one of this type, or an
// argument in ArgumentsOf, and so passes the gate before a command runs.
type Output struct {
	Path *string
	Kind *files.Kind
}

func (f Output) String() string { return *f.Path }

// Type implements pflag.Value.
func (f Output) Type() string { return "output" }

// Set implements pflag.Value.
func (f Output) Set(path string) error { *f.Path = path; return nil }

// AddOutput adds a flag that names an output.
func AddOutput(flags *pflag.FlagSet, path *string, name string, kind *files.Kind, usage string) {
	flags.Var(Output{path, kind}, name, usage)
}

// Input is a flag that names a file that is read.
type Input struct {
	Path   *string
	Ending string // that completion offers; "" for all files
	Pipe   bool   // it may be a pipe
}

func (f Input) String() string { return *f.Path }

// Type implements pflag.Value.
func (f Input) Type() string { return "input" }

// Set implements pflag.Value.
func (f Input) Set(path string) error { *f.Path = path; return nil }

// AddInput adds a flag that names a file that is read, or says auto.
func AddInput(flags *pflag.FlagSet, path *string, name, usage string) {
	flags.Var(Input{Path: path}, name, usage)
}

// AddPipe is AddInput of a file that may be a pipe.
func AddPipe(flags *pflag.FlagSet, path *string, name, usage string) {
	flags.Var(Input{Path: path, Pipe: true}, name, usage)
}

// AddRecipe is AddInput of a recipe.
func AddRecipe(flags *pflag.FlagSet, path *string, name, usage string) {
	flags.Var(Input{Path: path, Ending: "json"}, name, usage)
}
