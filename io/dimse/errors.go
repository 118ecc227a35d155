package dimse

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// Error is a failure of the network or of the node. Its text is one sentence: "NODE: problem;
// advice".
type Error struct {
	Node    Node
	Problem string
	Advice  string
	Err     error // the cause, or nil
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%v: %s", e.Node, e.Problem)
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// protocolError is what a node sent against the protocol.
type protocolError struct{ text string }

func (e *protocolError) Error() string { return e.text }

func protocolErrorf(format string, args ...any) error {
	return &protocolError{fmt.Sprintf(format, args...)}
}

// Advice if the connection closes: before the association was agreed, and after.
const (
	adviseDICOMPort = "check that this is a DICOM port, with or without TLS as the PACS has it"
	adviseLog       = "the log of the PACS may say why"
)

// failure words an error of a connection to a node. A context that has ended is the cause
// whatever the connection says.
func failure(ctx context.Context, n Node, timeout time.Duration, closed string, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	var known *Error
	var protocol *protocolError
	var dns *net.DNSError
	var authority x509.UnknownAuthorityError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	problem := func(advice, format string, args ...any) error {
		return &Error{Node: n, Problem: fmt.Sprintf(format, args...), Advice: advice, Err: err}
	}
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &protocol):
		return problem(closed, "it sent %s", protocol.text)
	case errors.As(err, &dns):
		return problem("check its name", "there is no host %s", n.Host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return problem("check the host and the port, and that the PACS runs", "nothing listens there")
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return problem("check the address and the network", "the host cannot be reached")
	case errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return problem("check the host, the port and the firewall", "no answer within %v", timeout)
	case errors.As(err, &authority):
		return problem("give the certificate of its authority", "its certificate is signed by an unknown authority")
	case errors.As(err, &certificate):
		return problem("check the host name and the certificate", "its certificate is refused (%v)", certificate.Err)
	case errors.As(err, &record):
		return problem("send without TLS, or to its TLS port", "it does not speak TLS on this port")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return problem(closed, "it closed the connection")
	}
	return problem("", "the connection failed (%v)", err)
}

func isTimeout(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// rejection words A-ASSOCIATE-RJ (PS3.8 section 9.3.4).
func rejection(n Node, calling string, body []byte) error {
	result, source, reason := body[1], body[2], body[3]
	e := &Error{Node: n, Problem: fmt.Sprintf("the association was rejected (result %d, source %d, reason %d)", result, source, reason)}
	switch {
	case source == 1 && reason == 7:
		e.Problem = fmt.Sprintf("the called AE title %s is not known there", n.AETitle)
		e.Advice = "check the AE title of the PACS"
	case source == 1 && reason == 3:
		e.Problem = fmt.Sprintf("the calling AE title %s is not known there", calling)
		e.Advice = "ask the administrator of the PACS to add it, or send from one that is known"
	case source == 1 && reason == 2:
		e.Problem = "the application context is not supported there"
	case source == 3:
		e.Problem, e.Advice = "it is too busy for another association", "try again later"
	}
	if result == 2 && e.Advice == "" {
		e.Advice = "try again later"
	}
	return e
}

// aborted words A-ABORT.
func aborted(n Node, body []byte) error {
	who := "the application there"
	if body[2] == 2 {
		who = "the network service there"
	}
	return &Error{Node: n, Problem: fmt.Sprintf("%s aborted the association (reason %d)", who, body[3])}
}
