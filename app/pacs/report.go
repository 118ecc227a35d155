package pacs

import (
	"context"
	"errors"

	"quell/internal/message"
)

// SentFile is what became of one file.
type SentFile struct {
	Name   string          `json:"file"`
	UID    string          `json:"uid"`
	Stored bool            `json:"stored"`
	Status message.Message `json:"status"` // in words
}

// Report is what became of a plan.
type Report struct {
	Target  string `json:"target"`
	Planned int    `json:"planned"`
	// Verified is how many of the stored files a search found there afterwards; 0 if the archive is not
	// searched.
	Verified int        `json:"verified,omitempty"`
	Stored   int        `json:"stored"`
	Files    []SentFile `json:"files"` // every file of the plan
}

// SendError is that not all files are stored.
type SendError struct {
	Report Report
	Err    error // of the connection; nil if the node refused single files
}

// AsMessage returns one sentence with the names of the first files.
func (e *SendError) AsMessage() message.Message {
	if errors.Is(e.Err, context.Canceled) {
		return message.New(message.NetworkRefused, "cancelled; %d of %d files are stored on %s", e.Report.Stored, e.Report.Planned, e.Report.Target)
	}
	if e.Report.Stored == 0 && e.Err != nil {
		return message.Of(e.Err)
	}
	var names []string
	reason := message.Of(e.Err)
	for _, f := range e.Report.Files {
		if !f.Stored {
			names = append(names, f.Name)
			if reason.IsZero() {
				reason = f.Status
			}
		}
	}
	return message.New(message.NetworkRefused, "%d of %d files are stored; not stored: %s (%s)", e.Report.Stored, e.Report.Planned, message.Some(", ", message.Names(names)...), reason)
}

// Error returns the sentence in English.
func (e *SendError) Error() string { return e.AsMessage().String() }

// Unwrap returns the cause.
func (e *SendError) Unwrap() error { return e.Err }

// Statuses of files besides the ones that the node gives.
var (
	Stored       = message.Text("stored") // without a warning
	NotSent      = message.Text("not sent")
	NotConfirmed = message.Text("not confirmed") // the connection ended while it was sent
)
