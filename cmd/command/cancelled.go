package command

import (
	"context"
	"errors"
)

// cancelled is the end of a command that was cancelled, with what became of its outputs in
// words: only the command knows that.
type cancelled struct {
	err  error
	left string
}

func (c *cancelled) Error() string { return "cancelled; " + c.left }

func (c *cancelled) Unwrap() error { return c.err }

// Leaving says what a command leaves behind if err comes from a cancelled context.
func Leaving(err error, left string) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return &cancelled{err, left}
}

// NothingWritten is for commands with outputs that get their names together at the
// end.
func NothingWritten(err error) error { return Leaving(err, "nothing was written") }

// cancelledText is the sentence about a command that was cancelled.
func cancelledText(err error) string {
	if c := (*cancelled)(nil); errors.As(err, &c) {
		return c.Error()
	}
	return "cancelled"
}
