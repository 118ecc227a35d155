package dicomweb

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"quell/internal/message"
)

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
