package dimse

import (
	"context"
	"fmt"
	"io"
	"slices"

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
			err = &Error{Node: a.peer, Problem: message.New(message.NetworkRefused, "the echo was answered with status %04X", uint16(r.status))}
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

// stream writes size bytes of a data set. Header and data of a PDU are one write: two would
// wait for a delayed acknowledgement.
func (a *Association) stream(id byte, r io.Reader, size int64) error {
	unit := a.out // nothing else is sent meanwhile
	defer func() { a.out = unit }()
	for {
		n := int(min(size, int64(a.fragment())))
		unit = slices.Grow(appendValueHeader(unit[:0], id, false, int64(n) == size, n), n)
		head := len(unit)
		unit = unit[:head+n]
		if _, err := io.ReadFull(r, unit[head:]); err != nil {
			return &Error{Node: a.peer, Problem: message.New(message.InputUnreadable, "a file could not be read while it was sent (%v)", err), Advice: message.Text("check the disk"), Err: err}
		}
		if err := a.write(unit); err != nil {
			return err
		}
		if size -= int64(n); size == 0 {
			return nil
		}
	}
}

// respond reads the answer to the last command, which has no data set.
func (a *Association) respond(id byte, request uint16) (command, error) {
	r, err := a.answered(id, request)
	switch {
	case err != nil:
	case r.hasDataset:
		err = protocolErrorf("an answer to another request")
	case len(a.rest) > 0:
		err = protocolErrorf("more than one answer")
	}
	return r, err
}

// answered reads an answer to the last command.
func (a *Association) answered(id byte, request uint16) (command, error) {
	got, r, err := a.command()
	if err == nil && got != id {
		err = protocolErrorf("data that was not asked for")
	}
	if err == nil {
		err = a.answers(r, request)
	}
	return r, err
}

// answers checks that a command is an answer to the last one.
func (a *Association) answers(r command, request uint16) error {
	switch {
	case !r.hasStatus || r.field&commandResponse == 0:
		return protocolErrorf("an answer without a status")
	case r.field != request|commandResponse || r.respondedTo != a.message:
		return protocolErrorf("an answer to another request")
	}
	return nil
}
