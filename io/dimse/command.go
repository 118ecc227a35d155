package dimse

import (
	"encoding/binary"
	"strings"
)

// Elements of group 0000 (PS3.7 annex E).
const (
	elementGroupLength   = 0x0000
	elementSOPClass      = 0x0002
	elementCommand       = 0x0100
	elementMessageID     = 0x0110
	elementRespondedTo   = 0x0120
	elementPriority      = 0x0700
	elementDatasetType   = 0x0800
	elementStatus        = 0x0900
	elementErrorComment  = 0x0902
	elementSOPInstance   = 0x1000
	maxComment           = 64 // characters of VR LO
	noDataset            = 0x0101
	withDataset          = 0x0000
	mediumPriority       = 0x0000
	commandStore         = 0x0001
	commandEcho          = 0x0030
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

// response is the answer to a command.
type response struct {
	command     uint16
	respondedTo uint16
	status      Status
	hasStatus   bool
	hasDataset  bool
	comment     string
	instance    string // "" if it names none
}

// parseResponse reads a command set.
func parseResponse(b []byte) (response, error) {
	r := response{}
	for len(b) > 0 {
		if len(b) < 8 {
			return r, protocolErrorf("an answer that is cut off")
		}
		group, element := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])
		n := binary.LittleEndian.Uint32(b[4:])
		if group != 0 {
			return r, protocolErrorf("an answer with an element of group %04X", group)
		}
		if int64(n) > int64(len(b)-8) {
			return r, protocolErrorf("an answer with an element of %d bytes where %d are left", n, len(b)-8)
		}
		if err := r.set(element, b[8:8+n]); err != nil {
			return r, err
		}
		b = b[8+n:]
	}
	if !r.hasStatus || r.command&commandResponse == 0 {
		return r, protocolErrorf("an answer without a status")
	}
	return r, nil
}

func (r *response) set(element uint16, v []byte) error {
	switch element {
	case elementCommand, elementRespondedTo, elementDatasetType, elementStatus:
		if len(v) != 2 {
			return protocolErrorf("an answer whose element (0000,%04X) has %d bytes", element, len(v))
		}
		n := binary.LittleEndian.Uint16(v)
		switch element {
		case elementCommand:
			r.command = n
		case elementRespondedTo:
			r.respondedTo = n
		case elementDatasetType:
			r.hasDataset = n != noDataset
		case elementStatus:
			r.status, r.hasStatus = Status(n), true
		}
	case elementErrorComment:
		r.comment = printable(v)
	case elementSOPInstance:
		r.instance = strings.TrimRight(string(v), "\x00 ")
	}
	return nil
}

// printable returns the text of VR LO, shortened, with "?" for what is not printable ASCII: its
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
