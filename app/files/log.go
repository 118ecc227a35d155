package files

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"quell/app/job"
	"quell/internal/message"
	outputs "quell/io/atomic"
)

// LogTo appends what the package does to a file, one JSON object a line, until
// the returned closer is closed. The lines hold counts, sizes,
// durations, filters and engines; never a name, an identifier, a path or the
// text of an error, which may quote one. The file is new, empty, a log that Quell
// wrote, or a pipe or terminal; any other is refused. The handlers of also get the lines too.
func LogTo(path string, also ...slog.Handler) (io.Closer, error) {
	if err := (Gate{Outputs: []Target{{"--log", path, LogOutput}}}).Check(); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Clean(path), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the log cannot be written: %w", err)
	}
	file := &logFile{File: f, path: path}
	log := slog.New(slog.NewMultiHandler(append(also, slog.NewJSONHandler(file, nil))...))
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		log.Info("log", slog.String("program", "quell"), slog.String("version", job.Version()))
	}
	LogInto(log)
	return file, nil
}

// LogInto sets what the lines go to.
func LogInto(l *slog.Logger) { job.Logger.Store(l) }

// logFile keeps the first error of a write, which slog drops, until it is closed. The handler calls
// Write from one goroutine at a time.
type logFile struct {
	*os.File
	path string
	err  error
}

func (l *logFile) Write(p []byte) (int, error) {
	n, err := l.File.Write(p)
	l.err = cmp.Or(l.err, err)
	return n, err
}

// Close returns an *atomic.Error if lines are missing.
func (l *logFile) Close() error {
	LogInto(slog.New(slog.DiscardHandler))
	err := outputs.WriteError(l.path, cmp.Or(l.err, l.File.Close()))
	var worded *outputs.Error
	if errors.As(err, &worded) {
		return &outputs.Error{Path: l.path, Problem: message.Text("lines of the log are missing: %s", worded.Problem), Advice: message.Text("%s; the output itself is complete", worded.Advice), Err: worded.Err}
	}
	return err
}
