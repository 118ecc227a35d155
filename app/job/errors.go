package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"quell/internal/message"
	"quell/io/dicom"
	"quell/series"
)

// InputError is a file or folder that cannot be read or is refused.
type InputError struct {
	Path    string          // as the user named it
	Problem message.Message // the fault: "is cut off after 20000 bytes"
	Advice  message.Message // what to do: "copy it again"
	Err     error           // the cause, or nil
}

// TheSeries stands for the path of an input that is a series in memory.
const TheSeries = "the series"

// AsMessage returns one sentence: "PATH: problem; advice".
func (e *InputError) AsMessage() message.Message {
	var name any = e.Path
	if e.Path == TheSeries {
		name = message.Text(TheSeries)
	}
	return message.About(name, e.Problem, e.Advice).Or(message.InputRefused)
}

// Error returns the sentence in English.
func (e *InputError) Error() string { return e.AsMessage().String() }

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// UsageError is a request that is wrong whatever the input holds: an unknown
// filter, a value outside its domain, an output on top of the input.
type UsageError struct {
	Text message.Message // one sentence
	Err  error           // the cause, or nil
}

// AsMessage returns the sentence.
func (e *UsageError) AsMessage() message.Message { return e.Text.Or(message.UsageRefused) }

// Error returns the sentence in English.
func (e *UsageError) Error() string { return e.Text.String() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a UsageError; a %w keeps the cause.
func Usagef(format string, args ...any) error {
	return Usage(message.Errorf("", format, args...))
}

// PartialError says that the work is done and what was left out of it.
type PartialError struct{ Text string }

func (e *PartialError) Error() string { return e.Text }

// Partial returns the error of work that is done but for what was left out; nil for nothing.
func Partial(left []series.LeftOut) error {
	if len(left) == 0 {
		return nil
	}
	words := make([]string, len(left))
	for i, l := range left {
		words[i] = l.Text.String()
		if len(l.Files) > 0 {
			words[i] += " (" + l.Files[0]
			if more := len(l.Files) - 1; more > 0 {
				words[i] += fmt.Sprintf(" and %d more", more)
			}
			words[i] += ")"
		}
	}
	return &PartialError{"done, but for what was left out: " + strings.Join(words, "; ")}
}

// Usage returns an error as a UsageError.
func Usage(err error) error { return &UsageError{Text: message.Of(err), Err: err} }

// The exit codes of the command line. Scripts rely on them.
const (
	ExitDone      = 0
	ExitFailed    = 1   // the work could not be finished
	ExitUsage     = 2   // bad arguments
	ExitInput     = 3   // the input is unreadable or refused
	ExitPartial   = 4   // done, with volumes or slices left out that are named
	ExitCancelled = 130 // stopped by the user, as shells report SIGINT
)

// ExitCode returns the exit code for err.
func ExitCode(err error) int {
	var usage *UsageError
	var input *InputError
	var partial *PartialError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &partial):
		return ExitPartial
	case errors.Is(err, context.Canceled):
		return ExitCancelled
	case errors.As(err, &usage):
		return ExitUsage
	case errors.As(err, &input), message.KindOf(err) == message.OutputUnsupported: // no output of that format can be made of it
		return ExitInput
	}
	return ExitFailed
}

// Unreadable turns a reader's error into an InputError. locate maps a name inside
// the container to a path of the machine. A cancelled context's error is
// returned unchanged.
func Unreadable(err error, path string, locate func(name string) string) error {
	var input *InputError
	var dcm *dicom.Error
	var system *fs.PathError
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &input):
		return err
	case errors.As(err, &dcm):
		if dcm.Name != "" && dcm.Name != "." {
			path = locate(dcm.Name)
		}
		return &InputError{Path: path, Problem: dcm.Problem, Advice: dcm.Advice, Err: err}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &InputError{Path: path, Problem: message.New(message.InputMissing, "there is no such file or folder"), Advice: message.Text("check the name"), Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &InputError{Path: path, Problem: message.New(message.InputUnreadable, "reading it is not permitted"), Advice: message.Text("ask its owner, or copy it to a folder of yours"), Err: err}
	case errors.Is(err, syscall.ELOOP):
		return &InputError{Path: path, Problem: message.New(message.InputUnreadable, "is a symbolic link that leads back to itself"), Advice: message.Text("mend the link"), Err: err}
	case errors.As(err, &system):
		return &InputError{Path: path, Problem: message.New(message.InputUnreadable, "cannot be read: %s", system.Err), Advice: message.Text("check the disk, or copy it again"), Err: err}
	}
	// The sentence names the path once; a reader knows the end of it.
	problem := message.Unnamed(err, func(name string) bool {
		return name == path || strings.HasSuffix(filepath.ToSlash(path), "/"+filepath.ToSlash(name))
	})
	return &InputError{Path: path, Problem: problem, Err: err}
}
