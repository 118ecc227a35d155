package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"quell/app/engines"
	"quell/app/job"
	"quell/app/pacs"
	"quell/denoise"
	"quell/internal/clean"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/io/dicom"
	"quell/io/dicomweb"
	"quell/io/dimse"
)

// failure is an error in the JSON of a command. Scripts rely on the kinds; docs/reference/scripting.md lists them.
type failure struct {
	Kind string       `json:"kind"`
	Code message.Kind `json:"code,omitempty"` // what is the matter
	Text string       `json:"text"`           // the sentence on stderr
	File string       `json:"file,omitempty"` // that it is about, as the user or the system names it
}

// has reports whether an error of a type is in a chain.
func has[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// kindOf is the exit code in a word, and of code 1 what failed.
func kindOf(err error, code int) string {
	switch {
	case code == job.ExitUsage:
		return "usage"
	case code == job.ExitInput:
		return "input"
	case code == job.ExitCancelled:
		return "cancelled"
	case has[*parallel.Panic](err):
		return "internal"
	case errors.Is(err, engines.ErrFailed), errors.Is(err, denoise.ErrUnsupported):
		return "device"
	case has[*pacs.SendError](err), has[*dimse.Error](err), has[*dicomweb.Error](err), has[*pacs.Error](err), has[*net.OpError](err):
		return "network"
	case has[*atomic.Error](err), has[*fs.PathError](err), has[*os.LinkError](err): // inputs have a code of their own
		return "output"
	}
	return "failed"
}

// fileOf returns the file that an error names; "" for none.
func fileOf(err error) string {
	if e, ok := errors.AsType[*job.InputError](err); ok && e.Path != "" {
		return e.Path
	}
	if e, ok := errors.AsType[*atomic.Error](err); ok {
		return e.Path
	}
	if e, ok := errors.AsType[*dicom.Error](err); ok && e.Name != "" {
		return e.Name
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Path
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.New
	}
	return ""
}

// FailureOf is the error of one of several pieces of work, in JSON.
func FailureOf(ctx context.Context, err error) failure {
	code, text := endOf(ctx, err)
	if code == job.ExitCancelled {
		text = cancelledText(err)
	}
	return failure{Kind: kindOf(err, code), Code: message.KindOf(err), Text: text, File: clean.Line(fileOf(err))}
}

// wantsJSON reports whether arguments ask for JSON, also if they are wrong otherwise.
func wantsJSON(args []string) (wanted bool) {
	for _, arg := range args {
		if arg == "--" {
			break
		}
		if arg == "--json" {
			wanted = true
		} else if value, ok := strings.CutPrefix(arg, "--json="); ok {
			wanted, _ = strconv.ParseBool(value)
		}
	}
	return wanted
}

// oneObject holds the JSON that a command prints until it ends, so that stdout gets one object: what
// the command found, with "error" added if it failed.
type oneObject struct{ bytes.Buffer }

// wrap makes an object of text that is none, such as a help.
func (o *oneObject) wrap() {
	if text := o.String(); text != "" && !json.Valid(o.Bytes()) {
		o.Reset()
		_ = PrintJSON(o, map[string]string{"text": text}) // to memory
	}
}

// add puts a member behind the others.
func (o *oneObject) add(name string, value any) {
	data, _ := json.MarshalIndent(value, "  ", "  ") // strings and numbers alone
	members := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(o.Bytes()), []byte("}")))
	switch len(members) {
	case 0:
		members = []byte("{")
	case 1: // an empty object
	default:
		members = append(members, ',')
	}
	all := fmt.Appendf(bytes.Clone(members), "\n  %q: ", name)
	o.Reset()
	o.Write(append(append(all, data...), "\n}\n"...))
}

// Streams are those of a process.
type Streams struct {
	In        io.Reader
	Out, Errs io.Writer
	Limit     int64 // bytes of an input that is a pipe; 0 for pipeLimit
}

// Execute runs a command line and returns the exit code. All text passes the cleaner, as it may
// quote names of files and attributes; the progress bar alone writes to the terminal itself.
func (s Streams) Execute(ctx context.Context, groups []Group, args []string) int {
	s.Limit = cmp.Or(s.Limit, pipeLimit)
	p := &pipes{Streams: s}
	defer p.close()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // a command may lower it
	ctx = p.within(ctx)
	stdout, stderr := clean.NewWriter(renaming{p, p.Out}), clean.NewWriter(renaming{p, p.Errs})
	defer func() { _, _ = stderr.Flush(), stdout.Flush() }() // the beginning of a character at most
	protected := func(stdout io.Writer) error {              // an error in place of a panic
		return parallel.Protect(func() error { return runCommand(ctx, groups, args, stdout, stderr) })
	}
	if !wantsJSON(args) {
		code, text := endOf(ctx, protected(stdout))
		complain(stderr, text)
		return code
	}
	var object oneObject
	err := protected(&object)
	code, text := endOf(ctx, err)
	object.wrap()
	if err != nil && code != job.ExitPartial {
		object.add("error", failure{Kind: kindOf(err, code), Code: message.KindOf(err), Text: text, File: fileOf(err)})
	}
	if _, err := object.WriteTo(stdout); err != nil && code == job.ExitDone {
		code, text = endOf(ctx, err)
	}
	complain(stderr, text)
	return code
}

// complain writes the one line of an error.
func complain(w io.Writer, text string) {
	if text != "" {
		fmt.Fprintln(w, "quell: "+text)
	}
}

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
