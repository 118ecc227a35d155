package dimse_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
)

const (
	ctImage    = "1.2.840.10008.5.1.4.1.1.2"
	explicitLE = "1.2.840.10008.1.2.1"
)

var ct = dimse.Context{SOPClass: ctImage, Syntax: explicitLE}

var config = dimse.Config{
	Calling:        "QUELL",
	Implementation: dimse.Implementation{ClassUID: "2.25.1", Version: "TEST"},
}

func dial(t *testing.T, n dimse.Node, c dimse.Config, contexts ...dimse.Context) *dimse.Association {
	t.Helper()
	if contexts == nil {
		contexts = []dimse.Context{ct}
	}
	a, err := dimse.Dial(context.Background(), n, c, contexts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func instance(uid string, data []byte) dimse.Instance {
	return dimse.Instance{Context: ct, UID: uid, Data: bytes.NewReader(data), Size: int64(len(data))}
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Fatalf("error %v, want %q in it", err, part)
		}
	}
}

// TestStore stores instances of lengths around the size of a fragment, by long and short PDUs.
func TestStore(t *testing.T) {
	for _, most := range []uint32{0, 256, 1000, 1 << 20} {
		s := dimsetest.Start(t, dimsetest.Behaviour{MaxPDU: most})
		a := dial(t, s.Node, config)
		limit := 128 << 10
		if most != 0 {
			limit = min(limit, int(most))
		}
		want := map[string][]byte{}
		for i, n := range []int{0, 1, limit - 7, limit - 6, limit - 5, 3*limit + 1} {
			data, uid := make([]byte, n), fmt.Sprintf("1.2.%d", i)
			for k := range data {
				data[k] = byte(k*7 + i)
			}
			want[uid] = data
			got, err := a.Store(context.Background(), instance(uid, data))
			if err != nil || got.Status != 0 {
				t.Fatalf("PDUs of %d, %d bytes: %v, %v", most, n, got, err)
			}
		}
		if err := a.Release(context.Background()); err != nil {
			t.Fatal(err)
		}
		stored := s.Stored()
		for uid, data := range want {
			if got, ok := stored[uid]; !ok || !bytes.Equal(got, data) {
				t.Errorf("PDUs of %d: %s has %d bytes, want %d", most, uid, len(got), len(data))
			}
		}
		if seen := s.Seen(); len(stored) != len(want) || seen.Released != 1 || seen.LongestPDU != limit || seen.Calling[0] != "QUELL" {
			t.Errorf("PDUs of %d: %d stored, %+v", most, len(stored), seen)
		}
	}
}

// TestStatuses returns what the node says, and goes on after a failure of one instance.
func TestStatuses(t *testing.T) {
	statuses := map[string]dimse.Status{"1.1": 0, "1.2": 0xA700, "1.3": 0xB006, "1.4": 0xC123}
	s := dimsetest.Start(t, dimsetest.Behaviour{
		Comment: "disk\x07 full",
		Store:   func(uid string, _ net.Conn) dimse.Status { return statuses[uid] },
	})
	a := dial(t, s.Node, config)
	for uid, want := range statuses {
		got, err := a.Store(context.Background(), instance(uid, []byte(uid)))
		if err != nil || got.Status != want || got.Comment != "disk? full" {
			t.Errorf("%s: %v, %v", uid, got, err)
		}
	}
	if len(s.Stored()) != 2 {
		t.Errorf("%d stored", len(s.Stored()))
	}
	a.Abort()
}

