package pacs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/dicom"
)

// Fetch retrieves a series into a folder that is there and empty. Files have the names 00001.dcm and so on, in the
// order of their arrival. Every instance must be a readable DICOM object of that series, none may be there
// twice, and there must be as many as a search says. After an error the files are gone. It returns
// the number of files; progress, which may be nil, counts them.
func (a *Archive) Fetch(ctx context.Context, r Row, dir string, progress func(done, total int)) (int, error) {
	want := r.Instances
	if want <= 0 {
		uids, err := a.instances(ctx, r)
		if err != nil {
			return 0, err
		}
		want = len(uids)
	}
	return a.fetch(ctx, selection{r.Study, r.Series, "", want}, dir, progress)
}

// FetchMiddle retrieves the middle slice of a series by the numbers of its instances into a folder that is
// there and empty, as 00001.dcm.
func (a *Archive) FetchMiddle(ctx context.Context, r Row, dir string) error {
	uids, err := a.instances(ctx, r)
	if err != nil {
		return err
	}
	if len(uids) == 0 {
		return a.incomplete(0, 1)
	}
	_, err = a.fetch(ctx, selection{r.Study, r.Series, uids[len(uids)/2], 1}, dir, nil)
	return err
}

func (a *Archive) fetch(ctx context.Context, s selection, dir string, progress func(done, total int)) (n int, err error) {
	var made []string
	defer func() {
		job.Log("fetch", job.Outcome(err), slog.Int("wanted", s.want), slog.Int("fetched", len(made)))
		if err != nil {
			for _, path := range made {
				os.Remove(path)
			}
			n = 0
		}
	}()
	if s.want == 0 {
		return 0, a.incomplete(0, 1)
	}
	err = a.speak.retrieve(ctx, s, func(instance io.Reader) error {
		if len(made) >= s.want {
			return a.incomplete(len(made)+1, s.want)
		}
		path := filepath.Join(dir, fmt.Sprintf("%05d.dcm", len(made)+1))
		made = append(made, path)
		if err := keep(path, instance); err != nil {
			return err
		}
		if progress != nil {
			progress(len(made), s.want)
		}
		return ctx.Err()
	})
	if err == nil {
		err = a.verify(ctx, s, dir)
	}
	return len(made), err
}

// readError is a failure of the connection, as against one of the disk.
type readError struct{ io.Reader }

func (r *readError) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // a wrapped one is an early end
		err = &readFailure{err}
	}
	return n, err
}

type readFailure struct{ error }

func (f *readFailure) Unwrap() error { return f.error }

// keep writes an instance to a new file of this account alone.
func keep(path string, instance io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return atomic.WriteError(path, err)
	}
	_, err = io.Copy(f, &readError{instance})
	if failed, ok := err.(*readFailure); ok { //nolint:errorlint // io.Copy returns it as it is
		f.Close()
		return failed.error
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return atomic.WriteError(path, err)
	}
	return nil
}

// verify reads what arrived.
func (a *Archive) verify(ctx context.Context, s selection, dir string) error {
	objects, others, err := dicom.Objects(ctx, os.DirFS(dir))
	if err != nil {
		return job.Unreadable(err, a.place.String(), func(name string) string { return a.place.String() + ": " + name })
	}
	if others > 0 {
		return a.wrong("it sent what is no DICOM object")
	}
	met := map[string]bool{}
	for _, o := range objects {
		switch {
		case o.SeriesUID != s.series, s.instance != "" && o.UID != s.instance:
			return a.wrong("it sent an instance of another series, or another instance than was asked for")
		case met[o.UID]:
			return a.wrong("it sent an instance twice")
		}
		met[o.UID] = true
	}
	if len(met) != s.want {
		return a.incomplete(len(met), s.want)
	}
	return nil
}

// Error is that what an archive sent is not what was asked for.
type Error struct {
	Place   string
	Problem message.Message
	Advice  message.Message
}

// AsMessage returns the sentence.
func (e *Error) AsMessage() message.Message { return message.About(e.Place, e.Problem, e.Advice) }

func (e *Error) Error() string { return e.AsMessage().String() }

func (a *Archive) wrong(problem string) error {
	return &Error{a.place.String(), message.New(message.NetworkProtocol, "%s", message.Word(problem)), message.Text("the log of the PACS may say why")}
}

func (a *Archive) incomplete(sent, want int) error {
	return &Error{
		a.place.String(), message.New(message.NetworkProtocol, "it sent %d instances of %d", sent, want),
		message.Text("retrieve them again; the series may be arriving or changing there"),
	}
}
