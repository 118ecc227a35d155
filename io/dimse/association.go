package dimse

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"

	"quell/internal/message"
)

// Context is a kind of object and how it is encoded: a presentation context proposes the pair.
type Context struct {
	SOPClass string
	Syntax   string // UID of the transfer syntax
}

// Verification is the context of C-ECHO.
var Verification = Context{SOPClass: verificationSOPClass, Syntax: "1.2.840.10008.1.2"}

// MaxContexts is how many contexts an association can have: their IDs are the odd bytes.
const MaxContexts = 128

// Implementation identifies the software of this side.
type Implementation struct {
	ClassUID string
	Version  string // 1 to 16 characters
}

// Config holds what an association needs besides the node.
type Config struct {
	Calling        string      // AE title of this side
	TLS            *tls.Config // nil for none
	Implementation Implementation
	// Timeout bounds every wait for the other side: to connect, for an answer, and for room to
	// send. 0 is DefaultTimeout.
	Timeout time.Duration
}

// DefaultTimeout is longer than an archive takes to answer while it writes to tape or is busy.
const DefaultTimeout = 30 * time.Second

// Association is a connection over which contexts were agreed. After an error of Echo or Store
// it must be aborted.
type Association struct {
	conn     net.Conn
	node     Node
	timeout  time.Duration
	contexts []Context
	answer   answer
	message  uint16 // ID of the last command
	in       []byte // of the PDU that is read
	out      []byte // of the PDU that is written
}

// Dial connects to a node and negotiates the contexts. Some may be refused: see Accepts.
func Dial(ctx context.Context, n Node, c Config, contexts []Context) (*Association, error) {
	if len(contexts) == 0 || len(contexts) > MaxContexts {
		return nil, fmt.Errorf("dimse: %d presentation contexts; an association has 1 to %d", len(contexts), MaxContexts)
	}
	if err := CheckAETitle(c.Calling); err != nil {
		return nil, err
	}
	if err := CheckAETitle(n.AETitle); err != nil {
		return nil, err
	}
	timeout := c.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	a := &Association{node: n, timeout: timeout, contexts: contexts}
	conn, err := connect(ctx, n, c.TLS, timeout)
	if err != nil {
		return nil, failure(ctx, n, timeout, adviseDICOMPort, err)
	}
	a.conn = conn
	if err := a.watched(ctx, func() error { return a.negotiate(c) }); err != nil {
		a.conn.Close()
		return nil, err
	}
	return a, nil
}

func connect(ctx context.Context, n Node, config *tls.Config, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", n.address())
	if err != nil || config == nil {
		return conn, err
	}
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName = n.Host
	}
	secure := tls.Client(conn, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secure, nil
}

// watched does a step of the protocol, which ends when the context does, and words its error.
func (a *Association) watched(ctx context.Context, step func() error) error {
	stop := context.AfterFunc(ctx, func() { a.conn.Close() }) // wakes reads and writes
	defer stop()
	if err := step(); err != nil {
		closed := adviseLog
		if a.answer.results == nil {
			closed = adviseDICOMPort
		}
		return failure(ctx, a.node, a.timeout, closed, err)
	}
	return ctx.Err()
}

// patience starts the wait for the other side anew.
func (a *Association) patience() error { return a.conn.SetDeadline(time.Now().Add(a.timeout)) }

func (a *Association) write(b []byte) error {
	if err := a.patience(); err != nil {
		return err
	}
	_, err := a.conn.Write(b)
	return err
}

// read reads a PDU of the wanted kind. An abort is an error of its own.
func (a *Association) read(want ...byte) (pdu, error) {
	if err := a.patience(); err != nil {
		return pdu{}, err
	}
	p, err := readPDU(a.conn, a.in)
	if err != nil {
		return p, err
	}
	a.in = p.body
	if p.kind == pduAbort {
		return p, aborted(a.node, p.body)
	}
	for _, k := range want {
		if p.kind == k {
			return p, nil
		}
	}
	return p, protocolErrorf("a unit of type %d out of turn", p.kind)
}

func (a *Association) negotiate(c Config) error {
	request := associateRequest(a.node.AETitle, c.Calling, a.contexts, c.Implementation)
	if err := a.write(appendPDU(nil, pduAssociateRQ, request)); err != nil {
		return err
	}
	p, err := a.read(pduAssociateAC, pduAssociateRJ)
	if err != nil {
		return err
	}
	if p.kind == pduAssociateRJ {
		return rejection(a.node, c.Calling, p.body)
	}
	a.answer, err = parseAccept(p.body)
	return err
}

// Accepts returns nil if the node accepted a context, or else why not.
func (a *Association) Accepts(c Context) error {
	_, err := a.accepted(c)
	return err
}

// accepted returns the ID of an accepted context.
func (a *Association) accepted(c Context) (byte, error) {
	for i, have := range a.contexts {
		if have != c {
			continue
		}
		id := contextID(i)
		result, answered := a.answer.results[id]
		switch {
		case !answered:
			return 0, &Error{Node: a.node, Problem: message.New(message.NetworkProtocol, "it did not answer for this kind of object")}
		case result != 0:
			return 0, &Error{Node: a.node, Problem: describeContext(result)}
		case a.answer.syntax[id] != c.Syntax:
			return 0, &Error{Node: a.node, Problem: message.New(message.NetworkProtocol, "it chose a transfer syntax that was not proposed")}
		}
		return id, nil
	}
	return 0, fmt.Errorf("dimse: the context %v was not proposed", c)
}

// Release ends the association in good order: the node has all that it confirmed. The connection
// is closed whatever it returns.
func (a *Association) Release(ctx context.Context) error {
	defer a.conn.Close()
	return a.watched(ctx, func() error {
		if err := a.write(appendPDU(nil, pduReleaseRQ, make([]byte, 4))); err != nil {
			return err
		}
		_, err := a.read(pduReleaseRP)
		return err
	})
}

// Abort ends the association at once.
func (a *Association) Abort() {
	// The node may be gone, so that nothing waits for it.
	if err := a.conn.SetDeadline(time.Now().Add(time.Second)); err == nil {
		_, _ = a.conn.Write(appendPDU(nil, pduAbort, make([]byte, 4)))
	}
	a.conn.Close()
}
