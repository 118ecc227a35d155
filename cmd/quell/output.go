package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"quell/app"
)

// printJSON writes the one object that --json promises.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// warn writes a sentence for a person to stderr.
func warn(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintf(cmd.ErrOrStderr(), "quell: "+format+"\n", args...)
}

func warnings(cmd *cobra.Command, report app.ExportReport) {
	for _, w := range report.Warnings {
		warn(cmd, "warning: %s", w)
	}
}

// finish says on the terminal what was written, or passes on why it was not.
func finish(cmd *cobra.Command, report app.ExportReport, err error, what string) error {
	if err != nil {
		return err
	}
	warnings(cmd, report)
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s; written to %s\n", what, report.Output)
	return err
}
