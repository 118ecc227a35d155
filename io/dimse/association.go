package dimse

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"strings"
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

	dial func(ctx context.Context, network, address string) (net.Conn, error) // of tests
}

// DefaultTimeout is longer than an archive takes to answer while it writes to tape or is busy.
const DefaultTimeout = 30 * time.Second

// Association is a connection over which contexts were agreed. After an error of Echo or Store
// it must be aborted.
type Association struct {
	link
	contexts []Context
	answer   answer
	message  uint16 // ID of the last command
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
	a := &Association{link: link{peer: n, timeout: timeout, most: maxPDU}, contexts: contexts}
	conn, err := connect(ctx, n, c, timeout)
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

func connect(ctx context.Context, n Node, c Config, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	dial, config := c.dial, c.TLS
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(ctx, "tcp", n.address())
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
		return failure(ctx, a.peer, a.timeout, closed, err)
	}
	return ctx.Err()
}

func (a *Association) negotiate(c Config) error {
	request := associateRequest(a.peer.AETitle, c.Calling, a.contexts, c.Implementation)
	if err := a.write(appendPDU(nil, pduAssociateRQ, request)); err != nil {
		return err
	}
	p, err := a.read(pduAssociateAC, pduAssociateRJ)
	if err != nil {
		return err
	}
	if p.kind == pduAssociateRJ {
		return rejection(a.peer, c.Calling, p.body)
	}
	a.answer, err = parseAccept(p.body)
	a.sent = a.answer.maxPDU
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
			return 0, &Error{Node: a.peer, Problem: message.New(message.NetworkProtocol, "it did not answer for this kind of object")}
		case result != 0:
			return 0, &Error{Node: a.peer, Problem: describeContext(result)}
		case a.answer.syntax[id] != c.Syntax:
			return 0, &Error{Node: a.peer, Problem: message.New(message.NetworkProtocol, "it chose a transfer syntax that was not proposed")}
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

// Node is a DICOM application and its address.
type Node struct {
	AETitle string
	Host    string
	Port    int
}

// String returns the form that ParseNode reads.
func (n Node) String() string { return n.AETitle + "@" + n.address() }

func (n Node) address() string { return net.JoinHostPort(n.Host, strconv.Itoa(n.Port)) }

// ParseNode reads AETITLE@HOST:PORT. An IPv6 address is in brackets.
func ParseNode(s string) (Node, error) {
	title, address, found := strings.Cut(s, "@")
	if !found {
		return Node{}, message.Errorf(message.NetworkAddress, "%q is no DICOM node; give AETITLE@HOST:PORT", s)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" {
		return Node{}, message.Errorf(message.NetworkAddress, "%q has no host and port; give AETITLE@HOST:PORT", s)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 {
		return Node{}, message.Errorf(message.NetworkAddress, "the port of %q is not a number from 1 to 65535", s)
	}
	if err := CheckAETitle(title); err != nil {
		return Node{}, err
	}
	return Node{AETitle: title, Host: host, Port: n}, nil
}

// maxAETitle is the length of VR AE.
const maxAETitle = 16

// CheckAETitle refuses what VR AE cannot hold (PS3.5 section 6.2), and spaces at the ends, which
// have no meaning there.
func CheckAETitle(title string) error {
	if title == "" {
		return message.Errorf(message.NetworkAddress, "the AE title is empty; the administrator of the PACS knows it")
	}
	if len(title) > maxAETitle {
		return message.Errorf(message.NetworkAddress, "the AE title %q is longer than %d characters", title, maxAETitle)
	}
	if strings.TrimSpace(title) != title {
		return message.Errorf(message.NetworkAddress, "the AE title %q begins or ends with a space", title)
	}
	for _, r := range title {
		if r < ' ' || r > '~' || r == '\\' {
			return message.Errorf(message.NetworkAddress, "the AE title %q has a character other than printable ASCII, or a backslash", title)
		}
	}
	return nil
}
