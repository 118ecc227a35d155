package job

import (
	"log/slog"
	"sync/atomic"
)

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
