package part10

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"strings"
	"unicode"

	"github.com/klauspost/compress/flate"

	"quell/internal/clean"
	"quell/internal/message"
)

// Error is a file or folder that cannot be used. Its text is one sentence:
// "NAME: problem; advice".
type Error struct {
	Name    string          // the file or folder, as named in its container
	Problem message.Message // the fault
	Advice  message.Message // what to do
	Err     error           // the cause, or nil
}

// AsMessage returns the sentence.
func (e *Error) AsMessage() message.Message {
	return message.About(strings.TrimPrefix(e.Name, "."), e.Problem, e.Advice)
}

func (e *Error) Error() string { return e.AsMessage().String() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// What to do.
var (
	// AdviseCopy is for a file that lost bytes on its way.
	AdviseCopy = message.Text("copy it again from where it came, or move it out of the folder")
	// AdviseExport is for a file that is complete and contradicts itself: another copy
	// of it would too.
	AdviseExport = message.Text("export it again from the scanner or archive that it came from, or move it out of the folder")
	// AdviseNIfTI is for what DICOM cannot hold.
	AdviseNIfTI = message.Text("write NIfTI instead")
)

// FileError returns an *Error with a formatted problem.
func FileError(kind message.Kind, name string, advice message.Message, cause error, format string, args ...any) *Error {
	return &Error{Name: name, Problem: message.New(kind, format, args...), Advice: advice, Err: cause}
}

// Cause returns the message of a file system without the path, and plain words for errors about a
// damaged archive.
func Cause(err error) message.Message {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return message.Text("it ends too early")
	case errors.As(err, &corrupt), errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrAlgorithm):
		return message.Text("its archive is damaged")
	}
	return message.Of(err)
}

// Unreadable words an error of the disk or the network.
func Unreadable(name string, err error) error {
	return FileError(message.InputUnreadable, name, message.Text("check the disk, or copy the file again"), err, "it cannot be read (%s)", Cause(err))
}

// Shorten truncates a text to the length of a UID, for messages.
func Shorten(s string) string {
	const most = 64 // as many characters as a UID has
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Printable replaces characters that are not clean.Safe, such as control and bidi characters.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !clean.Safe(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
