package dimse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"quell/internal/connection"
	"quell/internal/message"
)

// Error is a failure of the network or of the node. Its text is one sentence: "NODE: problem;
// advice".
type Error struct {
	Node    Node
	Problem message.Message
	Advice  message.Message
	Err     error // the cause, or nil
}

// AsMessage returns the sentence.
func (e *Error) AsMessage() message.Message {
	return message.About(e.Node.String(), e.Problem, e.Advice)
}

func (e *Error) Error() string { return e.AsMessage().String() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// protocolError is a violation of the protocol by a node.
type protocolError struct{ text string }

func (e *protocolError) Error() string { return e.text }

func protocolErrorf(format string, args ...any) error {
	return &protocolError{fmt.Sprintf(format, args...)}
}

// errTooLarge ends what holds more than was allowed.
var errTooLarge = errors.New("more than is read")

// Advice if the connection closes: before the association was agreed, and after.
var (
	adviseDICOMPort = message.Text("check that this is a DICOM port, with or without TLS as the PACS has it")
	adviseLog       = message.Text("the log of the PACS may say why")
)

// failure words an error of a connection to a node. A context that has ended is the cause
// whatever the connection says.
func failure(ctx context.Context, n Node, timeout time.Duration, closed message.Message, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	var known *Error
	var protocol *protocolError
	problem := func(kind message.Kind, advice message.Message, format string, args ...any) error {
		return &Error{Node: n, Problem: message.New(kind, format, args...), Advice: advice, Err: err}
	}
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &protocol):
		return problem(message.NetworkProtocol, closed, "it sent %s", protocol.text)
	case connection.Late(err):
		return problem(message.NetworkUnreachable, message.Text("check the host, the port and the firewall"), "no answer within %v", timeout)
	}
	if why, advice, ok := connection.Describe(err, message.Text("send without TLS, or to its TLS port")); ok {
		return &Error{Node: n, Problem: why, Advice: advice, Err: err}
	}
	if connection.Broken(err) {
		return problem(message.NetworkProtocol, closed, "it closed the connection")
	}
	return problem(message.NetworkUnreachable, message.Message{}, "the connection failed (%v)", err)
}

// rejection words A-ASSOCIATE-RJ (PS3.8 section 9.3.4).
func rejection(n Node, calling string, body []byte) error {
	result, source, reason := body[1], body[2], body[3]
	e := &Error{Node: n, Problem: message.New(message.NetworkRejected, "the association was rejected (result %d, source %d, reason %d)", result, source, reason)}
	switch {
	case source == 1 && reason == 7:
		e.Problem = message.New(message.NetworkAddress, "the called AE title %s is not known there", n.AETitle)
		e.Advice = message.Text("check the AE title of the PACS")
	case source == 1 && reason == 3:
		e.Problem = message.New(message.NetworkAddress, "the calling AE title %s is not known there", calling)
		e.Advice = message.Text("ask the administrator of the PACS to add it, or send from one that is known")
	case source == 1 && reason == 2:
		e.Problem = message.New(message.NetworkRejected, "the application context is not supported there")
	case source == 3:
		e.Problem, e.Advice = message.New(message.NetworkRejected, "it is too busy for another association"), message.Text("try again later")
	}
	if result == 2 && e.Advice.IsZero() {
		e.Advice = message.Text("try again later")
	}
	return e
}

// aborted words A-ABORT.
func aborted(n Node, body []byte) error {
	who := message.Text("the application there")
	if body[2] == 2 {
		who = message.Text("the network service there")
	}
	return &Error{Node: n, Problem: message.New(message.NetworkRejected, "%s aborted the association (reason %d)", who, body[3])}
}