func TestStatusWords(t *testing.T) {
	for s, c := range map[dimse.Status]struct {
		stored bool
		text   string
	}{
		0: {true, "stored"}, 1: {true, "with a warning"}, 2: {false, "failed"}, 0x0107: {true, "warning"}, 0x0116: {true, "warning"},
		0xB000: {true, "changed"}, 0xB006: {true, "without some"}, 0xB007: {true, "does not fit"}, 0xBFFF: {true, "warning (status BFFF)"},
		0xA700: {false, "out of resources"}, 0xA7FF: {false, "out of resources"}, 0xA800: {false, "failed (status A800)"}, 0xA900: {false, "does not fit"},
		0xC000: {false, "understood"}, 0xCFFF: {false, "understood"}, 0xD000: {false, "failed"}, 0x0110: {false, "processing"}, 0x0111: {false, "already"},
		0x0117: {false, "UID"}, 0x0122: {false, "not supported"}, 0x0124: {false, "authorized"}, 0x0210: {false, "request"}, 0x0211: {false, "request"},
		0x0212: {false, "request"}, 0xFE00: {false, "cancelled"},
	} {
		if s.Stored() != c.stored || !strings.Contains(s.String(), c.text) {
			t.Errorf("%04X: %v, %v", uint16(s), s.Stored(), s)
		}
	}
	if got := (dimse.Answer{Status: 0xA700, Comment: "full"}).AsMessage().String(); got != `out of resources; try again later (status A700): "full"` {
		t.Error(got)
	}
}

