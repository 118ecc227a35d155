package dicomweb

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"

	"quell/internal/message"
	"quell/io/attributes"
)

// Retrieval names objects to retrieve, and limits their size.
type Retrieval = attributes.Retrieval

// Retrieve passes each instance to the caller as it arrives, as the bytes of a DICOM file in the
// transfer syntax that the server keeps. It returns how many were read to their end. An instance
// ends with io.EOF; every other end is an error, and what was read of it is no instance. What each
// leaves of an instance is read and dropped. The reader is of no use after each has returned. An
// error of each ends the retrieval and is returned as it is.
func (c *Client) Retrieve(ctx context.Context, r Retrieval, each func(instance io.Reader) error) (int, error) {
	path, uids := []string{"studies", r.Study, "series", r.Series}, []string{r.Study, r.Series}
	if r.Instance != "" {
		path, uids = append(path, "instances", r.Instance), append(uids, r.Instance)
	}
	if err := attributes.CheckUIDs(uids...); err != nil {
		return 0, err
	}
	r = r.WithDefaults()
	count := 0
	req := &request{
		method: http.MethodGet, path: path,
		// Without the wildcard a server may convert to explicit little endian.
		accept:   `multipart/related; type="application/dicom"; transfer-syntax=*`,
		accepted: []int{http.StatusOK, http.StatusPartialContent},
	}
	req.consume = func(resp *http.Response) error {
		return c.handOver(resp, r, &count, func() { req.handed = true }, each)
	}
	err := c.exchange(ctx, req)
	return count, err
}

// handOver passes the instances of an answer on and counts them; handing is called before each.
func (c *Client) handOver(resp *http.Response, r Retrieval, count *int, handing func(), each func(io.Reader) error) error {
	next, err := c.parts(resp, r)
	if err != nil {
		return err
	}
	for {
		part, err := next()
		if err != nil {
			return err
		}
		if part == nil {
			break
		}
		if *count == r.MostParts {
			return c.tooLarge(resp, "it sends more than %d instances", r.MostParts)
		}
		handing()
		if err := part.hand(each); err != nil {
			return err
		}
		*count++
	}
	if resp.StatusCode == http.StatusPartialContent || r.Want > 0 && *count != r.Want {
		return c.incomplete(resp.StatusCode, *count, r.Want)
	}
	return nil
}

func (c *Client) incomplete(status, count, want int) error {
	e := &Error{
		Host: c.host, Status: status, Problem: message.New(message.NetworkProtocol, "it sent %d instances of %d", count, want),
		Advice: message.Text("retrieve them again; the series may be arriving or changing there"),
	}
	if count == want || want == 0 {
		e.Problem = message.New(message.NetworkProtocol, "it sent %d instances and says that there are more", count)
	}
	return e
}

func (c *Client) tooLarge(resp *http.Response, format string, args ...any) error {
	return &Error{
		Host: c.host, Status: resp.StatusCode, Problem: message.New(message.InputTooLarge, format, args...),
		Advice: message.Text("retrieve less at a time"), Err: errTooLarge,
	}
}

// parts returns a function that returns the next instance of an answer, and nil after the last.
func (c *Client) parts(resp *http.Response, r Retrieval) (next func() (*instanceReader, error), err error) {
	form, boundary := formOf(resp.Header.Get("Content-Type"))
	body := &limited{resp.Body, r.MostBytes}
	reader := func(part io.Reader) *instanceReader {
		return &instanceReader{c: c, resp: resp, most: r.MostPartBytes, r: limited{part, r.MostPartBytes}}
	}
	switch {
	case form == "application/dicom": // one instance without an envelope
		done := false
		return func() (*instanceReader, error) {
			if done {
				return nil, nil
			}
			done = true
			return reader(body), nil
		}, nil
	case form == "multipart/related" && boundary != "" && len(boundary) <= maxBoundary:
		end := &tail{r: body}
		m := multipart.NewReader(end, boundary)
		return func() (*instanceReader, error) {
			part, err := m.NextRawPart()
			if err == io.EOF && end.has("--"+boundary+"--") { //nolint:errorlint // a wrapped one is an early end
				return nil, nil
			}
			if err != nil {
				return nil, c.brokenParts(resp, err)
			}
			if kind := part.Header.Get("Content-Type"); kind != "" && !isDICOM(kind) {
				return nil, c.against(resp.StatusCode, "it sends a part that is no DICOM instance")
			}
			return reader(part), nil
		}, nil
	}
	return nil, c.against(resp.StatusCode, "it sends no DICOM instances")
}

var boundaryForm = regexp.MustCompile(`(?i);\s*boundary="?([^";,]+)"?`)

// formOf returns the form of an answer and the boundary of its parts. Some servers write
// type=application/dicom without quotes, which package mime refuses.
func formOf(contentType string) (form, boundary string) {
	form, params, err := mime.ParseMediaType(contentType)
	if err == nil {
		return form, params["boundary"]
	}
	if m := boundaryForm.FindStringSubmatch(contentType); m != nil {
		boundary = strings.TrimSpace(m[1])
	}
	return form, boundary
}

// tail keeps the end of what was read. An answer that is cut in the head of a part ends for package
// multipart as a whole one does; a whole one ends with the last delimiter, which is then in its buffer.
type tail struct {
	r    io.Reader
	kept []byte
}

// minTail is more than package multipart reads ahead.
const minTail = 8 << 10

func (t *tail) Read(p []byte) (int, error) {
	n, err := t.r.Read(p[:min(len(p), minTail)])
	if len(t.kept)+n > 2*minTail {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-minTail:]...)
	}
	t.kept = append(t.kept, p[:n]...)
	return n, err
}

func (t *tail) has(text string) bool { return bytes.Contains(t.kept, []byte(text)) }

// maxBoundary is the limit of RFC 2046 section 5.1.1.
const maxBoundary = 70

func isDICOM(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/dicom")
}

// brokenParts words an answer with parts that cannot be read.
func (c *Client) brokenParts(resp *http.Response, err error) error {
	var body *bodyError
	switch {
	case errors.As(err, &body):
		return err
	case errors.Is(err, errTooLarge):
		return c.tooLarge(resp, "its answer has more bytes than were allowed")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return c.against(resp.StatusCode, "its answer ends within an instance")
	}
	return c.against(resp.StatusCode, "its answer is no sequence of parts")
}

// instanceReader reads one instance. It remembers an early end, so that a caller who passes over
// it still fails.
type instanceReader struct {
	c    *Client
	resp *http.Response
	most int64
	r    limited
	err  error
}

func (i *instanceReader) Read(p []byte) (int, error) {
	if i.err != nil {
		return 0, i.err
	}
	n, err := i.r.Read(p)
	if err == nil || err == io.EOF { //nolint:errorlint // a wrapped one is an early end
		i.err = err
		return n, err
	}
	if i.r.left < 0 {
		i.err = i.c.tooLarge(i.resp, "it sends an instance of more than %d bytes", i.most)
	} else {
		i.err = i.c.brokenParts(i.resp, err)
	}
	return n, i.err
}

// hand passes the instance on and reads its remaining bytes.
func (i *instanceReader) hand(each func(io.Reader) error) error {
	if err := each(i); err != nil {
		if i.err != nil && !errors.Is(i.err, io.EOF) && errors.Is(err, i.err) {
			return i.err
		}
		return err
	}
	_, err := io.Copy(io.Discard, i)
	return err
}
