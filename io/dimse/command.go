package dimse

import (
	"encoding/binary"
	"strings"
)

// Elements of group 0000 (PS3.7 annex E).
const (
	elementGroupLength   = 0x0000
	elementSOPClass      = 0x0002
	elementRequested     = 0x0003 // SOP class
	elementCommand       = 0x0100
	elementMessageID     = 0x0110
	elementRespondedTo   = 0x0120
	elementPriority      = 0x0700
	elementDatasetType   = 0x0800
	elementStatus        = 0x0900
	elementErrorComment  = 0x0902
	elementSOPInstance   = 0x1000
	elementRequestedSOP  = 0x1001 // instance
	elementEventType     = 0x1002
	elementActionType    = 0x1008
	elementRemaining     = 0x1020 // sub-operations
	elementCompleted     = 0x1021
	elementFailed        = 0x1022
	elementWarning       = 0x1023
	maxComment           = 64 // characters of VR LO
	noDataset            = 0x0101
	withDataset          = 0x0000
	mediumPriority       = 0x0000
	commandStore         = 0x0001
	commandGet           = 0x0010
	commandFind          = 0x0020
	commandEcho          = 0x0030
	commandReport        = 0x0100 // N-EVENT-REPORT
	commandAction        = 0x0130 // N-ACTION
	commandCancel        = 0x0FFF
	commandResponse      = 0x8000 // of the answer to a command
	maxCommand           = 16 << 10
	maxUID               = 64
	verificationSOPClass = "1.2.840.10008.1.1"
)

// commandSet builds a command set, elements in ascending order.
type commandSet struct{ elements []byte }

func (c *commandSet) number(element, v uint16) {
	c.raw(element, binary.LittleEndian.AppendUint16(nil, v))
}

// uid adds a UID, padded to even length by a zero.
func (c *commandSet) uid(element uint16, uid string) {
	if len(uid)%2 == 1 {
		uid += "\x00"
	}
	c.raw(element, []byte(uid))
}

func (c *commandSet) raw(element uint16, v []byte) {
	b := binary.LittleEndian.AppendUint16(c.elements, 0)
	b = binary.LittleEndian.AppendUint16(b, element)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v)))
	c.elements = append(b, v...)
}

// bytes returns the command set, which begins with its length.
func (c *commandSet) bytes() []byte {
	var head commandSet
	head.raw(elementGroupLength, binary.LittleEndian.AppendUint32(nil, uint32(len(c.elements))))
	return append(head.elements, c.elements...)
}

func echoRequest(message uint16) []byte {
	var c commandSet
	c.uid(elementSOPClass, verificationSOPClass)
	c.number(elementCommand, commandEcho)
	c.number(elementMessageID, message)
	c.number(elementDatasetType, noDataset)
	return c.bytes()
}

func storeRequest(message uint16, i Instance) []byte {
	var c commandSet
	c.uid(elementSOPClass, i.SOPClass)
	c.number(elementCommand, commandStore)
	c.number(elementMessageID, message)
	c.number(elementPriority, mediumPriority)
	c.number(elementDatasetType, withDataset)
	c.uid(elementSOPInstance, i.UID)
	return c.bytes()
}

// queryRequest is C-FIND or C-GET.
func queryRequest(message, field uint16, class string) []byte {
	var c commandSet
	c.uid(elementSOPClass, class)
	c.number(elementCommand, field)
	c.number(elementMessageID, message)
	c.number(elementPriority, mediumPriority)
	c.number(elementDatasetType, withDataset)
	return c.bytes()
}

// actionRequest asks for storage commitment.
func actionRequest(message uint16) []byte {
	var c commandSet
	c.uid(elementRequested, commitmentClass)
	c.number(elementCommand, commandAction)
	c.number(elementMessageID, message)
	c.number(elementDatasetType, withDataset)
	c.uid(elementRequestedSOP, commitmentInstance)
	c.number(elementActionType, requestAction)
	return c.bytes()
}

// cancelRequest ends the command of a message.
func cancelRequest(message uint16) []byte {
	var c commandSet
	c.number(elementCommand, commandCancel)
	c.number(elementRespondedTo, message)
	c.number(elementDatasetType, noDataset)
	return c.bytes()
}

// answerTo is the answer to a request, without a data set.
func answerTo(request command, s Status) []byte {
	var c commandSet
	if request.class != "" {
		c.uid(elementSOPClass, request.class)
	}
	c.number(elementCommand, request.field|commandResponse)
	c.number(elementRespondedTo, request.message)
	c.number(elementDatasetType, noDataset)
	c.number(elementStatus, uint16(s))
	if request.instance != "" {
		c.uid(elementSOPInstance, request.instance)
	}
	if request.field == commandReport {
		c.number(elementEventType, request.event)
	}
	return c.bytes()
}

// command is a command set that was read.
type command struct {
	field       uint16
	message     uint16
	respondedTo uint16
	class       string // "" if it names none
	instance    string // "" if it names none
	event       uint16 // type
	status      Status
	hasStatus   bool
	hasDataset  bool
	comment     string
	hasCounts   bool
	counts      Counts
}

// parseCommand reads a command set.
func parseCommand(b []byte) (command, error) {
	c := command{}
	for len(b) > 0 {
		if len(b) < 8 {
			return c, protocolErrorf("an answer that is cut off")
		}
		group, element := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])
		n := binary.LittleEndian.Uint32(b[4:])
		if group != 0 {
			return c, protocolErrorf("an answer with an element of group %04X", group)
		}
		if int64(n) > int64(len(b)-8) {
			return c, protocolErrorf("an answer with an element of %d bytes where %d are left", n, len(b)-8)
		}
		if err := c.set(element, b[8:8+n]); err != nil {
			return c, err
		}
		b = b[8+n:]
	}
	return c, nil
}

func (c *command) set(element uint16, v []byte) error {
	switch element {
	case elementSOPClass:
		c.class = unpadded(v)
	case elementErrorComment:
		c.comment = printable(v)
	case elementSOPInstance:
		c.instance = unpadded(v)
	case elementCommand, elementMessageID, elementRespondedTo, elementDatasetType, elementStatus, elementEventType,
		elementRemaining, elementCompleted, elementFailed, elementWarning:
		if len(v) != 2 {
			return protocolErrorf("an answer whose element (0000,%04X) has %d bytes", element, len(v))
		}
		c.setNumber(element, binary.LittleEndian.Uint16(v))
	}
	return nil
}

func (c *command) setNumber(element, n uint16) {
	switch element {
	case elementCommand:
		c.field = n
	case elementMessageID:
		c.message = n
	case elementRespondedTo:
		c.respondedTo = n
	case elementDatasetType:
		c.hasDataset = n != noDataset
	case elementStatus:
		c.status, c.hasStatus = Status(n), true
	case elementEventType:
		c.event = n
	case elementRemaining:
		c.counts.Remaining = int(n)
	case elementCompleted:
		c.counts.Completed, c.hasCounts = int(n), true
	case elementFailed:
		c.counts.Failed = int(n)
	case elementWarning:
		c.counts.Warnings = int(n)
	}
}

func unpadded(v []byte) string { return strings.TrimRight(string(v), "\x00 ") }

// printable returns the text of VR LO, shortened, with "?" for characters that are not printable ASCII: its
// character set is not known.
func printable(v []byte) string {
	v = v[:min(len(v), maxComment)]
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, strings.TrimRight(string(v), "\x00 ")))
}
