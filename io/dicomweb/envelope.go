package dicomweb

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"

	"quell/internal/message"
)

// envelope is the body of a request that stores instances: files between boundaries (RFC 2387),
// read from the disk as they are sent.
type envelope struct {
	host      string
	boundary  string
	instances []Instance
}

// newEnvelope chooses a boundary of 130 random bits, which no file holds.
func newEnvelope(host string, instances []Instance) *envelope {
	return &envelope{host: host, boundary: "quell-" + rand.Text(), instances: instances}
}

func (e *envelope) head() string {
	return "\r\n--" + e.boundary + "\r\nContent-Type: application/dicom\r\n\r\n"
}

func (e *envelope) end() string { return "\r\n--" + e.boundary + "--\r\n" }

// size returns the bytes of the body.
func (e *envelope) size() int64 {
	n := int64(len(e.end()))
	for _, i := range e.instances {
		n += int64(len(e.head())) + i.Size
	}
	return n
}

// open begins to read the body.
func (e *envelope) open() (io.ReadCloser, error) {
	return &envelopeReader{e: e, text: e.firstText()}, nil
}

func (e *envelope) firstText() string {
	if len(e.instances) == 0 {
		return e.end()
	}
	return e.head()
}

// envelopeReader has one file open at a time.
type envelopeReader struct {
	e    *envelope
	text string // to be read before the file
	at   int    // which file
	file io.ReadCloser
	left int64 // of the file
}

func (r *envelopeReader) Read(p []byte) (int, error) {
	switch {
	case r.text != "":
		n := copy(p, r.text)
		r.text = r.text[n:]
		return n, nil
	case r.at == len(r.e.instances):
		return 0, io.EOF
	case r.file == nil:
		i := r.e.instances[r.at]
		file, err := i.Open()
		if err != nil {
			return 0, r.unreadable(err)
		}
		r.file, r.left = file, i.Size
	}
	if r.left == 0 {
		return 0, r.next()
	}
	n, err := r.file.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	switch {
	case errors.Is(err, io.EOF) && r.left > 0:
		return n, r.changed()
	case err != nil && !errors.Is(err, io.EOF):
		return n, r.unreadable(err)
	}
	return n, nil
}

// next closes a file that was sent, which must have ended.
func (r *envelopeReader) next() error {
	n, err := io.ReadFull(r.file, make([]byte, 1))
	if n > 0 {
		return r.changed()
	}
	if !errors.Is(err, io.EOF) {
		return r.unreadable(err)
	}
	if err := r.Close(); err != nil {
		return r.unreadable(err)
	}
	r.at++
	r.text = r.e.end()
	if r.at < len(r.e.instances) {
		r.text = r.e.head()
	}
	return nil
}

// Close closes the file that is open.
func (r *envelopeReader) Close() error {
	if r.file == nil {
		return nil
	}
	file := r.file
	r.file = nil
	return file.Close()
}

// unreadable leaves the name of the file out, which may be a patient's.
func (r *envelopeReader) unreadable(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &Error{
		Host: r.e.host, Problem: message.New(message.InputUnreadable, "file %d of a request could not be read while it was sent (%v)", r.at+1, err),
		Advice: message.Text("check the disk"),
	}
}

func (r *envelopeReader) changed() error {
	return &Error{
		Host: r.e.host, Problem: message.New(message.InputChanged, "file %d of a request changed while it was sent", r.at+1),
		Advice: message.Text("send it again when nothing writes it"),
	}
}
