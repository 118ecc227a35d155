package main

import (
	"github.com/spf13/pflag"

	"quell/app/files"
)

// outputFlag is a flag that names an output. Every output is one of this type, or an
// argument in argumentsOf, and so passes the gate before a command runs.
type outputFlag struct {
	path *string
	kind *files.Kind
}

func (f outputFlag) String() string { return *f.path }

func (f outputFlag) Type() string { return "output" }

func (f outputFlag) Set(path string) error { *f.path = path; return nil }

// addOutput adds a flag that names an output.
func addOutput(flags *pflag.FlagSet, path *string, name string, kind *files.Kind, usage string) {
	flags.Var(outputFlag{path, kind}, name, usage)
}

// inputFlag is a flag that names a file that is read.
type inputFlag struct{ path *string }

func (f inputFlag) String() string { return *f.path }

func (f inputFlag) Type() string { return "input" }

func (f inputFlag) Set(path string) error { *f.path = path; return nil }

// addInput adds a flag that names a file that is read, or says auto.
func addInput(flags *pflag.FlagSet, path *string, name, usage string) {
	flags.Var(inputFlag{path}, name, usage)
}
