package command

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"quell/app/job"
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
