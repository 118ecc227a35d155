package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"quell/io/atomic"
	"quell/io/dicom"
)

// InputError is a file or folder that cannot be read or is refused.
type InputError struct {
	Path    string // as the user named it
	Problem string // what is wrong: "is cut off after 20000 bytes"
	Advice  string // what to do: "copy it again"
	Err     error  // the cause, or nil
}

// Error returns one sentence: "PATH: problem; advice".
func (e *InputError) Error() string {
	s := e.Problem
	if e.Path != "" {
		s = e.Path + ": " + s
	}
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}

// Unwrap returns the cause.
func (e *InputError) Unwrap() error { return e.Err }

// UsageError is a request that is wrong whatever the input holds: an unknown
// filter, a value outside its domain, an output on top of the input.
type UsageError struct {
	Text string // one sentence
	Err  error  // the cause, or nil
}

// Error returns the sentence.
func (e *UsageError) Error() string { return e.Text }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a UsageError; a %w keeps the cause.
func Usagef(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &UsageError{Text: err.Error(), Err: errors.Unwrap(err)}
}

// The exit codes of the command line. Scripts rely on them.
const (
	ExitDone      = 0
	ExitFailed    = 1   // the work could not be finished
	ExitUsage     = 2   // bad arguments
	ExitInput     = 3   // the input is unreadable or refused
	ExitCancelled = 130 // stopped by the user, as shells report SIGINT
)

// ExitCode returns the exit code for err.
func ExitCode(err error) int {
	var usage *UsageError
	var input *InputError
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, context.Canceled):
		return ExitCancelled
	case errors.As(err, &usage):
		return ExitUsage
	case errors.As(err, &input):
		return ExitInput
	}
	return ExitFailed
}

// writeError names the output in an error of a writer, which knows only the stage
// that it wrote to.
func writeError(out string, err error) error {
	var dcm *dicom.Error
	var number syscall.Errno
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &dcm):
		if dcm.Name != "" {
			return err // about a source file
		}
		named := *dcm
		named.Name = out
		return &named
	case errors.As(err, &number):
		return atomic.WriteError(out, err)
	}
	return fmt.Errorf("%s: %w", out, err)
}

// inputError turns a reader's error into an InputError. locate maps a name inside
// the container to a path of the machine. A cancelled context's error is
// returned unchanged.
func inputError(err error, path string, locate func(name string) string) error {
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
		return &InputError{Path: path, Problem: "there is no such file or folder", Advice: "check the name", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &InputError{Path: path, Problem: "reading it is not permitted", Advice: "ask its owner, or copy it to a folder of yours", Err: err}
	case errors.Is(err, syscall.ELOOP):
		return &InputError{Path: path, Problem: "is a symbolic link that leads back to itself", Advice: "mend the link", Err: err}
	case errors.As(err, &system):
		return &InputError{Path: path, Problem: "cannot be read: " + system.Err.Error(), Advice: "check the disk, or copy it again", Err: err}
	}
	// The sentence names the path once; a reader knows the end of it.
	problem := err.Error()
	if name, rest, ok := strings.Cut(problem, ": "); ok && (name == path || strings.HasSuffix(filepath.ToSlash(path), "/"+filepath.ToSlash(name))) {
		problem = rest
	}
	return &InputError{Path: path, Problem: problem, Err: err}
}
