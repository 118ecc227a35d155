package command

import (
	"strconv"

	"github.com/spf13/cobra"

	"quell/app/job"
)

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
