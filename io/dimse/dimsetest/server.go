// Package dimsetest is a node for tests: it accepts associations on loopback, answers C-ECHO and
// C-STORE, and makes the protocol errors that a test asks for. It shares no code with io/dimse, which it tests.
package dimsetest

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"quell/io/dimse"
)

// AETitle is the title of every server.
const AETitle = "FAKEPACS"

// Behaviour says how a server answers. The zero value stores everything.
type Behaviour struct {
	Reject [3]byte // result, source and reason, if not zero
	// Refuse returns the result of a proposed context, 0 to accept it. Without it, all are accepted but
	// those of a search, which the server does not answer.
	Refuse func(dimse.Context) byte
	// Store returns the status of an instance; nil accepts all. It may close the connection.
	Store func(uid string, conn net.Conn) dimse.Status
	// Commit takes a request of storage commitment and returns the status that is answered. report, which may be
	// called later, sends a report over the same association.
	Commit  func(r Request, report func([]byte)) dimse.Status
	Comment string      // of every answer to C-STORE
	MaxPDU  uint32      // to announce
	TLS     *tls.Config // nil for none
	// Raw takes the place of the protocol.
	Raw func(net.Conn)
}

// Server is a node that keeps what it stores.
type Server struct {
	dimse.Node
	behaviour Behaviour

	connections sync.WaitGroup
	mu          sync.Mutex
	stored      map[string][]byte // data sets by instance UID
	seen        Seen
}

// Start runs a server until the test ends.
func Start(t testing.TB, b Behaviour) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{
		Node:      dimse.Node{AETitle: AETitle, Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port},
		behaviour: b, stored: map[string][]byte{},
	}
	s.connections.Add(1)
	go func() {
		defer s.connections.Done()
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if b.TLS != nil {
				conn = tls.Server(conn, b.TLS)
			}
			s.connections.Add(1)
			go func() {
				defer s.connections.Done()
				defer conn.Close()
				if b.Raw != nil {
					b.Raw(conn)
					return
				}
				s.serve(conn)
			}()
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		s.connections.Wait()
	})
	return s
}

// Seen holds the requests that a server saw.
type Seen struct {
	Calling    []string // AE title of each association
	Released   int      // associations that ended in good order
	Aborted    int
	LongestPDU int            // of data
	Reports    []dimse.Status // that were answered to reports over the same association
}

// Seen returns what the server saw until now.
func (s *Server) Seen() Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// Stored returns the data sets by instance UID.
func (s *Server) Stored() map[string][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.stored)
}

func (s *Server) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// ReadUnit reads a protocol data unit.
func ReadUnit(r io.Reader) (kind byte, body []byte, err error) {
	head := make([]byte, 6)
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, nil, err
	}
	body = make([]byte, binary.BigEndian.Uint32(head[2:]))
	_, err = io.ReadFull(r, body)
	return head[0], body, err
}

// Unit returns a protocol data unit.
func Unit(kind byte, body ...byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind, 0}, uint32(len(body))), body...)
}

// Item returns an item of an A-ASSOCIATE unit.
func Item(kind byte, body ...byte) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{kind, 0}, uint16(len(body))), body...)
}

// items visits items; it trusts them.
func items(b []byte, visit func(kind byte, body []byte)) {
	for len(b) >= 4 {
		n := 4 + int(binary.BigEndian.Uint16(b[2:]))
		visit(b[0], b[4:n])
		b = b[n:]
	}
}

// Accept returns the answer to the body of an A-ASSOCIATE-RQ.
func Accept(request []byte, maxPDU uint32, refuse func(dimse.Context) byte) []byte {
	answer := bytes.Clone(request[:68])
	answer = append(answer, Item(0x10, []byte("1.2.840.10008.3.1.1.1")...)...)
	items(request[68:], func(kind byte, body []byte) {
		if kind != 0x20 {
			return
		}
		var c dimse.Context
		items(body[4:], func(kind byte, uid []byte) {
			switch kind {
			case 0x30:
				c.SOPClass = string(uid)
			case 0x40:
				c.Syntax = string(uid)
			}
		})
		result := byte(0)
		if refuse != nil {
			result = refuse(c)
		}
		answer = append(answer, Item(0x21, append([]byte{body[0], 0, result, 0}, Item(0x40, []byte(c.Syntax)...)...)...)...)
	})
	user := Item(0x51, binary.BigEndian.AppendUint32(nil, maxPDU)...)
	return Unit(2, append(answer, Item(0x50, user...)...)...)
}

