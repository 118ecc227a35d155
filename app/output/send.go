package output

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/dicom"
	"quell/io/dimse"
)

// DefaultAETitle is the AE title of this side if none is given.
const DefaultAETitle = "QUELL"

// SendTarget is a node that stores DICOM, and how it is reached.
type SendTarget struct {
	To   string `json:"to"`             // AETITLE@HOST:PORT
	From string `json:"from,omitempty"` // AE title of this side; "" is DefaultAETitle
	TLS  bool   `json:"tls,omitempty"`
	// Authority names a file with the certificates (PEM) that TLS trusts; "" trusts the
	// certificates of the system.
	Authority string `json:"authority,omitempty"`
}

// Check returns a *job.UsageError for what can be no target. It makes no connection.
func (t SendTarget) Check() error {
	_, _, err := t.resolve()
	return err
}

// resolve returns the node and the configuration of an association.
func (t SendTarget) resolve() (dimse.Node, dimse.Config, error) {
	config := dimse.Config{
		Calling:        cmp.Or(t.From, DefaultAETitle),
		Implementation: dimse.Implementation{ClassUID: dicom.ImplementationClassUID, Version: "QUELL"},
	}
	node, err := dimse.ParseNode(t.To)
	if err == nil {
		err = dimse.CheckAETitle(config.Calling)
	}
	if err != nil {
		return node, config, job.Usagef("%w", err)
	}
	if t.Authority != "" && !t.TLS {
		return node, config, job.Usagef("certificates of an authority are for TLS; ask for TLS too")
	}
	if !t.TLS {
		return node, config, nil
	}
	config.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	if t.Authority != "" {
		pem, err := os.ReadFile(t.Authority)
		if err != nil {
			return node, config, job.Unreadable(err, t.Authority, func(name string) string { return name })
		}
		config.TLS.RootCAs = x509.NewCertPool()
		if !config.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return node, config, &job.InputError{Path: t.Authority, Problem: message.New(message.NetworkTrust, "it holds no certificate in PEM form"), Advice: message.Text("give the certificate of the authority of the PACS")}
		}
	}
	return node, config, nil
}

// Echo asks a node whether it is there and knows both AE titles (C-ECHO).
func Echo(ctx context.Context, t SendTarget) error {
	node, config, err := t.resolve()
	if err != nil {
		return err
	}
	a, err := dimse.Dial(ctx, node, config, []dimse.Context{dimse.Verification})
	if err == nil {
		if err = a.Echo(ctx); err == nil {
			_ = a.Release(ctx) // the echo was answered
		} else {
			a.Abort()
		}
	}
	job.Log("echo", job.Outcome(err))
	return err
}

// SendPlan is what a folder holds to be sent.
type SendPlan struct {
	Folder  string
	Objects []dicom.Object // in the order of their names
	Others  int            // files that are not sent
}

