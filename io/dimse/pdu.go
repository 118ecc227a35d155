package dimse

import (
	"encoding/binary"
	"io"
	"strings"

	"quell/internal/message"
)

// Types of protocol data units (PS3.8 section 9.3).
const (
	pduAssociateRQ = 1
	pduAssociateAC = 2
	pduAssociateRJ = 3
	pduData        = 4
	pduReleaseRQ   = 5
	pduReleaseRP   = 6
	pduAbort       = 7
)

// Types of the items of A-ASSOCIATE PDUs.
const (
	itemApplicationContext  = 0x10
	itemProposedContext     = 0x20
	itemAcceptedContext     = 0x21
	itemAbstractSyntax      = 0x30
	itemTransferSyntax      = 0x40
	itemUserInformation     = 0x50
	itemMaximumLength       = 0x51
	itemImplementationClass = 0x52
	itemRoleSelection       = 0x54
	itemImplementationName  = 0x55
)

const applicationContext = "1.2.840.10008.3.1.1.1"

const (
	// maxPDU bounds the PDUs that are read, and is announced to the other side for P-DATA.
	maxPDU = 64 << 10
	// maxSent bounds the P-DATA PDUs that are sent to a node that accepts longer ones or any.
	maxSent = 128 << 10
	// minSent is the least maximum length that a node may announce: room for a fragment of
	// command worth a round trip.
	minSent = 256
	// fixedAssociate is what precedes the items of A-ASSOCIATE-RQ and -AC: protocol version, two
	// AE titles and reserved bytes.
	fixedAssociate = 68
	// pdvHeader is length, context and control of a presentation data value.
	pdvHeader = 6
)

// pdu is one unit without its header.
type pdu struct {
	kind byte
	body []byte
}

// readPDU reads one unit into buf, which grows to most bytes.
func readPDU(r io.Reader, buf []byte, most uint32) (pdu, error) {
	var head [6]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return pdu{}, err
	}
	n := binary.BigEndian.Uint32(head[2:])
	kind := head[0]
	switch {
	case kind < pduAssociateRQ || kind > pduAbort:
		return pdu{}, protocolErrorf("a unit of type %d, which DICOM does not have", kind)
	case n > most:
		return pdu{}, protocolErrorf("a unit of %d bytes where %d are allowed", n, most)
	case kind != pduAssociateRQ && kind != pduAssociateAC && kind != pduData && n != 4:
		return pdu{}, protocolErrorf("a unit of type %d with %d bytes instead of 4", kind, n)
	}
	if cap(buf) < int(n) {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	if _, err := io.ReadFull(r, buf); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return pdu{}, err
	}
	return pdu{kind, buf}, nil
}