func (s *Server) serve(conn net.Conn) {
	kind, request, err := ReadUnit(conn)
	if err != nil || kind != 1 {
		return
	}
	s.locked(func() { s.seen.Calling = append(s.seen.Calling, strings.TrimSpace(string(request[20:36]))) })
	if s.behaviour.Reject != [3]byte{} {
		r := s.behaviour.Reject
		_, _ = conn.Write(Unit(3, 0, r[0], r[1], r[2]))
		return
	}
	refuse := s.behaviour.Refuse
	if refuse == nil {
		refuse = func(c dimse.Context) byte {
			if slices.Contains(dimse.FindContexts(), c) {
				return 3 // its SOP class is not supported
			}
			return 0
		}
	}
	if _, err := conn.Write(Accept(request, s.behaviour.MaxPDU, refuse)); err != nil {
		return
	}
	var command, data []byte
	var waiting bool // for the end of a data set
	for {
		kind, body, err := ReadUnit(conn)
		if err != nil {
			return
		}
		s.locked(func() { s.seen.LongestPDU = max(s.seen.LongestPDU, len(body)) })
		switch kind {
		case 5:
			s.locked(func() { s.seen.Released++ })
			_, _ = conn.Write(Unit(6, 0, 0, 0, 0))
			return
		case 7:
			s.locked(func() { s.seen.Aborted++ })
			return
		}
		for len(body) > 0 {
			n := 4 + int(binary.BigEndian.Uint32(body))
			id, control, fragment := body[4], body[5], body[6:n]
			body = body[n:]
			if control&1 != 0 {
				command = append(command, fragment...)
			} else {
				data = append(data, fragment...)
			}
			if control&2 == 0 {
				continue
			}
			set := elements(command)
			if binary.LittleEndian.Uint16(set[0x0800]) != 0x0101 && !waiting {
				waiting = true
				continue
			}
			if !s.answer(conn, id, set, data) {
				return
			}
			command, data, waiting = nil, nil, false
		}
	}
}

// elements returns the values of a command set.
func elements(b []byte) map[uint16][]byte {
	m := map[uint16][]byte{}
	for len(b) >= 8 {
		n := 8 + int(binary.LittleEndian.Uint32(b[4:]))
		m[binary.LittleEndian.Uint16(b[2:])] = b[8:n]
		b = b[n:]
	}
	return m
}

// answer answers a command, and reports whether the connection goes on.
func (s *Server) answer(conn net.Conn, id byte, set map[uint16][]byte, data []byte) bool {
	status, uid := dimse.Status(0), strings.TrimRight(string(set[0x1000]), "\x00")
	command := binary.LittleEndian.Uint16(set[0x0100])
	if command&0x8000 != 0 { // the answer to a report
		s.locked(func() { s.seen.Reports = append(s.seen.Reports, dimse.Status(binary.LittleEndian.Uint16(set[0x0900]))) })
		return true
	}
	if command == actionCommand && s.behaviour.Commit != nil {
		report := func(b []byte) { _, _ = conn.Write(reportUnits(id, b)) } // the association may be over
		status = s.behaviour.Commit(requestOf(data), report)
		uid = commitmentInstance
	}
	if command == 1 {
		if s.behaviour.Store != nil {
			status = s.behaviour.Store(uid, conn)
		}
		if status.Stored() {
			s.locked(func() { s.stored[uid] = data })
		}
	}
	_, err := conn.Write(Response(id, command|0x8000, binary.LittleEndian.Uint16(set[0x0110]), uint16(status), uid, s.behaviour.Comment))
	return err == nil
}

// Response returns the answer to a command.
func Response(id byte, command, message, status uint16, uid, comment string) []byte {
	var set []byte
	element := func(e uint16, v []byte) {
		set = binary.LittleEndian.AppendUint16(append(set, 0, 0), e)
		set = append(binary.LittleEndian.AppendUint32(set, uint32(len(v))), v...)
	}
	number := func(e, v uint16) { element(e, binary.LittleEndian.AppendUint16(nil, v)) }
	number(0x0100, command)
	number(0x0120, message)
	number(0x0800, 0x0101)
	number(0x0900, status)
	if comment != "" {
		element(0x0902, []byte(comment))
	}
	if uid != "" {
		element(0x1000, []byte(uid+strings.Repeat("\x00", len(uid)%2)))
	}
	value := append(binary.BigEndian.AppendUint32(nil, uint32(len(set)+2)), id, 3)
	return Unit(4, append(value, set...)...)
}
