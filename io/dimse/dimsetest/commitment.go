package dimsetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"strconv"
	"strings"

	"quell/io/dimse"
)

const (
	commitmentClass    = "1.2.840.10008.1.20.1"
	commitmentInstance = "1.2.840.10008.1.20.1.1"
	actionCommand      = 0x0130
	reportCommand      = 0x0100
)

// Request holds the instances of a request of storage commitment.
type Request struct {
	Transaction string
	Instances   []string // UIDs
}

// requestOf reads a data set in explicit little endian.
func requestOf(data []byte) (r Request) {
	each := func(element byte, visit func(uid string)) {
		tag := []byte{0x08, 0, element, 0x11, 'U', 'I'}
		for b := data; ; {
			i := bytes.Index(b, tag)
			if i < 0 {
				return
			}
			n := int(binary.LittleEndian.Uint16(b[i+6:]))
			visit(strings.TrimRight(string(b[i+8:i+8+n]), "\x00"))
			b = b[i+8+n:]
		}
	}
	each(0x95, func(uid string) { r.Transaction = uid })
	each(0x55, func(uid string) { r.Instances = append(r.Instances, uid) })
	return r
}

// Report is the data set of a report in explicit little endian. The reason of what failed is 0112: no such instance.
func Report(transaction string, committed, failed []string) []byte {
	element := func(tag byte, vr string, v []byte) []byte {
		if len(v)%2 != 0 {
			v = append(v, 0)
		}
		b := append([]byte{0x08, 0, tag, 0x11}, vr...)
		if vr == "SQ" {
			return append(binary.LittleEndian.AppendUint32(append(b, 0, 0), uint32(len(v))), v...)
		}
		return append(binary.LittleEndian.AppendUint16(b, uint16(len(v))), v...)
	}
	sequence := func(tag byte, uids []string, reason []byte) []byte {
		var all []byte
		for _, uid := range uids {
			item := append(element(0x50, "UI", []byte("1.2.840.10008.5.1.4.1.1.2")), element(0x55, "UI", []byte(uid))...)
			item = append(item, reason...)
			all = append(append(all, 0xFE, 0xFF, 0x00, 0xE0), binary.LittleEndian.AppendUint32(nil, uint32(len(item)))...)
			all = append(all, item...)
		}
		return element(tag, "SQ", all)
	}
	b := element(0x95, "UI", []byte(transaction))
	if failed != nil {
		b = append(b, sequence(0x98, failed, element(0x97, "US", []byte{0x12, 0x01}))...)
	}
	return append(b, sequence(0x99, committed, nil)...)
}

// reportUnits are the units of a report: its command and its data set.
func reportUnits(id byte, data []byte) []byte {
	var set []byte
	element := func(e uint16, v []byte) {
		set = binary.LittleEndian.AppendUint16(append(set, 0, 0), e)
		set = append(binary.LittleEndian.AppendUint32(set, uint32(len(v))), v...)
	}
	element(0x0002, []byte(commitmentClass))
	element(0x0100, []byte{reportCommand & 0xFF, reportCommand >> 8})
	element(0x0110, []byte{7, 0})
	element(0x0800, []byte{0, 0})
	element(0x1000, []byte(commitmentInstance))
	element(0x1002, []byte{1, 0})
	value := func(control byte, b []byte) []byte {
		return Unit(4, append(append(binary.BigEndian.AppendUint32(nil, uint32(len(b)+2)), id, control), b...)...)
	}
	return append(value(3, set), value(2, data)...)
}

// SendReport opens an association to a node, as an archive does that reports later, and returns what the node
// answers: whether it grants the role of the provider, and a status.
func SendReport(to dimse.Node, calling string, data []byte) (role bool, s dimse.Status, err error) {
	conn, err := net.Dial("tcp", net.JoinHostPort(to.Host, strconv.Itoa(to.Port)))
	if err != nil {
		return false, 0, err
	}
	defer conn.Close()
	title := func(s string) string { return s + strings.Repeat(" ", 16-len(s)) }
	request := append([]byte{0, 1, 0, 0}, title(to.AETitle)+title(calling)...)
	request = append(append(request, make([]byte, 32)...), Item(0x10, []byte("1.2.840.10008.3.1.1.1")...)...)
	context := append([]byte{1, 0, 0, 0}, Item(0x30, []byte(commitmentClass)...)...)
	request = append(request, Item(0x20, append(context, Item(0x40, []byte("1.2.840.10008.1.2.1")...)...)...)...)
	roles := append(append([]byte{0, byte(len(commitmentClass))}, commitmentClass...), 0, 1)
	request = append(request, Item(0x50, append(Item(0x51, 0, 0, 0x40, 0), Item(0x54, roles...)...)...)...)
	if _, err := conn.Write(Unit(1, request...)); err != nil {
		return false, 0, err
	}
	kind, body, err := ReadUnit(conn)
	if err != nil || kind != 2 {
		return false, 0, errors.Join(err, errors.New("the association was rejected"))
	}
	role = bytes.Contains(body, Item(0x54, roles...))
	if _, err := conn.Write(reportUnits(1, data)); err != nil {
		return role, 0, err
	}
	if kind, body, err = ReadUnit(conn); err != nil || kind != 4 {
		return role, 0, errors.Join(err, errors.New("no answer"))
	}
	set := elements(body[6:])
	if binary.LittleEndian.Uint16(set[0x0100]) != reportCommand|0x8000 {
		err = errors.New("an answer to another command")
	}
	_, _ = conn.Write(Unit(5, 0, 0, 0, 0)) // the answer is there
	_, _, _ = ReadUnit(conn)
	return role, dimse.Status(binary.LittleEndian.Uint16(set[0x0900])), err
}