// appendPDU appends a unit with its header.
func appendPDU(b []byte, kind byte, body []byte) []byte {
	b = append(b, kind, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	return append(b, body...)
}

// appendItem appends an item or sub-item of an A-ASSOCIATE PDU.
func appendItem(b []byte, kind byte, body []byte) []byte {
	b = append(b, kind, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(len(body)))
	return append(b, body...)
}

// eachItem visits the items of an A-ASSOCIATE PDU or of one of its items.
func eachItem(b []byte, visit func(kind byte, body []byte) error) error {
	for len(b) > 0 {
		if len(b) < 4 {
			return protocolErrorf("an item that is cut off")
		}
		n := int(binary.BigEndian.Uint16(b[2:]))
		if n > len(b)-4 {
			return protocolErrorf("an item of %d bytes where %d are left", n, len(b)-4)
		}
		if err := visit(b[0], b[4:4+n]); err != nil {
			return err
		}
		b = b[4+n:]
	}
	return nil
}

// associateRequest returns the body of A-ASSOCIATE-RQ. Context i has the ID 2i+1.
func associateRequest(called, calling string, contexts []Context, implementation Implementation) []byte {
	b := binary.BigEndian.AppendUint16(nil, 1) // protocol version
	b = append(b, 0, 0)
	b = append(b, padded(called)...)
	b = append(b, padded(calling)...)
	b = append(b, make([]byte, 32)...)
	b = appendItem(b, itemApplicationContext, []byte(applicationContext))
	for i, c := range contexts {
		item := []byte{contextID(i), 0, 0, 0}
		item = appendItem(item, itemAbstractSyntax, []byte(c.SOPClass))
		item = appendItem(item, itemTransferSyntax, []byte(c.Syntax))
		b = appendItem(b, itemProposedContext, item)
	}
	user := appendItem(nil, itemMaximumLength, binary.BigEndian.AppendUint32(nil, maxPDU))
	user = appendItem(user, itemImplementationClass, []byte(implementation.ClassUID))
	for _, class := range received(contexts) {
		// The node is the user of the class and this side its provider (PS3.7 section D.3.3.4).
		user = appendItem(user, itemRoleSelection, roleOf(class, 0, 1))
	}
	user = appendItem(user, itemImplementationName, []byte(implementation.Version))
	return appendItem(b, itemUserInformation, user)
}

// roleOf is the body of an item that selects roles: 1 for who asks for the association to be user or provider of a
// class.
func roleOf(class string, user, provider byte) []byte {
	role := binary.BigEndian.AppendUint16(nil, uint16(len(class)))
	return append(append(role, class...), user, provider)
}

// padded returns an AE title with spaces to the length of its field.
func padded(title string) string { return title + strings.Repeat(" ", maxAETitle-len(title)) }

func contextID(i int) byte { return byte(2*i + 1) }

// answer is the content of A-ASSOCIATE-AC.
type answer struct {
	maxPDU  uint32          // 0 for any
	results map[byte]byte   // by ID of the context; 0 is accepted
	syntax  map[byte]string // of accepted contexts
}

// parseAccept reads the body of A-ASSOCIATE-AC.
func parseAccept(b []byte) (answer, error) {
	a := answer{results: map[byte]byte{}, syntax: map[byte]string{}}
	if len(b) < fixedAssociate {
		return a, protocolErrorf("an acceptance of %d bytes", len(b))
	}
	err := eachItem(b[fixedAssociate:], func(kind byte, body []byte) error {
		switch kind {
		case itemAcceptedContext:
			return a.addContext(body)
		case itemUserInformation:
			n, err := maximumLength(body)
			a.maxPDU = n
			return err
		}
		return nil
	})
	return a, err
}

// maximumLength reads the user information of an A-ASSOCIATE PDU: the bytes of P-DATA that the other side
// takes, 0 for any.
func maximumLength(user []byte) (n uint32, err error) {
	err = eachItem(user, func(kind byte, body []byte) error {
		if kind != itemMaximumLength {
			return nil
		}
		if len(body) != 4 {
			return protocolErrorf("a maximum length of %d bytes", len(body))
		}
		if n = binary.BigEndian.Uint32(body); n != 0 && n < minSent {
			return protocolErrorf("a maximum length of %d bytes, which has no data", n)
		}
		return nil
	})
	return n, err
}

func (a *answer) addContext(body []byte) error {
	if len(body) < 4 {
		return protocolErrorf("a presentation context that is cut off")
	}
	id := body[0]
	if _, twice := a.results[id]; twice {
		return protocolErrorf("the presentation context %d twice", id)
	}
	a.results[id] = body[2]
	return eachItem(body[4:], func(kind byte, syntax []byte) error {
		if kind == itemTransferSyntax {
			a.syntax[id] = strings.TrimRight(string(syntax), "\x00 ")
		}
		return nil
	})
}

// value is a presentation data value: a fragment of a command or a data set.
type value struct {
	context byte
	command bool
	last    bool
	data    []byte
}

// parseValues appends the values in the body of P-DATA-TF, at least one.
func parseValues(values []value, b []byte) ([]value, error) {
	if len(b) == 0 {
		return nil, protocolErrorf("a unit of data without data")
	}
	for len(b) > 0 {
		if len(b) < pdvHeader {
			return nil, protocolErrorf("a fragment that is cut off")
		}
		n := binary.BigEndian.Uint32(b)
		if n < 2 || int64(n) > int64(len(b)-4) {
			return nil, protocolErrorf("a fragment of %d bytes where %d are left", n, len(b)-4)
		}
		values = append(values, value{b[4], b[5]&1 != 0, b[5]&2 != 0, b[pdvHeader : 4+n]})
		b = b[4+n:]
	}
	return values, nil
}

// appendValueHeader appends the headers of a P-DATA-TF PDU with one value of n bytes.
func appendValueHeader(b []byte, context byte, command, last bool, n int) []byte {
	b = append(b, pduData, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(n+pdvHeader))
	b = binary.BigEndian.AppendUint32(b, uint32(n+2))
	control := byte(0)
	if command {
		control |= 1
	}
	if last {
		control |= 2
	}
	return append(b, context, control)
}

// describeContext names a result of the negotiation (PS3.8 table 9-18).
func describeContext(result byte) message.Message {
	switch result {
	case 1:
		return message.New(message.NetworkRefused, "refused by its user")
	case 2:
		return message.New(message.NetworkRefused, "refused without a reason")
	case 3:
		return message.New(message.NetworkRefused, "it does not store this kind of object")
	case 4:
		return message.New(message.NetworkRefused, "it does not take this transfer syntax")
	}
	return message.New(message.NetworkRefused, "refused with the unknown result %d", result)
}
