package pacs

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/dicom"
)

// Send stores the files of a plan in a place and looks whether they are there. Missing ones are sent again
// as many times as retries says. The report has a status of every file, also along with an error: a *SendError
// if a file is not stored, with the context's in it if that has ended. progress, which may be nil, counts files.
func Send(ctx context.Context, p Plan, t Place, retries int, progress func(done, total int)) (Report, error) {
	r := Report{Target: t.String(), Planned: len(p.Objects), Files: make([]SentFile, len(p.Objects))}
	for i, o := range p.Objects {
		r.Files[i] = SentFile{Name: o.Name, UID: o.UID, Status: NotSent}
	}
	a, err := t.Open()
	if err != nil {
		return r, err
	}
	defer a.Close()
	for attempt := 0; attempt <= retries && r.Stored < r.Planned && ctx.Err() == nil; attempt++ {
		err = a.speak.store(ctx, p, &r, progress)
		r.Stored = 0
		for _, f := range r.Files {
			if f.Stored {
				r.Stored++
			}
		}
	}
	switch {
	case r.Stored == r.Planned:
		err = nil
	case ctx.Err() != nil:
		err = &SendError{Report: r, Err: ctx.Err()}
	default:
		err = &SendError{Report: r, Err: err}
	}
	job.Log("send", job.Outcome(err), slog.Int("planned", r.Planned), slog.Int("stored", r.Stored), slog.Int("verified", r.Verified))
	return r, err
}

// Plan lists the instances of a folder to be sent.
type Plan struct {
	Folder  string
	Objects []dicom.Object // in the order of their names
	Others  int            // files that are not sent
}

// PlanSend reads which instances a folder of DICOM would send. It makes no connection. Errors are
// *job.InputError or the context's.
func PlanSend(ctx context.Context, folder string) (Plan, error) {
	p := Plan{Folder: folder}
	here := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	info, err := os.Stat(folder)
	if err != nil {
		return p, job.Unreadable(err, folder, here)
	}
	if !info.IsDir() {
		return p, &job.InputError{Path: folder, Problem: message.New(message.InputForeign, "is not a folder"), Advice: message.Text("give the folder of the exported series")}
	}
	if p.Objects, p.Others, err = dicom.Objects(ctx, os.DirFS(folder)); err != nil {
		return p, job.Unreadable(err, folder, here)
	}
	if len(p.Objects) == 0 {
		return p, &job.InputError{Path: folder, Problem: message.New(message.InputForeign, "it has no DICOM file"), Advice: message.Text("give the folder of an exported series")}
	}
	names := map[string]string{}
	for _, o := range p.Objects {
		if first, twice := names[o.UID]; twice {
			return p, &job.InputError{Path: here(o.Name), Problem: message.New(message.InputUnsupported, "it has the instance UID of %s", first), Advice: message.Text("move one of them out of the folder")}
		}
		names[o.UID] = o.Name
	}
	return p, nil
}

// Series describes the series of a plan in order: modality and description.
func (p Plan) Series() (texts []string) {
	uids := map[string]bool{}
	for _, o := range p.Objects {
		if uids[o.SeriesUID] {
			continue
		}
		uids[o.SeriesUID] = true
		texts = append(texts, strings.Join(slices.DeleteFunc([]string{o.Modality, o.Description}, func(s string) bool { return s == "" }), ", "))
	}
	return texts
}

// Has reports whether an object of a modality is sent.
func (p Plan) Has(modality string) bool {
	return slices.ContainsFunc(p.Objects, func(o dicom.Object) bool { return o.Modality == modality })
}

// Text describes the plan: "9 files of 1 series: CT, Abdomen [Quell nlm]".
func (p Plan) Text() string {
	series := p.Series()
	return message.Text("%s of %d series: %s", message.Count(len(p.Objects), "file", "files"), len(series), message.Some("; ", message.Names(series)...)).String()
}

// Only returns the plan for the files that a report says are not stored.
func (p Plan) Only(r Report) Plan {
	missing := map[string]bool{}
	for _, f := range r.Files {
		missing[f.Name] = !f.Stored
	}
	p.Objects = slices.DeleteFunc(slices.Clone(p.Objects), func(o dicom.Object) bool { return !missing[o.Name] })
	return p
}

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
