package dicomweb

import (
	"context"
	"errors"
	"io"
	"net/http"

	"quell/internal/connection"
	"quell/internal/message"
	"quell/io/attributes"
	"quell/io/dimse"
)

// Instance is an object to be stored. Its UIDs are in its data set too.
type Instance struct {
	Study, Series, UID string
	Size               int64                         // of the DICOM file
	Open               func() (io.ReadCloser, error) // called once per attempt
}

// Remark is the remark of a server on an instance.
type Remark struct {
	UID    string
	Status dimse.Status // of PS3.18 tables I.2-1 and I.2-2, which are codes of C-STORE
}

// Report says what became of instances.
type Report struct {
	Sent     int
	Stored   int      // that the server says it stored
	Warned   []Remark // of those, with a warning
	Failed   []Remark // that the server says it did not store
	Verified int      // that a search found afterwards
	Missing  []string // UIDs that it did not find, in the order of sending
}

// mostOfRequest is how many instances one request stores at most.
const mostOfRequest = 1000

// mostOfSeries is how many instances of a series a verification looks at.
const mostOfSeries = 200_000

// Store sends instances, by requests of about Config.StoreBytes, and then searches for them:
// some servers report success and keep nothing. The error is nil if and only if every instance
// was found. Without an answer the report counts the requests before. Instances that arrived
// stay there after an error; sending them again replaces them or does nothing.
func (c *Client) Store(ctx context.Context, instances []Instance) (Report, error) {
	var r Report
	sent := map[string]bool{}
	for _, i := range instances {
		if err := attributes.CheckUIDs(i.Study, i.Series, i.UID); err != nil {
			return r, err
		}
		if sent[i.UID] || i.Size <= 0 {
			return r, message.Errorf(message.UsageRefused, "an instance is empty or is sent twice; send each file once")
		}
		sent[i.UID] = true
	}
	for rest := instances; len(rest) > 0; {
		n, size := 0, int64(0)
		for n < len(rest) && n < mostOfRequest && (n == 0 || size+rest[n].Size <= c.config.StoreBytes) {
			size += rest[n].Size
			n++
		}
		if err := c.storeSome(ctx, rest[:n], &r); err != nil {
			return r, err
		}
		r.Sent += n
		rest = rest[n:]
	}
	if err := c.verify(ctx, instances, &r); err != nil {
		return r, err
	}
	return r, c.kept(&r)
}

// kept returns an error if not all instances were found.
func (c *Client) kept(r *Report) error {
	if len(r.Missing) == 0 {
		return nil
	}
	e := &Error{
		Host: c.host, Problem: message.New(message.NetworkRefused, "it has %d of %d instances that were sent", r.Verified, r.Sent),
		Advice: message.Text("send them again; the log of the PACS may say why"),
	}
	missing := map[string]bool{}
	for _, uid := range r.Missing {
		missing[uid] = true
	}
	for _, f := range r.Failed {
		if missing[f.UID] {
			e.Advice = message.Text("it says of one: %v", f.Status)
			break
		}
	}
	return e
}

// storeSome sends instances by one request and counts what the server says of them.
func (c *Client) storeSome(ctx context.Context, some []Instance, r *Report) error {
	e := newEnvelope(c.host, some)
	return c.exchange(ctx, &request{
		method: http.MethodPost, path: []string{"studies"}, accept: "application/dicom+json",
		// The length is declared: some servers store nothing of a body in chunks.
		open: e.open, size: e.size(), contentType: `multipart/related; type="application/dicom"; boundary=` + e.boundary,
		accepted: []int{http.StatusOK, http.StatusAccepted, http.StatusConflict},
		consume: func(resp *http.Response) error {
			left := oneAnswer()
			answer, err := parseDatasets(resp.Body, &left)
			if err != nil || len(answer) != 1 {
				// What was stored is unknown; the search afterwards tells.
				if resp.StatusCode == http.StatusConflict {
					return statusFailure(c.host, resp.StatusCode)
				}
				return ctx.Err()
			}
			if !r.count(answer[0], some) {
				return c.against(resp.StatusCode, "it reports on instances that were not sent, or twice on one")
			}
			return nil
		},
	})
}

// Attributes of the answer to a request that stores (PS3.18 table I.1-1).
const (
	referencedSOPSequence    Tag = 0x0008_1199
	failedSOPSequence        Tag = 0x0008_1198
	failureReason            Tag = 0x0008_1197
	warningReason            Tag = 0x0008_1196
	referencedSOPInstanceUID Tag = 0x0008_1155
)

// count adds what an answer says of instances. It reports whether each of them was sent and is
// named once.
func (r *Report) count(answer Dataset, some []Instance) bool {
	open := map[string]bool{}
	for _, i := range some {
		open[i.UID] = true
	}
	next := *r
	for _, item := range answer[failedSOPSequence].Items {
		uid := item.Text(referencedSOPInstanceUID)
		if !open[uid] {
			return false
		}
		delete(open, uid)
		next.Failed = append(next.Failed, Remark{uid, status(item, failureReason)})
	}
	for _, item := range answer[referencedSOPSequence].Items {
		uid := item.Text(referencedSOPInstanceUID)
		if !open[uid] {
			return false
		}
		delete(open, uid)
		next.Stored++
		if s := status(item, warningReason); s != 0 {
			next.Warned = append(next.Warned, Remark{uid, s})
		}
	}
	*r = next
	return true
}

func status(item Dataset, reason Tag) dimse.Status {
	n, ok := item.Count(reason)
	if !ok || n > 0xFFFF {
		return 0
	}
	return dimse.Status(n)
}

// verify searches for what was sent, and again after a while if the server is still indexing.
func (c *Client) verify(ctx context.Context, sent []Instance, r *Report) error {
	type place struct{ study, series string }
	missing := map[place]map[string]bool{}
	var order []place
	for _, i := range sent {
		p := place{i.Study, i.Series}
		if missing[p] == nil {
			missing[p] = map[string]bool{}
			order = append(order, p)
		}
		missing[p][i.UID] = true
	}
	for attempt := 0; ; attempt++ {
		left := 0
		for _, p := range order {
			if len(missing[p]) == 0 {
				continue
			}
			if err := c.strike(ctx, p.study, p.series, missing[p]); err != nil {
				return err
			}
			left += len(missing[p])
		}
		r.Verified = len(sent) - left
		if left == 0 || attempt+1 >= c.config.Attempts {
			break
		}
		if err := connection.Pause(ctx, pause(attempt, nil)); err != nil {
			return err
		}
	}
	for _, i := range sent {
		if missing[place{i.Study, i.Series}][i.UID] {
			r.Missing = append(r.Missing, i.UID)
		}
	}
	return nil
}

// strike removes from missing what the series has. A series that is not there has nothing.
func (c *Client) strike(ctx context.Context, study, series string, missing map[string]bool) error {
	path := []string{"studies", study, "series", series, "instances"}
	_, err := c.pages(ctx, path, attributes.SOPInstanceUID, Query{Most: mostOfSeries}, nil, func(d Dataset) { delete(missing, d.Text(attributes.SOPInstanceUID)) })
	var e *Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return nil
	}
	return err
}