func TestEcho(t *testing.T) {
	s := dimsetest.Start(t, dimsetest.Behaviour{})
	a := dial(t, s.Node, config, dimse.Verification)
	for range 2 {
		if err := a.Echo(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Release(context.Background()); err != nil || s.Seen().Released != 1 {
		t.Errorf("%v, %+v", err, s.Seen())
	}
}

// TestContextsThatAreRefused leaves the others usable.
func TestContextsThatAreRefused(t *testing.T) {
	compressed := dimse.Context{SOPClass: ctImage, Syntax: "1.2.840.10008.1.2.4.70"}
	mr := dimse.Context{SOPClass: "1.2.840.10008.5.1.4.1.1.4", Syntax: explicitLE}
	s := dimsetest.Start(t, dimsetest.Behaviour{Refuse: func(c dimse.Context) byte {
		return map[dimse.Context]byte{compressed: 4, mr: 3}[c]
	}})
	a := dial(t, s.Node, config, compressed, mr, ct)
	wantError(t, a.Accepts(compressed), "FAKEPACS@127.0.0.1:", "does not take this transfer syntax")
	wantError(t, a.Accepts(mr), "does not store this kind of object")
	wantError(t, a.Accepts(dimse.Verification), "was not proposed")
	if err := a.Accepts(ct); err != nil {
		t.Fatal(err)
	}
	i := instance("1.2", []byte("x"))
	i.Context = mr
	if _, err := a.Store(context.Background(), i); err == nil {
		t.Error("a refused context is used")
	}
	if got, err := a.Store(context.Background(), instance("1.3", []byte("x"))); err != nil || got.Status != 0 {
		t.Errorf("%v, %v", got, err)
	}
	a.Abort()
}

// TestRejections names the AE title that is not known.
func TestRejections(t *testing.T) {
	for reject, want := range map[[3]byte]string{
		{1, 1, 7}: "the called AE title FAKEPACS is not known there", {1, 1, 3}: "the calling AE title QUELL is not known there; ask",
		{1, 1, 2}: "application context", {2, 3, 1}: "too busy for another association; try again later",
		{2, 1, 1}: "result 2, source 1, reason 1); try again later", {1, 1, 1}: "rejected (result 1, source 1, reason 1)",
	} {
		s := dimsetest.Start(t, dimsetest.Behaviour{Reject: reject})
		_, err := dimse.Dial(context.Background(), s.Node, config, []dimse.Context{ct})
		wantError(t, err, s.String()+": ", want)
	}
}

// TestUnreachable words what the network says.
func TestUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	_, err = dimse.Dial(context.Background(), dimse.Node{AETitle: "A", Host: "127.0.0.1", Port: port}, config, []dimse.Context{ct})
	wantError(t, err, "nothing listens there; check the host and the port")
	_, err = dimse.Dial(context.Background(), dimse.Node{AETitle: "A", Host: "nowhere.invalid", Port: 104}, config, []dimse.Context{ct})
	wantError(t, err, "A@nowhere.invalid:104: ")
}

// hostile serves one association by bytes: first answers the request, then writes each reply
// after the PDU that it answers.
func hostile(t *testing.T, accept bool, replies ...[]byte) dimse.Node {
	return dimsetest.Start(t, dimsetest.Behaviour{Raw: func(conn net.Conn) {
		_, request, err := dimsetest.ReadUnit(conn)
		if err != nil {
			return
		}
		if accept {
			if _, err := conn.Write(dimsetest.Accept(request, 0, nil)); err != nil {
				return
			}
		}
		for _, b := range replies {
			if accept {
				if _, _, err := dimsetest.ReadUnit(conn); err != nil {
					return
				}
			}
			if _, err := conn.Write(b); err != nil {
				return
			}
		}
		if c, ok := conn.(*net.TCPConn); ok { // a reset would discard what was written
			_ = c.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, conn)
	}}).Node
}

// TestHostileAnswersToTheRequest end in a sentence.
func TestHostileAnswersToTheRequest(t *testing.T) {
	fixed := make([]byte, 68)
	with := func(items ...byte) []byte { return dimsetest.Unit(2, append(bytes.Clone(fixed), items...)...) }
	huge := binary.BigEndian.AppendUint32([]byte{2, 0}, 1<<31)
	length := func(n uint32) []byte {
		return with(dimsetest.Item(0x50, dimsetest.Item(0x51, binary.BigEndian.AppendUint32(nil, n)...)...)...)
	}
	for what, c := range map[string]struct {
		b    []byte
		want string
	}{
		"nothing":            {nil, "closed the connection; check that this is a DICOM port"},
		"half a header":      {[]byte{2, 0, 0}, "closed the connection"},
		"half a body":        {with()[:40], "closed the connection"},
		"a web server":       {[]byte("HTTP/1.1 400 Bad Request\r\n\r\n"), "a unit of type 72, which DICOM does not have; check that this is a DICOM port"},
		"type 0":             {dimsetest.Unit(0), "type 0"},
		"type 8":             {dimsetest.Unit(8), "type 8"},
		"huge":               {huge, "a unit of 2147483648 bytes where 65536 are allowed"},
		"one byte too long":  {binary.BigEndian.AppendUint32([]byte{2, 0}, 65537), "65537 bytes"},
		"short acceptance":   {dimsetest.Unit(2, fixed[:67]...), "an acceptance of 67 bytes"},
		"cut item":           {with(0x21, 0, 0), "an item that is cut off"},
		"item too long":      {with(0x21, 0, 0, 9, 1), "an item of 9 bytes where 1 are left"},
		"cut context":        {with(dimsetest.Item(0x21, 1, 0, 0)...), "a presentation context that is cut off"},
		"context twice":      {with(append(dimsetest.Item(0x21, 1, 0, 0, 0), dimsetest.Item(0x21, 1, 0, 0, 0)...)...), "the presentation context 1 twice"},
		"short length":       {with(dimsetest.Item(0x50, dimsetest.Item(0x51, 1)...)...), "a maximum length of 1 bytes"},
		"PDUs without room":  {length(255), "a maximum length of 255 bytes, which has no data"},
		"release":            {dimsetest.Unit(6, 0, 0, 0, 0), "out of turn"},
		"abort":              {dimsetest.Unit(7, 0, 0, 2, 6), "the network service there aborted the association (reason 6)"},
		"abort by its user":  {dimsetest.Unit(7, 0, 0, 0, 0), "the application there aborted"},
		"short abort":        {dimsetest.Unit(7, 0), "with 1 bytes instead of 4"},
		"short rejection":    {dimsetest.Unit(3, 0, 1), "with 2 bytes instead of 4"},
		"long release":       {dimsetest.Unit(6, 0, 0, 0, 0, 0), "with 5 bytes instead of 4"},
		"data before accept": {dimsetest.Unit(4, 0, 0, 0, 2, 1, 3), "out of turn"},
	} {
		a, err := dimse.Dial(context.Background(), hostile(t, false, c.b), config, []dimse.Context{ct})
		if a != nil {
			a.Abort()
			t.Errorf("%s: an association", what)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	// Allowed are the longest PDU, the least length, items that are not known, and no answer
	// for a context.
	for _, b := range [][]byte{length(256), length(0), with(), with(dimsetest.Item(0x99, 1)...), with(dimsetest.Item(0x99, make([]byte, 65536-72)...)...)} {
		a, err := dimse.Dial(context.Background(), hostile(t, false, b), config, []dimse.Context{ct})
		if err != nil {
			t.Fatal(err)
		}
		wantError(t, a.Accepts(ct), "did not answer for this kind of object")
		a.Abort()
	}
}

// TestAnotherSyntax refuses an answer with a transfer syntax that was not proposed.
func TestAnotherSyntax(t *testing.T) {
	item := append([]byte{1, 0, 0, 0}, dimsetest.Item(0x40, []byte("1.2.840.10008.1.2")...)...)
	n := hostile(t, false, dimsetest.Unit(2, append(make([]byte, 68), dimsetest.Item(0x21, item...)...)...))
	a := dial(t, n, config)
	wantError(t, a.Accepts(ct), "was not proposed")
	a.Abort()
}

// TestHostileAnswersToAStore end in a sentence too.
func TestHostileAnswersToAStore(t *testing.T) {
	good := dimsetest.Response(1, 0x8001, 1, 0, "1.2.3", "")
	value := func(control byte, set ...byte) []byte {
		return dimsetest.Unit(4, append(append(binary.BigEndian.AppendUint32(nil, uint32(len(set)+2)), 1, control), set...)...)
	}
	changed := func(at int, v byte) []byte {
		b := bytes.Clone(good)
		b[at] = v
		return b
	}
	empty := bytes.Repeat(value(1), 3000)
	for what, c := range map[string]struct {
		b    []byte
		want string
	}{
		"closed":               {nil, "closed the connection; the log of the PACS may say why"},
		"no values":            {dimsetest.Unit(4), "a unit of data without data"},
		"cut value":            {dimsetest.Unit(4, 0, 0, 0, 2, 1), "a fragment that is cut off"},
		"value too short":      {dimsetest.Unit(4, 0, 0, 0, 1, 1, 3), "a fragment of 1 bytes"},
		"value too long":       {dimsetest.Unit(4, 0, 0, 0, 3, 1, 3), "a fragment of 3 bytes where 2 are left"},
		"value of 4 GiB":       {dimsetest.Unit(4, 255, 255, 255, 255, 1, 3), "a fragment of 4294967295 bytes"},
		"another context":      {changed(10, 3), "data that was not asked for"},
		"a data set":           {changed(11, 2), "data that was not asked for"},
		"another message":      {dimsetest.Response(1, 0x8001, 2, 0, "", ""), "an answer to another request"},
		"another command":      {dimsetest.Response(1, 0x8030, 1, 0, "", ""), "an answer to another request"},
		"a request":            {dimsetest.Response(1, 0x0001, 1, 0, "", ""), "an answer without a status"},
		"another instance":     {dimsetest.Response(1, 0x8001, 1, 0, "1.2.4", ""), "an answer for another instance"},
		"no status":            {value(3), "an answer without a status"},
		"cut element":          {value(3, 0, 0, 0, 1, 2, 0, 0), "an answer that is cut off"},
		"element of 4 GiB":     {value(3, 0, 0, 0, 9, 255, 255, 255, 255), "an element of 4294967295 bytes where 0 are left"},
		"status of one byte":   {value(3, 0, 0, 0, 9, 1, 0, 0, 0, 0), "element (0000,0900) has 1 bytes"},
		"another group":        {value(3, 8, 0, 0, 9, 0, 0, 0, 0), "an element of group 0008"},
		"endless fragments":    {empty, "an answer of more than 16384 bytes"},
		"endless command":      {value(1, make([]byte, 16<<10)...), "an answer of more than 16384 bytes"},
		"two answers":          {dimsetest.Unit(4, append(bytes.Clone(good[6:]), good[6:]...)...), "more than one answer"},
		"abort":                {dimsetest.Unit(7, 0, 0, 0, 0), "aborted the association"},
		"release out of turn":  {dimsetest.Unit(5, 0, 0, 0, 0), "a unit of type 5 out of turn"},
		"a data set announced": {value(3, append(elementOf(0x0100, 0x8001), append(elementOf(0x0120, 1), append(elementOf(0x0900, 0), elementOf(0x0800, 0)...)...)...)...), "another request"},
	} {
		a := dial(t, hostile(t, true, nil, c.b), config)
		_, err := a.Store(context.Background(), instance("1.2.3", []byte("data")))
		a.Abort()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	a := dial(t, hostile(t, true, nil, good), config)
	if got, err := a.Store(context.Background(), instance("1.2.3", []byte("data"))); err != nil || got.Status != 0 {
		t.Errorf("%v, %v", got, err)
	}
	a.Abort()
	// An answer in two fragments, and in two units.
	set := good[12:]
	split := append(value(1, set[:10]...), value(3, set[10:]...)...)
	a = dial(t, hostile(t, true, nil, split), config)
	if got, err := a.Store(context.Background(), instance("1.2.3", []byte("data"))); err != nil || got.Status != 0 {
		t.Errorf("split: %v, %v", got, err)
	}
	a.Abort()
}

func elementOf(element, v uint16) []byte {
	b := binary.LittleEndian.AppendUint16([]byte{0, 0}, element)
	return binary.LittleEndian.AppendUint16(append(b, 2, 0, 0, 0), v)
}

// TestEchoThatFails has a status.
func TestEchoThatFails(t *testing.T) {
	a := dial(t, hostile(t, true, dimsetest.Response(1, 0x8030, 1, 0x0122, "", "")), config, dimse.Verification)
	wantError(t, a.Echo(context.Background()), "the echo was answered with status 0122")
	a.Abort()
}

// TestSilentNode ends by its timeout, in every wait, and by the context.
func TestSilentNode(t *testing.T) {
	short := config
	short.Timeout = 20 * time.Millisecond
	for _, accept := range []bool{false, true} {
		n := dimsetest.Start(t, dimsetest.Behaviour{Raw: func(conn net.Conn) {
			if accept {
				if _, request, err := dimsetest.ReadUnit(conn); err == nil {
					_, _ = conn.Write(dimsetest.Accept(request, 0, nil))
				}
			}
			_, _ = io.Copy(io.Discard, conn)
		}}).Node
		a, err := dimse.Dial(context.Background(), n, short, []dimse.Context{ct})
		if accept {
			if err != nil {
				t.Fatal(err)
			}
			_, err = a.Store(context.Background(), instance("1.2", []byte("x")))
			a.Abort()
		}
		wantError(t, err, "no answer within 20ms")
	}
}

// TestCancel ends every wait at once with the error of the context.
func TestCancel(t *testing.T) {
	for _, accept := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		n := dimsetest.Start(t, dimsetest.Behaviour{Raw: func(conn net.Conn) {
			_, request, err := dimsetest.ReadUnit(conn)
			if err == nil && accept {
				_, _ = conn.Write(dimsetest.Accept(request, 0, nil))
				_, _, _ = dimsetest.ReadUnit(conn)
			}
			cancel()
			_, _ = io.Copy(io.Discard, conn)
		}}).Node
		a, err := dimse.Dial(ctx, n, config, []dimse.Context{ct})
		if accept {
			if err != nil {
				t.Fatal(err)
			}
			_, err = a.Store(ctx, instance("1.2", []byte("x")))
			a.Abort()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("accept %v: %v", accept, err)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	s := dimsetest.Start(t, dimsetest.Behaviour{})
	if _, err := dimse.Dial(cancelled, s.Node, config, []dimse.Context{ct}); !errors.Is(err, context.Canceled) {
		t.Errorf("before it began: %v", err)
	}
}

// TestReaderThatEnds is a file that was cut off since its size was read.
func TestReaderThatEnds(t *testing.T) {
	s := dimsetest.Start(t, dimsetest.Behaviour{})
	a := dial(t, s.Node, config)
	i := instance("1.2", []byte("short"))
	i.Size++
	_, err := a.Store(context.Background(), i)
	wantError(t, err, "a file could not be read while it was sent")
	a.Abort()
	if len(s.Stored()) != 0 {
		t.Error("it is stored")
	}
}

func TestArguments(t *testing.T) {
	s := dimsetest.Start(t, dimsetest.Behaviour{})
	many := make([]dimse.Context, dimse.MaxContexts+1)
	for i := range many {
		many[i] = dimse.Context{SOPClass: fmt.Sprintf("1.2.%d", i), Syntax: explicitLE}
	}
	for _, contexts := range [][]dimse.Context{nil, many} {
		if _, err := dimse.Dial(context.Background(), s.Node, config, contexts); err == nil {
			t.Errorf("%d contexts", len(contexts))
		}
	}
	a := dial(t, s.Node, config, many[1:]...)
	for _, c := range many[1:] {
		if err := a.Accepts(c); err != nil {
			t.Fatal(err)
		}
	}
	a.Abort()
	for _, uid := range []string{"", strings.Repeat("1", 65)} {
		a := dial(t, s.Node, config)
		if _, err := a.Store(context.Background(), instance(uid, []byte("x"))); err == nil {
			t.Errorf("instance UID %q", uid)
		}
		a.Abort()
	}
	for _, bad := range []dimse.Config{{}, {Calling: "SEVENTEEN_LETTERS"}} {
		if _, err := dimse.Dial(context.Background(), s.Node, bad, []dimse.Context{ct}); err == nil {
			t.Errorf("calling %q", bad.Calling)
		}
	}
	n := s.Node
	n.AETitle = ""
	if _, err := dimse.Dial(context.Background(), n, config, []dimse.Context{ct}); err == nil {
		t.Error("no called AE title")
	}
}

func TestParseNode(t *testing.T) {
	for s, want := range map[string]dimse.Node{
		"PACS@host:104":               {AETitle: "PACS", Host: "host", Port: 104},
		"A B@[::1]:65535":             {AETitle: "A B", Host: "::1", Port: 65535},
		"SIXTEEN_LETTERS_@10.0.0.1:1": {AETitle: "SIXTEEN_LETTERS_", Host: "10.0.0.1", Port: 1},
	} {
		got, err := dimse.ParseNode(s)
		if err != nil || got != want || got.String() != s {
			t.Errorf("%s: %+v, %v", s, got, err)
		}
	}
	for s, want := range map[string]string{
		"": "give AETITLE@HOST:PORT", "PACS": "give AETITLE@HOST:PORT", "PACS@host": "no host and port", "PACS@:104": "no host and port",
		"PACS@h:0": "1 to 65535", "PACS@h:65536": "1 to 65535", "PACS@h:x": "1 to 65535", "@h:104": "AE title is empty",
		"SEVENTEEN_LETTERS@h:1": "longer than 16", " A@h:1": "space", "A @h:1": "space", "A\\B@h:1": "backslash", "Ä@h:1": "ASCII", "A\x7f@h:1": "ASCII",
	} {
		_, err := dimse.ParseNode(s)
		wantError(t, err, want)
	}
}

// TestTLS sends through TLS, refuses an unknown certificate, and names a port of the other kind.
func TestTLS(t *testing.T) {
	certificate, pool := dimsetest.Certificate(t)
	secure := dimsetest.Start(t, dimsetest.Behaviour{TLS: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}})

	with := config
	with.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	a := dial(t, secure.Node, with)
	if got, err := a.Store(context.Background(), instance("1.2", bytes.Repeat([]byte("x"), 300000))); err != nil || got.Status != 0 {
		t.Errorf("%v, %v", got, err)
	}
	if err := a.Release(context.Background()); err != nil {
		t.Error(err)
	}

	unknown := config
	unknown.TLS = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	_, err := dimse.Dial(context.Background(), secure.Node, unknown, []dimse.Context{ct})
	wantError(t, err, "signed by an unknown authority; give the certificate")
	other := config
	other.TLS = &tls.Config{RootCAs: pool, ServerName: "other.example", MinVersion: tls.VersionTLS12}
	_, err = dimse.Dial(context.Background(), secure.Node, other, []dimse.Context{ct})
	wantError(t, err, "its certificate is refused")
	plain := dimsetest.Start(t, dimsetest.Behaviour{Raw: func(conn net.Conn) { // without reading: a TLS hello is no unit
		if _, err := conn.Write(dimsetest.Unit(7, 0, 0, 0, 0)); err == nil {
			_, _ = io.Copy(io.Discard, conn)
		}
	}})
	_, err = dimse.Dial(context.Background(), plain.Node, with, []dimse.Context{ct})
	wantError(t, err, "does not speak TLS on this port; send without TLS")
	_, err = dimse.Dial(context.Background(), secure.Node, config, []dimse.Context{ct})
	wantError(t, err, "with or without TLS as the PACS has it")
}

// untilItListens waits for a program by others to start.
func untilItListens(t *testing.T, n dimse.Node) {
	t.Helper()
	for {
		a, err := dimse.Dial(t.Context(), n, config, []dimse.Context{dimse.Verification})
		if err == nil {
			a.Abort()
			return
		}
		select {
		case <-t.Context().Done(): // by the time of the test
			t.Fatal(err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestStorescp sends to dcmtk, an implementation by others.
func TestStorescp(t *testing.T) {
	n, dir := dimse.Node{AETitle: "STORESCP", Host: "127.0.0.1", Port: dimsetest.FreePort(t)}, t.TempDir()
	dimsetest.Dcmtk(t, "storescp", "--output-directory", dir, "--aetitle", n.AETitle, "--max-pdu", "4096", fmt.Sprint(n.Port))
	untilItListens(t, n)
	a := dial(t, n, config, ct, dimse.Verification)
	if err := a.Echo(context.Background()); err != nil {
		t.Fatal(err)
	}
	// SOP class and instance, and a name that fills several PDUs.
	data := element(0x0008, 0x0016, "UI", ctImage+"\x00")
	data = append(data, element(0x0008, 0x0018, "UI", "1.2.3.4\x00")...)
	data = append(data, element(0x0008, 0x103E, "LO", strings.Repeat("series ", 2000))...)
	got, err := a.Store(context.Background(), instance("1.2.3.4", data))
	if err != nil || got.Status != 0 {
		t.Fatalf("%v, %v", got, err)
	}
	if err := a.Release(context.Background()); err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	file, err := os.ReadFile(files[0])
	if err != nil || !bytes.Contains(file, data) {
		t.Errorf("the data set is not in the file of %d bytes, %v", len(file), err)
	}
}

func element(group, number uint16, vr, v string) []byte {
	b := binary.LittleEndian.AppendUint16(nil, group)
	b = append(binary.LittleEndian.AppendUint16(b, number), vr...)
	return append(binary.LittleEndian.AppendUint16(b, uint16(len(v))), v...)
}
