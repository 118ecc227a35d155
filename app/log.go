package app

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
)

// logger receives what the package did; it discards everything until LogTo.
var logger atomic.Pointer[slog.Logger]

func init() { logger.Store(slog.New(slog.DiscardHandler)) }

// LogTo appends what the package does to a file, one JSON object a line, until
// the returned closer is closed. The lines hold counts, sizes,
// durations, filters and engines; never a name, an identifier, a path or the
// text of an error, which may quote one.
func LogTo(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the log cannot be written: %w", err)
	}
	logger.Store(slog.New(slog.NewJSONHandler(f, nil)))
	return logFile{f}, nil
}

// Log adds a line of another package to the log, by the same rules: attributes hold no name,
// identifier, path or text of an error.
func Log(msg string, attrs ...any) { logger.Load().Info(msg, attrs...) }

type logFile struct{ *os.File }

func (l logFile) Close() error {
	logger.Store(slog.New(slog.DiscardHandler))
	return l.File.Close()
}

// outcome describes an error without its text.
func outcome(err error) slog.Attr {
	words := map[int]string{
		ExitDone: "done", ExitFailed: "failed", ExitUsage: "refused", ExitInput: "unreadable", ExitCancelled: "cancelled",
	}
	return slog.String("outcome", words[ExitCode(err)])
}
