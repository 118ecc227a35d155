package part10

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"unicode"

	"github.com/klauspost/compress/flate"

	"quell/internal/clean"
)

// Error is a file or folder that cannot be used. Its text is one sentence:
// "NAME: problem; advice".
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

// ErrNotOpened is in that chain too when a file could not be opened, so that what it holds
// is not known.
var ErrNotOpened = errors.New("a file cannot be opened")

// What to do.
const (
	// AdviseCopy is for a file that lost bytes on its way.
	AdviseCopy = "copy it again from where it came, or move it out of the folder"
	// AdviseExport is for a file that is complete and contradicts itself: another copy
	// of it would too.
	AdviseExport = "export it again from the scanner or archive that it came from, or move it out of the folder"
	// AdviseNIfTI is for what DICOM cannot hold.
	AdviseNIfTI = "write NIfTI instead"
)

// FileError returns an *Error with a formatted problem.
func FileError(name, advice string, cause error, format string, args ...any) *Error {
	return &Error{Name: name, Problem: fmt.Sprintf(format, args...), Advice: advice, Err: cause}
}

// Cause returns the text of a file system error without the path, and a plain text for
// errors about a damaged archive.
func Cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	case errors.As(err, &corrupt), errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.Is(err, zip.ErrAlgorithm):
		return "its archive is damaged"
	}
	return err.Error()
}

// Reason words a tokenizer's error without its sentinel.
func Reason(err error) string {
	return strings.TrimSuffix(Cause(err), ": "+ErrTruncated.Error())
}

// Unreadable words an error of the disk or the network.
func Unreadable(name string, err error) error {
	return FileError(name, "check the disk, or copy the file again", err, "it cannot be read (%s)", Cause(err))
}

// Count returns a number with its noun: "1 file is", "3 files are".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Summary joins the first few of many phrases and counts the rest.
func Summary(s []string) string {
	const most = 3
	out := strings.Join(s[:min(len(s), most)], ", ")
	if len(s) > most {
		out += fmt.Sprintf(" and %d more", len(s)-most)
	}
	return out
}

// Shorten truncates a text to the length of a UID, for messages.
func Shorten(s string) string {
	const most = 64 // as many characters as a UID has
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Printable replaces what is not clean.Safe, such as control and bidi characters.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !clean.Safe(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
