package viewing

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"quell/app/job"
	"quell/cmd/command"
	"quell/internal/message"
)

// workbench is the name of the graphical program. It is a separate program
// so that this one needs no graphics libraries.
const workbench = "quell-workbench"

// View is quell view.
func View() command.Command {
	c := command.Command{
		Name:  "view [PATH]",
		Short: "Open the workbench",
		Long: `Open the workbench, the program ` + workbench + ` beside this one or on the PATH,
with the series under PATH; without it, with the bundled series.`,
		Example: `  quell view
  quell view ct/`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return job.Usagef("view takes one PATH, not %d: the workbench shows one series at a time", len(args))
			}
			return nil
		},
		JSON:   " when the workbench is closed",
		Inputs: command.Every,
	}
	c.Run = func(cmd *cobra.Command, args []string) error {
		for _, path := range args {
			if _, err := os.Stat(path); err != nil {
				return &job.InputError{Path: path, Problem: message.New(message.InputMissing, "there is no such file or folder"), Advice: message.Text("check the name"), Err: err}
			}
		}
		program, err := findWorkbench()
		if err != nil {
			return err
		}
		c := exec.CommandContext(cmd.Context(), program, args...)
		c.Stdin, c.Stdout, c.Stderr = os.Stdin, cmd.OutOrStdout(), cmd.ErrOrStderr()
		if !command.JSON(cmd) {
			return c.Run()
		}
		c.Stdout = cmd.ErrOrStderr() // stdout is for the object
		if err := c.Run(); err != nil {
			return err
		}
		return command.PrintJSON(cmd.OutOrStdout(), map[string]any{"program": program, "paths": append([]string{}, args...)})
	}
	return c
}

// findWorkbench prefers the workbench next to this program to one on the PATH, as
// those two were built together.
func findWorkbench() (string, error) {
	name := workbench
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && !info.IsDir() {
			return beside, nil
		}
	}
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	return "", errors.New("the workbench is missing: install the package quell-workbench, or put " + name + " beside quell or on the PATH")
}
