package dimse

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"quell/io/attributes"
	"quell/io/dicom/part10"
)

// FuzzPDU reads bytes that a node may send. Nothing is read past a unit, no value lies outside it, and
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
					_ = Answer{c.status, c.comment}.AsMessage().String()
				}
			}
			if total != len(p.body) {
				t.Fatalf("values of %d bytes in a unit of %d", total, len(p.body))
			}
		}
	})
}

// FuzzRequest reads requests for an association. Contexts have odd IDs, each once.
func FuzzRequest(f *testing.F) {
	request := associateRequest("CALLED", "CALLING", append(GetContexts(), Verification), Implementation{"1.2", "V"})
	f.Add(request)
	f.Add(request[:fixedAssociate+30])
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseRequest(b)
		if err != nil {
			return
		}
		met := map[byte]bool{}
		for _, c := range r.contexts {
			if c.id%2 == 0 || met[c.id] || len(c.syntaxes) > maxSyntaxes {
				t.Fatalf("context %d of %d syntaxes", c.id, len(c.syntaxes))
			}
			met[c.id] = true
			if syntax, result := c.choose(takesStorage); (result == 0) != (syntax != "") || result == 0 && !takesStorage(Context{c.class, syntax}) {
				t.Fatalf("%q with result %d", syntax, result)
			}
		}
		if r.maxPDU != 0 && r.maxPDU < minSent {
			t.Fatalf("a maximum length of %d", r.maxPDU)
		}
	})
}

// FuzzSession runs an association with a peer that sends arbitrary bytes. What is kept is what an
// instance had, and nothing waits for more than there is.
func FuzzSession(f *testing.F) {
	request := appendPDU(nil, pduAssociateRQ, associateRequest("QUELL", "CALLING", []Context{{"1.2.840.10008.5.1.4.1.1.2", "1.2.840.10008.1.2"}}, Implementation{"1.2", "V"}))
	store := storeRequest(1, Instance{Context: Context{SOPClass: "1.2.840.10008.5.1.4.1.1.2"}, UID: "1.2.3"})
	unit := append(appendValueHeader(nil, 1, true, true, len(store)), store...)
	unit = append(appendValueHeader(unit, 1, false, true, 4), "data"...)
	f.Add(append(request[:len(request):len(request)], append(unit, appendPDU(nil, pduReleaseRQ, make([]byte, 4))...)...))
	report := appendPDU(nil, pduAssociateRQ, associateRequest("QUELL", "CALLING", CommitmentContexts(), Implementation{"1.2", "V"}))
	event := commandSet{}
	event.number(elementCommand, commandReport)
	event.number(elementDatasetType, withDataset)
	data := commitmentRequest("1.2.3", []Reference{{"1.2", "1.2.3.4"}}, part10.UIDExplicitLE)
	report = append(appendValueHeader(report, 1, true, true, len(event.bytes())), event.bytes()...)
	f.Add(append(appendValueHeader(report, 1, false, true, len(data)), data...))
	f.Fuzz(func(t *testing.T, b []byte) {
		committed := func(_ context.Context, _ Peer, c Commitment) Status {
			if attributes.CheckUIDs(append(c.Committed, c.Transaction)...) != nil {
				t.Fatalf("%+v", c)
			}
			return 0
		}
		s := &session{r: &Receiver{Handler: discarding{}, Committed: committed, MaxInstance: 1 << 20, waiting: map[*session]bool{}}, link: link{conn: &bytesConn{r: bytes.NewReader(b)}, timeout: time.Hour, most: 1 << 16}}
		if err := s.run(t.Context(), false); err != nil && err.Error() == "" {
			t.Fatal("an error without text")
		}
	})
}

type discarding struct{}

func (discarding) Accept(Peer) error { return nil }

func (discarding) Store(_ context.Context, _ Peer, a *Arrival) Status {
	n, err := a.WriteTo(io.Discard)
	if err == nil && n > 2<<20 {
		panic("more than is read")
	}
	return 0
}

// bytesConn is a connection from which bytes are read.
type bytesConn struct {
	net.Conn
	r io.Reader
}

func (c *bytesConn) Read(b []byte) (int, error)  { return c.r.Read(b) }
func (c *bytesConn) Write(b []byte) (int, error) { return len(b), nil }
func (c *bytesConn) SetDeadline(time.Time) error { return nil }
func (c *bytesConn) Close() error                { return nil }
