package dimse

import "quell/internal/message"

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
