package dicomweb

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"quell/internal/connection"
	"quell/internal/message"
)

// Error is a failure of the network or of a server. Its text is one sentence: "HOST: problem;
// advice". Neither the text nor the cause holds an address with search terms.
type Error struct {
	Host    string // with the port, if the address has one
	Status  int    // of HTTP; 0 if there was no answer
	Problem message.Message
	Advice  message.Message
	Err     error // the cause, or nil
}

// AsMessage returns the sentence.
func (e *Error) AsMessage() message.Message { return message.About(e.Host, e.Problem, e.Advice) }

func (e *Error) Error() string { return e.AsMessage().String() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Causes that this package adds to net/http's.
var (
	errTooLarge = errors.New("more than is read at a time")
)

// lateError ends a request to a server that is silent for so long.
type lateError struct{ wait time.Duration }

func (e *lateError) Error() string { return "silent for " + e.wait.String() }

// redirectError is a redirect that is not followed.
type redirectError struct{ problem, advice message.Message }

func (e *redirectError) Error() string { return e.problem.String() }

// bodyError is a failure of the connection while an answer is read.
type bodyError struct{ err error }

func (e *bodyError) Error() string { return e.err.Error() }
func (e *bodyError) Unwrap() error { return e.err }

// connectionFailure words an error of a connection. A context that the caller ended is the cause
// whatever the connection says; requested is the context of the request itself.
func connectionFailure(ctx, requested context.Context, host string, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	var address *url.Error // its text holds the search terms
	if errors.As(err, &address) {
		err = address.Err
	}
	var known *Error
	var late *lateError
	var redirect *redirectError
	problem := func(kind message.Kind, advice message.Message, format string, args ...any) error {
		return &Error{Host: host, Problem: message.New(kind, format, args...), Advice: advice, Err: err}
	}
	if errors.As(context.Cause(requested), &late) {
		return problem(message.NetworkUnreachable, message.Text("check the host, the port and the firewall, or try again later"), "no answer within %v", late.wait)
	}
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &redirect):
		return &Error{Host: host, Problem: redirect.problem, Advice: redirect.advice, Err: err}
	case errors.Is(err, errTooLarge):
		return problem(message.InputTooLarge, message.Text("ask for less at a time"), "it sends more than is read at a time")
	}
	plain := message.Text("give an address that begins with http://, or its TLS port")
	why, advice, ok := connection.Describe(err, plain)
	switch {
	case ok:
		return &Error{Host: host, Problem: why, Advice: advice, Err: err}
	case speaksPlainHTTP(err):
		return problem(message.NetworkTrust, plain, "it does not speak TLS on this port")
	case brokenConnection(err):
		return problem(message.NetworkProtocol, message.Text("try again; the log of the PACS may say why"), "it closed the connection too early")
	case connection.Late(err):
		return problem(message.NetworkUnreachable, message.Text("check the host, the port and the firewall"), "the connection takes too long")
	}
	return problem(message.NetworkProtocol, message.Text("check that this is the address of a DICOMweb service"), "the exchange failed")
}

// speaksPlainHTTP reports the error that net/http makes of a plain answer to a TLS greeting.
func speaksPlainHTTP(err error) bool {
	return err != nil && err.Error() == "http: server gave HTTP response to HTTPS client"
}

func brokenConnection(err error) bool {
	return connection.Broken(err) || err != nil && err.Error() == "http: server closed idle connection"
}

// statusFailure words an answer without success.
func statusFailure(host string, status int) *Error {
	e := &Error{Host: host, Status: status}
	say := func(kind message.Kind, format string, advice string) {
		e.Problem, e.Advice = message.New(kind, format, status), message.Word(advice)
	}
	switch {
	case status == http.StatusBadRequest:
		say(message.NetworkProtocol, "it does not understand the request (HTTP %d)", "check the search terms")
	case status == http.StatusUnauthorized:
		say(message.NetworkRejected, "it does not accept the sign-in (HTTP %d)", "check user and password, or identity and secret of the client")
	case status == http.StatusForbidden:
		say(message.NetworkRejected, "it does not permit this (HTTP %d)", "ask the administrator of the PACS for the right to do it")
	case status == http.StatusNotFound, status == http.StatusGone:
		say(message.NetworkAddress, "it has nothing at this address (HTTP %d)", "check the address of the DICOMweb service, and that the object is still there")
	case status == http.StatusNotAcceptable, status == http.StatusUnsupportedMediaType:
		say(message.NetworkRefused, "it does not offer the form that was asked for (HTTP %d)", "check that it speaks DICOMweb")
	case status == http.StatusRequestEntityTooLarge:
		say(message.NetworkRefused, "the request is too large for it (HTTP %d)", "raise the limit of the server, or send less at a time")
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		say(message.NetworkRejected, "it is too busy (HTTP %d)", "try again later")
	case status >= 300 && status < 400:
		say(message.NetworkAddress, "it is at another address (HTTP %d)", "ask the administrator of the PACS for the new address")
	case status >= 500:
		say(message.NetworkRefused, "it failed (HTTP %d)", "try again later; the log of the PACS may say why")
	default:
		say(message.NetworkRefused, "it refuses the request (HTTP %d)", "the log of the PACS may say why")
	}
	return e
}

// against words an answer that breaks the standard.
func (c *Client) against(status int, format string, args ...any) error {
	return &Error{
		Host: c.host, Status: status, Problem: message.New(message.NetworkProtocol, format, args...),
		Advice: message.Text("check that this is the address of a DICOMweb service"),
	}
}
