package job

import (
	"fmt"
	"log/slog"
	"sync/atomic"

	"quell/denoise"
	"quell/internal/version"
	"quell/series"
)

// Step is a part of a job that reports progress.
type Step string

// The steps, in the order of a job.
const (
	Retrieving Step = "retrieving" // counts files
	Reading    Step = "reading"    // counts files
	Filtering  Step = "filtering"  // counts voxels
	Writing    Step = "writing"    // counts files
	Sending    Step = "sending"    // counts files
)

// Events receives what happens during a job. Every function may be nil and must
// return quickly; it may be called from any goroutine, but never from two at
// once.
type Events struct {
	Progress func(step Step, done, total int64)
	// Message receives a sentence for a person: which series was taken, the
	// warnings about an input and about an output, a GPU that failed.
	Message func(severity series.Severity, text string)
}

// Say sends a message, if anything receives them.
func (e Events) Say(severity series.Severity, text string) {
	if e.Message != nil {
		e.Message(severity, text)
	}
}

// Track returns the function that receives the progress of a step, or nil.
func (e Events) Track(step Step) denoise.Progress {
	if e.Progress == nil {
		return nil
	}
	return func(done, total int64) { e.Progress(step, done, total) }
}

// Count is progress for a step that counts files.
func (e Events) Count(step Step) func(done, total int) {
	if e.Progress == nil {
		return nil
	}
	return func(done, total int) { e.Progress(step, int64(done), int64(total)) }
}

// Logger receives what the package did; it discards everything until files.LogTo.
var Logger atomic.Pointer[slog.Logger]

func init() { Logger.Store(slog.New(slog.DiscardHandler)) }

// Log adds a line to the log, by the rules of files.LogTo: attributes hold no name,
// identifier, path or text of an error.
func Log(msg string, attrs ...any) { Logger.Load().Info(msg, attrs...) }

// Outcome describes an error without its text.
func Outcome(err error) slog.Attr {
	words := map[int]string{
		ExitDone: "done", ExitFailed: "failed", ExitUsage: "refused", ExitInput: "unreadable", ExitPartial: "partial", ExitCancelled: "cancelled",
	}
	return slog.String("outcome", words[ExitCode(err)])
}

// TimeText is a time in a few digits: "3.1 ms", "520 ms", "5.2 s", "52 s".
func TimeText(seconds float64) string {
	switch {
	case seconds < 0.01:
		return fmt.Sprintf("%.1f ms", 1000*seconds)
	case seconds < 1:
		return fmt.Sprintf("%.0f ms", 1000*seconds)
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.0f s", seconds)
}

// Seconds are the times that the steps of a job took.
type Seconds struct {
	Start float64 `json:"start,omitempty"` // of the engine
	Load  float64 `json:"load"`            // maps included
	Wait  float64 `json:"wait,omitempty"`  // of a batch: until no other series had the engine
	// Estimate is the time for what decides how to filter: the noise and its map, a proposal, a strength that is searched for.
	Estimate float64 `json:"estimate,omitempty"`
	Filter   float64 `json:"filter"` // noise included if it was added
	Measure  float64 `json:"measure,omitempty"`
	Write    float64 `json:"write"` // after the filter: writing, reading back, the removed noise and pictures
	Total    float64 `json:"total"` // of the job; the steps before make it up
}

// Plus returns the sums.
func (s Seconds) Plus(o Seconds) Seconds {
	return Seconds{s.Start + o.Start, s.Load + o.Load, s.Wait + o.Wait, s.Estimate + o.Estimate, s.Filter + o.Filter, s.Measure + o.Measure, s.Write + o.Write, s.Total + o.Total}
}

// Version returns Quell's version, which no program that may compute differently has: see package
// internal/version.
func Version() string { return version.String() }
