package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"quell/internal/clean"
)

// PrintJSON writes the one object of --json.
func PrintJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Print prints what a command found: value as the object of --json, or as text writes it, with tabs between columns.
func Print(cmd *cobra.Command, value any, text func(w io.Writer)) error {
	if JSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), value)
	}
	var b bytes.Buffer
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	text(tw)
	_ = tw.Flush() // to memory
	_, err := b.WriteTo(cmd.OutOrStdout())
	return err
}

// Tell prints what a command did: value as the object of --json, or a sentence, which --quiet leaves out.
func Tell(cmd *cobra.Command, value any, format string, args ...any) error {
	if JSON(cmd) {
		return PrintJSON(cmd.OutOrStdout(), value)
	}
	if Quiet(cmd) {
		return nil
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), format+"\n", args...)
	return err
}

// Quiet reports whether a command leaves out what is neither a result nor a warning.
func Quiet(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup("quiet")
	return f != nil && f.Value.String() == "true"
}

// Warn writes a line to stderr, which scripts read by lines.
func Warn(cmd *cobra.Command, format string, args ...any) {
	fmt.Fprintln(cmd.ErrOrStderr(), "quell: "+clean.Line(fmt.Sprintf(format, args...)))
}

// Note is Warn of what is no warning: --quiet leaves it out.
func Note(cmd *cobra.Command, format string, args ...any) {
	if !Quiet(cmd) {
		Warn(cmd, format, args...)
	}
}
