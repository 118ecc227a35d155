package dicom

import (
	"errors"
	"fmt"
)

// Error is a file or folder that cannot be used, in words for a person. Error
// gives one sentence: "NAME: problem; advice".
type Error struct {
	Name    string // the file or folder, as named in its container
	Problem string // what is wrong
	Advice  string // what to do
	Err     error  // the cause, or nil
}

func (e *Error) Error() string {
	s := e.Problem
	if e.Name != "" && e.Name != "." {
		s = e.Name + ": " + s
	}
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrNoImages is in the chain of Scan's error when no file holds a DICOM image.
var ErrNoImages = errors.New("no DICOM image")

// adviseCopy is what to do with a file that lost bytes on its way.
const adviseCopy = "copy it again from where it came, or move it out of the folder"

func fileError(name, advice string, cause error, format string, args ...any) *Error {
	return &Error{Name: name, Problem: fmt.Sprintf(format, args...), Advice: advice, Err: cause}
}
