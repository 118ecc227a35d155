package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"quell/app"
)

func newVersion() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: `  quell version
  quell version --json`,
		Args: exactly(0, "no arguments"),
	}
	asJSON := cmd.Flags().Bool("json", false, jsonHelp)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *asJSON {
			return printJSON(cmd.OutOrStdout(), struct {
				Version string `json:"version"`
				Go      string `json:"go"` // that built the program
				System  string `json:"system"`
			}{app.Version(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH})
		}
		_, err := fmt.Fprintln(cmd.OutOrStdout(), "quell version", app.Version())
		return err
	}
	return cmd
}
