package dimse

import (
	"bytes"
	"testing"

	"encoding/binary"
)

// FuzzPDU reads what a node may send. Nothing is read past a unit, no value lies outside it, and
// no error is without text.
func FuzzPDU(f *testing.F) {
	set := commandSet{}
	set.number(elementCommand, commandStore|commandResponse)
	set.number(elementRespondedTo, 1)
	set.number(elementDatasetType, noDataset)
	set.number(elementStatus, 0xA700)
	set.raw(elementErrorComment, []byte("full"))
	command := set.bytes()
	f.Add(append(appendValueHeader(nil, 1, true, true, len(command)), command...))
	f.Add(appendPDU(nil, pduReleaseRP, make([]byte, 4)))
	f.Add(appendPDU(nil, pduAbort, make([]byte, 4)))
	f.Add(appendPDU(nil, pduAssociateRJ, []byte{0, 1, 1, 7}))
	accept := make([]byte, fixedAssociate)
	accept = appendItem(accept, itemAcceptedContext, appendItem([]byte{1, 0, 0, 0}, itemTransferSyntax, []byte("1.2.840.10008.1.2")))
	accept = appendItem(accept, itemUserInformation, appendItem(nil, itemMaximumLength, binary.BigEndian.AppendUint32(nil, maxPDU)))
	f.Add(appendPDU(nil, pduAssociateAC, accept))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		p, err := readPDU(r, nil, maxPDU)
		if err != nil {
			return
		}
		if len(p.body) > maxPDU || len(b)-r.Len() != 6+len(p.body) {
			t.Fatalf("%d bytes of %d make a unit of %d", len(b)-r.Len(), len(b), len(p.body))
		}
		switch p.kind {
		case pduAssociateAC:
			if a, err := parseAccept(p.body); err == nil && a.maxPDU != 0 && a.maxPDU <= pdvHeader {
				t.Fatalf("a maximum length of %d", a.maxPDU)
			}
		case pduAssociateRJ:
			_ = rejection(Node{}, "", p.body).Error()
		case pduAbort:
			_ = aborted(Node{}, p.body).Error()
		case pduData:
			values, err := parseValues(nil, p.body)
			if err != nil {
				return
			}
			total := 0
			for _, v := range values {
				total += pdvHeader + len(v.data)
				if c, err := parseCommand(v.data); err == nil {
					_ = Answer{c.status, c.comment}.String()
				}
			}
			if total != len(p.body) {
				t.Fatalf("values of %d bytes in a unit of %d", total, len(p.body))
			}
		}
	})
}