// PlanSend reads what a folder of DICOM would send. It makes no connection. Errors are
// *job.InputError or the context's.
func PlanSend(ctx context.Context, folder string) (SendPlan, error) {
	p := SendPlan{Folder: folder}
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
		return p, &job.InputError{Path: folder, Problem: message.New(message.InputForeign, "it holds no DICOM file"), Advice: message.Text("give the folder of an exported series")}
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
func (p SendPlan) Series() (texts []string) {
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

// Text says what is sent: "9 files of 1 series: CT, Abdomen [Quell nlm]".
func (p SendPlan) Text() string {
	series := p.Series()
	return message.Text("%s of %d series: %s", message.Count(len(p.Objects), "file", "files"), len(series), message.Some("; ", message.Names(series)...)).String()
}

// Only returns the plan for the files that a report says are not stored.
func (p SendPlan) Only(r SendReport) SendPlan {
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

// SendReport is what became of a plan.
type SendReport struct {
	Target  string     `json:"target"`
	Planned int        `json:"planned"`
	Stored  int        `json:"stored"`
	Files   []SentFile `json:"files"` // every file of the plan
}

// SendError is that not all files are stored.
type SendError struct {
	Report SendReport
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

// Send stores the files of a plan on a node (C-STORE). What is not stored is sent again as many
// times as retries says, over another association. The report has a status of every file, also
// along with an error: a *SendError if a file is not stored, with the context's in it if that
// has ended. progress, which may be nil, counts files.
func Send(ctx context.Context, p SendPlan, t SendTarget, retries int, progress func(done, total int)) (SendReport, error) {
	r := SendReport{Target: t.To, Planned: len(p.Objects), Files: make([]SentFile, len(p.Objects))}
	for i, o := range p.Objects {
		r.Files[i] = SentFile{Name: o.Name, UID: o.UID, Status: NotSent}
	}
	node, config, err := t.resolve()
	if err != nil {
		return r, err
	}
	for attempt := 0; attempt <= retries && r.Stored < r.Planned && ctx.Err() == nil; attempt++ {
		err = send(ctx, p, node, config, &r, progress)
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
	job.Log("send", job.Outcome(err), slog.Int("planned", r.Planned), slog.Int("stored", r.Stored))
	return r, err
}

// send stores what is not stored and can be, and returns the error that ended the association.
func send(ctx context.Context, p SendPlan, node dimse.Node, config dimse.Config, r *SendReport, progress func(done, total int)) error {
	contexts := contextsOf(p.Only(*r))
	if len(contexts) > dimse.MaxContexts {
		return message.Errorf(message.InputUnsupported, "the folder holds objects of %d kinds, and an association has room for %d; send parts of it", len(contexts), dimse.MaxContexts)
	}
	a, err := dimse.Dial(ctx, node, config, contexts)
	if err != nil {
		return err
	}
	for i, o := range p.Objects {
		if progress != nil {
			progress(i, len(p.Objects))
		}
		if r.Files[i].Stored {
			continue
		}
		c := dimse.Context{SOPClass: o.SOPClass, Syntax: o.Syntax}
		if refused := a.Accepts(c); refused != nil {
			r.Files[i].Status = refusal(o, refused)
			continue
		}
		answer, err := store(ctx, a, p.Folder, o)
		if err != nil {
			a.Abort()
			r.Files[i].Status = NotConfirmed
			return err
		}
		r.Files[i].Stored, r.Files[i].Status = answer.Status.Stored(), answer.AsMessage()
	}
	if progress != nil {
		progress(len(p.Objects), len(p.Objects))
	}
	_ = a.Release(ctx) // every file has an answer
	return nil
}

// contextsOf returns the contexts of a plan, each once.
func contextsOf(p SendPlan) (contexts []dimse.Context) {
	for _, o := range p.Objects {
		if c := (dimse.Context{SOPClass: o.SOPClass, Syntax: o.Syntax}); !slices.Contains(contexts, c) {
			contexts = append(contexts, c)
		}
	}
	return contexts
}

// refusal words that the node refused the context of an object.
func refusal(o dicom.Object, err error) message.Message {
	why := message.Of(err)
	var e *dimse.Error
	if errors.As(err, &e) {
		why = e.Problem
	}
	return message.Text("%s in %s: %v", o.ClassName(), o.SyntaxName(), why)
}

// store sends one file.
func store(ctx context.Context, a *dimse.Association, folder string, o dicom.Object) (dimse.Answer, error) {
	f, err := os.Open(filepath.Join(folder, filepath.FromSlash(o.Name)))
	if err != nil {
		return dimse.Answer{}, job.Unreadable(err, o.Name, func(name string) string { return name })
	}
	defer f.Close()
	return a.Store(ctx, dimse.Instance{
		Context: dimse.Context{SOPClass: o.SOPClass, Syntax: o.Syntax}, UID: o.UID,
		Data: io.NewSectionReader(f, o.Start, o.Size), Size: o.Size,
	})
}
