package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"quell/app/job"
	"quell/internal/clean"
	"quell/series"
)

// EventsOf writes what happens during a job to stderr: messages as lines, and
// progress as a bar if stderr is a terminal. done removes the bar.
func EventsOf(cmd *cobra.Command) (events job.Events, done func()) {
	var b bar
	events = job.Events{
		Message: func(severity series.Severity, text string) {
			b.clear()
			if severity == series.Note {
				Note(cmd, "%s", text)
			} else {
				Warn(cmd, "%s: %s", severity, text)
			}
		},
	}
	if term.IsTerminal(int(os.Stderr.Fd())) && !Quiet(cmd) {
		events.Progress = b.update
	}
	return events, b.clear
}

// bar shows the progress of one step at a time.
type bar struct {
	step  job.Step
	shown *progressbar.ProgressBar // nil before the first update and after clear
}

func (b *bar) update(step job.Step, done, total int64) {
	if b.shown == nil || step != b.step {
		b.clear()
		b.step, b.shown = step, progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionSetDescription(fmt.Sprintf("%-9s", step)),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	if b.shown.GetMax64() != total {
		b.shown.ChangeMax64(total)
	}
	_ = b.shown.Set64(done) // fails only beyond the maximum; not worth stopping for
}

func (b *bar) clear() {
	if b.shown != nil {
		_ = b.shown.Clear()
		b.shown = nil
	}
}

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
