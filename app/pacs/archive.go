package pacs

import (
	"context"
	"io"

	"quell/app/job"
	"quell/io/attributes"
)

// protocol is what an archive is spoken to by. It words failures; counting and verifying is the
// matter of Archive.
type protocol interface {
	echo(ctx context.Context) error
	// search looks on one level. A result has the UID of its level.
	search(ctx context.Context, q Query, include []string) (attributes.Results, error)
	// retrieve hands over the bytes of DICOM files. It may hand over too many or too few.
	retrieve(ctx context.Context, s selection, each func(io.Reader) error) error
	// store sends the files of a plan that a report says are not stored, and fills in what becomes of them.
	store(ctx context.Context, p Plan, r *Report, progress func(done, total int)) error
	close()
}

// selection is a series, or one instance of it if that is not "". Want is how many instances there are, 0 if
// that is not known.
type selection struct {
	study, series, instance string
	want                    int
}

// Archive is a place that is spoken to. One goroutine at a time uses it.
type Archive struct {
	place Place
	speak protocol
}

// Open returns the archive of a place. It reads the secret and makes no connection.
func (p Place) Open() (*Archive, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	for _, k := range protocols {
		if k.knows(p.To) {
			speak, err := k.open(p)
			if err != nil {
				return nil, err
			}
			return &Archive{p, speak}, nil
		}
	}
	return nil, nil // the last knows every address
}

// Close ends connections that wait for further use.
func (a *Archive) Close() { a.speak.close() }

// Place returns the address of the archive.
func (a *Archive) Place() Place { return a.place }

// Echo asks a place whether it is there and lets this side in: C-ECHO, or a search of DICOMweb whose
// result is not looked at.
func Echo(ctx context.Context, p Place) error {
	a, err := p.Open()
	if err != nil {
		return err
	}
	defer a.Close()
	err = a.speak.echo(ctx)
	job.Log("echo", job.Outcome(err))
	return err
}
