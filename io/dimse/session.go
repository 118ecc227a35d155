package dimse

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"quell/internal/message"
)

// session is an association of a Receiver.
type session struct {
	link
	r        *Receiver
	peer     Peer
	accepted map[byte]Context
}

// errReleased is the good end of an association.
var errReleased = errors.New("released")

// errRejected is an association that was not accepted.
type errRejected struct{ why string }

func (e *errRejected) Error() string { return "rejected: " + e.why }

// Rejected reports whether an error that Receiver.Ended receives is that the association was not let in.
func Rejected(err error) bool {
	var e *errRejected
	return errors.As(err, &e)
}

// run does an association from its first byte. full rejects it.
func (s *session) run(ctx context.Context, full bool) error {
	s.endIn(s.timeout) // for the negotiation in all
	if s.r.TLS != nil {
		secure := tls.Server(s.conn, s.r.TLS)
		if err := secure.HandshakeContext(ctx); errors.As(err, new(net.Error)) || errors.Is(err, io.EOF) {
			return err // it was closed, or nothing came
		} else if err != nil {
			return &errRejected{err.Error()}
		}
		state := secure.ConnectionState()
		s.conn, s.peer.TLS = secure, &state
	}
	err := s.negotiate(full)
	for err == nil {
		err = s.next(ctx)
	}
	var protocol *protocolError
	switch {
	case errors.Is(err, errReleased):
		return s.write(appendPDU(nil, pduReleaseRP, make([]byte, 4)))
	case errors.As(err, &protocol):
		// By the provider of the service, for an unexpected parameter (PS3.8 section 9.3.8).
		_ = s.write(appendPDU(nil, pduAbort, []byte{0, 0, 2, 6})) // the connection ends either way
		s.drain()
	case errors.Is(err, errTooLarge):
		_ = s.write(appendPDU(nil, pduAbort, make([]byte, 4)))
		s.drain()
	}
	return err
}

// drain reads a little of what the other side still sends: a connection that is closed with bytes unread
// loses what was written last.
func (s *session) drain() {
	s.endIn(min(s.timeout, time.Second))
	_, _ = io.CopyN(io.Discard, s.conn, longestReceived)
}

func (s *session) reject(code [3]byte, why string) error {
	if err := s.write(appendPDU(nil, pduAssociateRJ, []byte{0, code[0], code[1], code[2]})); err != nil {
		return err
	}
	return &errRejected{why}
}

// negotiate answers A-ASSOCIATE-RQ.
func (s *session) negotiate(full bool) error {
	p, err := s.read(pduAssociateRQ)
	if err != nil {
		return err
	}
	q, err := parseRequest(p.body)
	if err != nil {
		return err
	}
	s.peer.Calling, s.peer.Called = q.calling, q.called
	switch {
	case full:
		return s.reject(rejectBusy, "too many associations")
	case q.application != applicationContext:
		return s.reject(rejectApplication, "another application context")
	case s.r.AETitle != "" && q.called != s.r.AETitle:
		return s.reject(rejectCalled, "another called AE title")
	case CheckAETitle(q.calling) != nil, s.r.Callers != nil && !slices.Contains(s.r.Callers, q.calling):
		return s.reject(rejectCalling, "the calling AE title is not known")
	}
	if err := s.r.Handler.Accept(s.peer); err != nil {
		return s.reject(rejectUnspecified, err.Error())
	}
	takes := s.r.takes
	s.accepted = map[byte]Context{}
	syntax, results := map[byte]string{}, map[byte]byte{}
	for _, c := range q.contexts {
		chosen, result := c.choose(takes)
		if results[c.id] = result; result == 0 {
			syntax[c.id], s.accepted[c.id] = chosen, Context{c.class, chosen}
		}
	}
	s.sent, q.reports = q.maxPDU, q.reports && s.r.Committed != nil
	return s.write(appendPDU(nil, pduAssociateAC, associateAccept(p.body, q, syntax, results, s.most, s.r.Implementation)))
}

// next waits for a command and answers it.
func (s *session) next(ctx context.Context) error {
	s.endIn(cmp.Or(s.r.Idle, time.Minute))
	if !s.r.wait(s, true) {
		return context.Canceled
	}
	err := s.begin()
	if !s.r.wait(s, false) && err != nil {
		return context.Canceled
	}
	if err != nil {
		return err
	}
	s.endIn(cmp.Or(s.r.Longest, 10*time.Minute))
	id, c, err := s.command()
	if err != nil {
		return err
	}
	in, ok := s.accepted[id]
	if !ok {
		return protocolErrorf("a request over a context that was not agreed")
	}
	switch {
	case c.field&commandResponse != 0:
		return protocolErrorf("an answer that was not asked for")
	case c.field == commandCancel:
		return nil // what it would end has ended
	case c.field == commandEcho && !c.hasDataset && in.SOPClass == verificationSOPClass:
		return s.send(id, true, answerTo(c, 0))
	case isReport(c, in):
		report, err := s.report(id, in)
		if err != nil {
			return err
		}
		return s.send(id, true, answerTo(c, s.r.Committed(ctx, s.peer, report)))
	case c.field == commandStore && c.hasDataset && in.SOPClass != verificationSOPClass && in.SOPClass != commitmentClass:
		return s.store(ctx, id, c, in)
	}
	if c.hasDataset {
		if err := s.skip(&dataset{l: &s.link, id: id, left: s.mostBytes()}); err != nil {
			return err
		}
	}
	return s.send(id, true, answerTo(c, unknownOperation))
}

// begin waits for the first value of a command.
func (s *session) begin() error {
	if len(s.rest) > 0 {
		return nil
	}
	s.releasable = true
	defer func() { s.releasable = false }()
	return s.fillValues()
}

func (s *session) mostBytes() int64 { return cmp.Or(s.r.MaxInstance, 4<<30) }

// store hands an instance over and answers.
func (s *session) store(ctx context.Context, id byte, c command, in Context) error {
	arrival := s.arrival(id, c, in, s.mostBytes())
	status := Status(0)
	switch {
	case checkArrival(c, in) == nil:
		status = s.r.Handler.Store(ctx, s.peer, arrival)
	case c.class != in.SOPClass:
		status = wrongClass
	default:
		status = wrongUID
	}
	if err := s.skip(&arrival.data); err != nil {
		return err
	}
	return s.send(id, true, answerTo(c, status))
}

// skip reads a data set to its end.
func (s *session) skip(d *dataset) error {
	_, err := io.Copy(io.Discard, d)
	return err
}

// AsMessage words why an association was not accepted.
func (e *errRejected) AsMessage() message.Message {
	return message.New(message.NetworkRejected, "rejected: %s", message.Word(e.why))
}
