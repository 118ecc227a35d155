package dicomweb

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"quell/internal/connection"
	"quell/internal/message"
)

// A request is sent, and sent again if that does no harm.
type request struct {
	method string
	path   []string
	terms  url.Values
	accept string
	// The body of POST, opened for every attempt.
	open        func() (io.ReadCloser, error)
	size        int64
	contentType string
	// accepted are the statuses that consume understands.
	accepted []int
	consume  func(*http.Response) error
	// handed is set by consume when the caller has got something that cannot be taken back.
	handed bool
}

// exchange sends a request until it is answered, at most Config.Attempts times. A bearer token
// that the server refuses is renewed once.
func (c *Client) exchange(ctx context.Context, r *request) error {
	renewed := false
	for attempt := 0; ; {
		asked, authorized, err := c.attempt(ctx, r)
		var e *Error
		if err == nil || !errors.As(err, &e) {
			return err
		}
		refused := e.Status == http.StatusUnauthorized && authorized != "" && !r.handed
		if refused && !renewed && c.config.Authorization.discard(ctx, authorized) {
			renewed = true
			continue
		}
		attempt++
		if attempt >= c.config.Attempts || !r.again(err) {
			return err
		}
		wait := pause(attempt-1, asked)
		if wait > c.config.RetryWait {
			e.Advice = message.Text("it asks to try again in %v", wait.Round(time.Second))
			return e
		}
		if err := connection.Pause(ctx, wait); err != nil {
			return err
		}
	}
}

// attempt sends a request once. It returns the time that the server asks to wait, or nil, and
// the authorization that was sent.
func (c *Client) attempt(ctx context.Context, r *request) (asked *time.Duration, authorized string, err error) {
	requested, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	fail := func(err error) error { return connectionFailure(ctx, requested, c.host, err) }
	watch := newWatch(cancel)
	defer watch.stop()

	req, err := http.NewRequestWithContext(requested, r.method, c.address(r.path, r.terms), nil)
	if err != nil {
		return nil, "", fail(err)
	}
	req.Header.Set("Accept", r.accept)
	if c.config.Authorization != nil {
		if authorized, err = c.config.Authorization.header(ctx); err != nil {
			return nil, "", err
		}
		req.Header.Set("Authorization", authorized)
	}
	watch.start(c.config.AnswerWait, 0)
	if r.open != nil {
		body, err := r.open()
		if err != nil {
			return nil, "", err
		}
		req.Header.Set("Content-Type", r.contentType)
		req.ContentLength = r.size
		req.Body = &sentBody{ReadCloser: body, watch: watch, idle: c.config.IdleWait, answer: c.config.StoreWait}
	}
	resp, err := c.http.Do(req)
	watch.stop()
	if err != nil {
		return nil, authorized, fail(err)
	}
	defer resp.Body.Close()
	for _, status := range r.accepted {
		if resp.StatusCode != status {
			continue
		}
		if coding := resp.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
			return nil, authorized, c.against(status, "it compresses its answer, which was not asked for")
		}
		resp.Body = &receivedBody{ReadCloser: resp.Body, watch: watch, idle: c.config.IdleWait}
		err := r.consume(resp)
		var body *bodyError
		if errors.As(err, &body) {
			err = fail(body.err)
		}
		return nil, authorized, err
	}
	return retryAfter(resp.Header, time.Now()), authorized, statusFailure(c.host, resp.StatusCode)
}

// watch ends a request if nothing happens for a time.
type watch struct {
	cancel context.CancelCauseFunc
	mu     sync.Mutex
	timer  *time.Timer
}

func newWatch(cancel context.CancelCauseFunc) *watch { return &watch{cancel: cancel} }

// start begins to wait, of a limit of which some was waited before.
func (w *watch) start(limit, waited time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.timer = time.AfterFunc(limit-waited, func() { w.cancel(&lateError{limit}) })
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}

// leastReceived is how many bytes of an answer have to come while it is waited for as long as Config.IdleWait: some
// 4 kB/s, below which an archive is of no use. Every answer has a largest size, so that none lasts for ever.
const leastReceived = 256 << 10

// receivedBody watches the time of reads; the time between two is the caller's.
type receivedBody struct {
	io.ReadCloser
	watch  *watch
	idle   time.Duration
	got    int           // bytes of the next leastReceived
	waited time.Duration // for them
}

func (b *receivedBody) Read(p []byte) (int, error) {
	begin := time.Now()
	b.watch.start(b.idle, b.waited)
	defer b.watch.stop()
	n, err := b.ReadCloser.Read(p)
	b.got, b.waited = b.got+n, b.waited+time.Since(begin)
	if b.got >= leastReceived {
		b.got, b.waited = 0, 0
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = &bodyError{err}
	}
	return n, err
}

// sentBody watches the time between reads, in which the server takes what was read before.
type sentBody struct {
	io.ReadCloser
	watch        *watch
	idle, answer time.Duration
	ended        bool
}

func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case b.ended:
	case errors.Is(err, io.EOF):
		b.ended = true
		b.watch.start(b.answer, 0)
	default:
		b.watch.start(b.idle, 0)
	}
	return n, err
}

// limited reads at most left bytes; what follows is errTooLarge, whatever length was declared.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errTooLarge
	}
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if int64(n) > l.left {
		n, err = int(l.left), errTooLarge
		l.left = -1
		return n, err
	}
	l.left -= int64(n)
	return n, err
}

// firstWait is the time before the second attempt; every further one waits twice as long.
const firstWait = 500 * time.Millisecond

// again reports whether an attempt that failed may be repeated.
func (r *request) again(err error) bool {
	var e *Error
	if !errors.As(err, &e) || r.handed {
		return false
	}
	switch e.Status {
	case 0:
		return e.Problem.Kind() != message.InputChanged && (brokenConnection(e.Err) || errors.Is(e.Err, syscall.ECONNREFUSED))
	case http.StatusServiceUnavailable:
		return true
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusGatewayTimeout:
		return r.method == http.MethodGet
	}
	return false
}

// pause returns how long to wait before the next attempt: what the server asks for, else a time
// that doubles.
func pause(attempt int, asked *time.Duration) time.Duration {
	if asked != nil {
		return *asked
	}
	return firstWait << min(attempt, 10)
}

// retryAfter reads Retry-After (RFC 9110 section 10.2.3): seconds or a date. It is nil if the
// header is missing or neither.
func retryAfter(h http.Header, now time.Time) *time.Duration {
	s := strings.TrimSpace(h.Get("Retry-After"))
	if s == "" {
		return nil
	}
	var wait time.Duration
	if strings.Trim(s, "0123456789") == "" {
		seconds, err := strconv.ParseInt(s, 10, 32)
		if err != nil { // more than 68 years
			seconds = 1<<31 - 1
		}
		wait = time.Duration(seconds) * time.Second
	} else {
		at, err := http.ParseTime(s)
		if err != nil {
			return nil
		}
		wait = max(0, at.Sub(now))
	}
	return &wait
}
