package dimse

import (
	"context"
	"fmt"
	"io"

	"quell/internal/message"
)

// Instance is an object to be stored.
type Instance struct {
	Context
	UID  string    // SOP instance UID
	Data io.Reader // the data set in Syntax, without a meta header
	Size int64     // bytes of Data
}

// Answer is what the node says of an instance.
type Answer struct {
	Status  Status
	Comment string // of the node; "" for none
}

// AsMessage returns the status in words, with the node's comment.
func (a Answer) AsMessage() message.Message {
	if a.Comment == "" {
		return a.Status.AsMessage()
	}
	return message.Text("%v: %q", a.Status, a.Comment)
}

// String returns the message in English.
func (a Answer) String() string { return a.AsMessage().String() }

// Echo asks the node whether it is there (C-ECHO). Verification must be among the contexts.
func (a *Association) Echo(ctx context.Context) error {
	id, err := a.accepted(Verification)
	if err != nil {
		return err
	}
	a.message++
	return a.watched(ctx, func() error {
		if err := a.send(id, true, echoRequest(a.message)); err != nil {
			return err
		}
		r, err := a.respond(id, commandEcho)
		if err == nil && r.status != 0 {
			err = &Error{Node: a.node, Problem: message.New(message.NetworkRefused, "the echo was answered with status %04X", uint16(r.status))}
		}
		return err
	})
}

// Store sends an instance (C-STORE) and returns what the node says. An error means that the
// node's answer is unknown, or that its context was refused, see Accepts.
func (a *Association) Store(ctx context.Context, i Instance) (Answer, error) {
	id, err := a.accepted(i.Context)
	if err != nil {
		return Answer{}, err
	}
	if len(i.UID) == 0 || len(i.UID) > maxUID || len(i.SOPClass) > maxUID {
		return Answer{}, fmt.Errorf("dimse: an instance UID of %d characters", len(i.UID))
	}
	a.message++
	var answer Answer
	err = a.watched(ctx, func() error {
		if err := a.send(id, true, storeRequest(a.message, i)); err != nil {
			return err
		}
		if err := a.stream(id, i.Data, i.Size); err != nil {
			return err
		}
		r, err := a.respond(id, commandStore)
		if err == nil && r.instance != "" && r.instance != i.UID {
			err = protocolErrorf("an answer for another instance")
		}
		answer = Answer{r.status, r.comment}
		return err
	})
	return answer, err
}

// fragment returns the most data of one PDU.
func (a *Association) fragment() int {
	most := uint32(maxSent)
	if a.answer.maxPDU != 0 {
		most = min(most, a.answer.maxPDU)
	}
	return int(most) - pdvHeader
}

// send writes a command in as many PDUs as it takes.
func (a *Association) send(id byte, command bool, b []byte) error {
	for {
		n := min(len(b), a.fragment())
		a.out = append(appendValueHeader(a.out[:0], id, command, n == len(b), n), b[:n]...)
		if err := a.write(a.out); err != nil {
			return err
		}
		if b = b[n:]; len(b) == 0 {
			return nil
		}
	}
}

// stream writes size bytes of a data set. Header and data of a PDU are one write: two would
// wait for a delayed acknowledgement.
func (a *Association) stream(id byte, r io.Reader, size int64) error {
	for {
		n := int(min(size, int64(a.fragment())))
		a.out = appendValueHeader(a.out[:0], id, false, int64(n) == size, n)
		head := len(a.out)
		if cap(a.out) < head+n {
			a.out = append(make([]byte, 0, head+n), a.out...)
		}
		a.out = a.out[:head+n]
		if _, err := io.ReadFull(r, a.out[head:]); err != nil {
			return &Error{Node: a.node, Problem: message.New(message.InputUnreadable, "a file could not be read while it was sent (%v)", err), Advice: message.Text("check the disk"), Err: err}
		}
		if err := a.write(a.out); err != nil {
			return err
		}
		if size -= int64(n); size == 0 {
			return nil
		}
	}
}

// respond reads the answer to the last command.
func (a *Association) respond(id byte, command uint16) (response, error) {
	var set []byte
	for total := 0; ; { // bytes with headers, so that empty fragments have an end
		p, err := a.read(pduData)
		if err != nil {
			return response{}, err
		}
		values, err := parseValues(p.body)
		if err != nil {
			return response{}, err
		}
		for i, v := range values {
			if v.context != id || !v.command {
				return response{}, protocolErrorf("data that was not asked for")
			}
			if total += pdvHeader + len(v.data); total > maxCommand {
				return response{}, protocolErrorf("an answer of more than %d bytes", maxCommand)
			}
			set = append(set, v.data...)
			if !v.last {
				continue
			}
			if i != len(values)-1 {
				return response{}, protocolErrorf("more than one answer")
			}
			r, err := parseResponse(set)
			if err == nil && (r.command != command|commandResponse || r.respondedTo != a.message || r.hasDataset) {
				err = protocolErrorf("an answer to another request")
			}
			return r, err
		}
	}
}
