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

// Status is the status of an answer (PS3.7 annex C, PS3.4 section B.2.3).
type Status uint16

// Stored reports whether the node keeps the instance: success, or a warning such as elements
// that it changed or left out.
func (s Status) Stored() bool {
	return s == 0 || s == 0x0001 || s == 0x0107 || s == 0x0116 || s>>12 == 0xB
}

// AsMessage says what the status means, with its code.
func (s Status) AsMessage() message.Message {
	text := message.Text("failed")
	switch {
	case s == 0:
		return message.Text("stored")
	case s == 0xB000:
		text = message.Text("stored, with elements changed")
	case s == 0xB006:
		text = message.Text("stored, without some elements")
	case s == 0xB007:
		text = message.Text("stored, though it does not fit its SOP class")
	case s.Stored():
		text = message.Text("stored, with a warning")
	case s>>8 == 0xA7:
		text = message.Text("out of resources; try again later")
	case s>>8 == 0xA9:
		text = message.Text("the object does not fit its SOP class")
	case s>>12 == 0xC:
		text = message.Text("the object cannot be understood")
	case s == 0x0122:
		text = message.Text("the SOP class is not supported")
	case s == 0x0124:
		text = message.Text("not authorized")
	case s == 0x0110:
		text = message.Text("processing failed")
	case s == 0x0111:
		text = message.Text("an instance with this UID is there already")
	case s == 0x0117:
		text = message.Text("the instance UID is invalid")
	case s == 0x0210, s == 0x0211, s == 0x0212:
		text = message.Text("the request was not understood")
	case s == 0xFE00:
		text = message.Text("cancelled by the node")
	}
	return message.Text("%s (status %04X)", text, uint16(s))
}

// String returns the message in English.
func (s Status) String() string { return s.AsMessage().String() }

// Statuses that a Handler answers besides 0, which is success.
const (
	OutOfResources   Status = 0xA700 // it cannot be stored now
	NotUnderstood    Status = 0xC000
	ProcessingFailed Status = 0x0110

	wrongUID         Status = 0x0117
	wrongClass       Status = 0xA900
	unknownOperation Status = 0x0211
)

// pending reports whether another answer follows.
func (s Status) pending() bool { return s == 0xFF00 || s == 0xFF01 }

// someFailed reports whether C-GET or C-MOVE ended with instances that were not sent.
func (s Status) someFailed() bool { return s == 0xB000 }

// busy reports a lack that may pass.
func (s Status) busy() bool { return s>>8 == 0xA7 }

// refusal says why a query failed (PS3.4 annex C.4).
func (s Status) refusal() message.Message {
	switch {
	case s == 0xA701, s == 0xA702:
		return message.Text("out of resources (status %04X)", uint16(s))
	case s>>8 == 0xA9:
		return message.Text("the query does not fit what it supports (status %04X)", uint16(s))
	case s>>12 == 0xC:
		return message.Text("the query cannot be processed (status %04X)", uint16(s))
	}
	return s.AsMessage()
}
