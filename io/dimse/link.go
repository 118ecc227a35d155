package dimse

import (
	"io"
	"net"
	"sync"
	"time"
)

// link carries units, and the values in them, over a connection, for both sides of an association. One
// goroutine at a time reads; units are written whole, by any goroutine.
type link struct {
	conn    net.Conn
	peer    Node
	timeout time.Duration
	most    uint32 // bytes of a unit that is read
	sent    uint32 // bytes of a P-DATA unit that the peer takes; 0 for any
	in      []byte
	values  []value // of the unit that was read last
	rest    []value // not returned yet
	// releasable makes a request to release the association errReleased.
	releasable bool

	sending sync.Mutex
	out     []byte

	deadline sync.Mutex
	end      time.Time // of all waits, if it is not zero
}

// patience starts the wait for the other side anew.
func (l *link) patience() error {
	l.deadline.Lock()
	defer l.deadline.Unlock()
	if !l.end.IsZero() {
		return l.conn.SetDeadline(l.end)
	}
	return l.conn.SetDeadline(time.Now().Add(l.timeout))
}

// endIn bounds all waits together from now on, also the present one. 0 takes the bound away.
func (l *link) endIn(d time.Duration) {
	l.deadline.Lock()
	defer l.deadline.Unlock()
	if l.end = (time.Time{}); d > 0 {
		l.end = time.Now().Add(d)
		_ = l.conn.SetDeadline(l.end) // fails if the connection is closed, which ends waits too
	}
}

func (l *link) write(b []byte) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	return l.writeLocked(b)
}

func (l *link) writeLocked(b []byte) error {
	if err := l.patience(); err != nil {
		return err
	}
	_, err := l.conn.Write(b)
	return err
}

// read reads a unit of a wanted kind. An abort is an error of its own.
func (l *link) read(want ...byte) (pdu, error) {
	if err := l.patience(); err != nil {
		return pdu{}, err
	}
	p, err := readPDU(l.conn, l.in, l.most)
	if err != nil {
		return p, err
	}
	l.in = p.body
	if p.kind == pduAbort {
		return p, aborted(l.peer, p.body)
	}
	for _, k := range want {
		if p.kind == k {
			return p, nil
		}
	}
	return p, protocolErrorf("a unit of type %d out of turn", p.kind)
}

// value returns the next value. It is valid until the call after it.
func (l *link) value() (value, error) {
	if len(l.rest) == 0 {
		if err := l.fillValues(); err != nil {
			return value{}, err
		}
	}
	v := l.rest[0]
	l.rest = l.rest[1:]
	return v, nil
}

// fillValues reads a unit of data.
func (l *link) fillValues() error {
	want := []byte{pduData}
	if l.releasable {
		want = append(want, pduReleaseRQ)
	}
	p, err := l.read(want...)
	if err != nil {
		return err
	}
	if p.kind == pduReleaseRQ {
		return errReleased
	}
	l.values, err = parseValues(l.values[:0], p.body)
	l.rest = l.values
	return err
}

// command reads a command set and returns the ID of its context.
func (l *link) command() (byte, command, error) {
	var set []byte
	var id byte
	for total := 0; ; { // bytes with headers, so that empty fragments have an end
		v, err := l.value()
		if err != nil {
			return 0, command{}, err
		}
		if !v.command || total > 0 && v.context != id {
			return 0, command{}, protocolErrorf("data that was not asked for")
		}
		id = v.context
		if total += pdvHeader + len(v.data); total > maxCommand {
			return 0, command{}, protocolErrorf("an answer of more than %d bytes", maxCommand)
		}
		set = append(set, v.data...)
		if v.last {
			c, err := parseCommand(set)
			return id, c, err
		}
	}
}

// fragment returns the most data of one unit.
func (l *link) fragment() int {
	most := uint32(maxSent)
	if l.sent != 0 {
		most = min(most, l.sent)
	}
	return int(most) - pdvHeader
}

// send writes a command or a data set in as many units as it takes.
func (l *link) send(id byte, command bool, b []byte) error {
	for {
		n := min(len(b), l.fragment())
		l.sending.Lock()
		l.out = append(appendValueHeader(l.out[:0], id, command, n == len(b), n), b[:n]...)
		err := l.writeLocked(l.out)
		l.sending.Unlock()
		if err != nil {
			return err
		}
		if b = b[n:]; len(b) == 0 {
			return nil
		}
	}
}

// maxEmpty bounds fragments without data, one after another.
const maxEmpty = 1000

// dataset reads the data set that follows a command. It ends with io.EOF; every other end is an error.
type dataset struct {
	l     *link
	id    byte
	left  int64 // bytes that may still come
	data  []byte
	last  bool
	err   error
	empty int
}

// fill waits for data, or returns io.EOF.
func (d *dataset) fill() error {
	for len(d.data) == 0 && d.err == nil {
		if d.last {
			d.err = io.EOF
			break
		}
		v, err := d.l.value()
		switch {
		case err == io.EOF: //nolint:errorlint // the connection ended between two units, and the data set did not
			d.err = io.ErrUnexpectedEOF
		case err != nil:
			d.err = err
		case v.command || v.context != d.id:
			d.err = protocolErrorf("data that was not asked for")
		case int64(len(v.data)) > d.left:
			d.err = errTooLarge
		}
		if d.empty++; len(v.data) > 0 {
			d.empty = 0
		}
		if d.err == nil && d.empty > maxEmpty {
			d.err = protocolErrorf("more than %d fragments without data", maxEmpty)
		}
		if d.err == nil {
			d.data, d.last, d.left = v.data, v.last, d.left-int64(len(v.data))
		}
	}
	if len(d.data) > 0 {
		return nil
	}
	return d.err
}

// Read implements io.Reader.
func (d *dataset) Read(p []byte) (int, error) {
	if err := d.fill(); err != nil {
		return 0, err
	}
	n := copy(p, d.data)
	d.data = d.data[n:]
	return n, nil
}

// WriteTo implements io.WriterTo without a copy.
func (d *dataset) WriteTo(w io.Writer) (total int64, err error) {
	for {
		if err := d.fill(); err != nil {
			if err == io.EOF { //nolint:errorlint // only the end itself is one
				return total, nil
			}
			return total, err
		}
		n, err := w.Write(d.data)
		total += int64(n)
		if d.data = d.data[n:]; err != nil {
			return total, err
		}
	}
}

// failed returns what ended the data set too early, nil if nothing did.
func (d *dataset) failed() error {
	if d.err == io.EOF { //nolint:errorlint // only the end itself is one
		return nil
	}
	return d.err
}
