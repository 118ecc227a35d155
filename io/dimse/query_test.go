package dimse_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"quell/io/attributes"
	"quell/io/dimse"
	"quell/io/dimse/dimsetest"
)

// fragmentOf is a unit of one value. control is 1 for a command, 2 for a last fragment, or their sum.
func fragmentOf(id, control byte, b ...byte) []byte {
	return dimsetest.Unit(4, append(append(binary.BigEndian.AppendUint32(nil, uint32(len(b)+2)), id, control), b...)...)
}

// answerOf is an answer to the first command over context 1. counts are remaining, completed, failed and
// warning sub-operations.
func answerOf(field, status uint16, data bool, counts ...uint16) []byte {
	kind := uint16(0x0101)
	if data {
		kind = 0
	}
	set := bytes.Join([][]byte{elementOf(0x0100, field), elementOf(0x0120, 1), elementOf(0x0800, kind), elementOf(0x0900, status)}, nil)
	for i, n := range counts {
		set = append(set, elementOf(0x1020+uint16(i), n)...)
	}
	return fragmentOf(1, 3, set...)
}

const findAnswer, getAnswer = 0x8020, 0x8010

func resultOf(uid string) []byte { return fragmentOf(1, 2, element(0x0020, 0x000D, "UI", uid)...) }

func found(uid string) []byte {
	return append(answerOf(findAnswer, 0xFF00, true), resultOf(uid)...)
}

// TestHostileAnswersToASearch end in a sentence.
func TestHostileAnswersToASearch(t *testing.T) {
	done := answerOf(findAnswer, 0, false)
	for what, c := range map[string]struct {
		b    []byte
		want string
	}{
		"closed":           {nil, "closed the connection"},
		"half a result":    {append(answerOf(findAnswer, 0xFF00, true), resultOf("1.2.34")[:14]...), "closed the connection"},
		"no attributes":    {answerOf(findAnswer, 0xFF00, false), "a result without attributes"},
		"no UID":           {append(answerOf(findAnswer, 0xFF00, true), fragmentOf(1, 2)...), "a result without a UID"},
		"a path for a UID": {found("../../1 "), "a result without a UID"},
		"broken":           {append(answerOf(findAnswer, 0xFF00, true), fragmentOf(1, 2, 8, 0, 0x20, 0, 'D', 'A', 255, 255)...), "a result that cannot be read"},
		"another context":  {append(answerOf(findAnswer, 0xFF00, true), fragmentOf(3, 2, 1, 2, 3, 4)...), "data that was not asked for"},
		"a command within": {append(answerOf(findAnswer, 0xFF00, true), fragmentOf(1, 3, 1, 2, 3, 4)...), "data that was not asked for"},
		"another message":  {answerOf(getAnswer, 0xFF00, true), "an answer to another request"},
		"too long":         {append(answerOf(findAnswer, 0xFF00, true), bytes.Repeat(fragmentOf(1, 0, make([]byte, 60000)...), 18)...), "it sends more results than are held at a time; narrow the search"},
		"endless nothing":  {append(answerOf(findAnswer, 0xFF00, true), bytes.Repeat(fragmentOf(1, 0), 1002)...), "more than 1000 fragments without data"},
		"refused":          {answerOf(findAnswer, 0xA900, false), "the search was refused (the query does not fit what it supports (status A900))"},
		"busy":             {answerOf(findAnswer, 0xA700, false), "out of resources"},
		"not understood":   {answerOf(findAnswer, 0xC001, false), "the query cannot be processed (status C001)"},
		"with data":        {append(answerOf(findAnswer, 0xC001, true), fragmentOf(1, 2, 1, 2)...), "status C001"},
	} {
		a := dial(t, hostile(t, true, nil, c.b), config, dimse.FindContexts()...)
		r, err := a.Studies(context.Background(), attributes.Query{Most: 100})
		a.Abort()
		if err == nil || !strings.Contains(err.Error(), c.want) || r.Found != nil {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	for most, want := range map[int]bool{2: false, 3: false, 1: true} {
		a := dial(t, hostile(t, true, nil, bytes.Join([][]byte{found("1.2.33"), found("1.2.34"), done}, nil)), config, dimse.FindContexts()...)
		r, err := a.Studies(context.Background(), attributes.Query{Most: most})
		if err != nil || len(r.Found) != min(2, most) || r.More != want || r.Found[0].Text(attributes.StudyInstanceUID) != "1.2.33" {
			t.Errorf("at most %d: %v, %v", most, r, err)
		}
		a.Abort()
	}
}

// TestSearchWithoutEnd is ended after Query.Most results and some that are passed over.
func TestSearchWithoutEnd(t *testing.T) {
	defer dimse.SetIgnored(50)()
	n := dimsetest.Start(t, dimsetest.Behaviour{Raw: func(conn net.Conn) {
		_, request, err := dimsetest.ReadUnit(conn)
		if err == nil {
			_, err = conn.Write(dimsetest.Accept(request, 0, nil))
		}
		for err == nil {
			_, err = conn.Write(found("1.2.34"))
		}
	}}).Node
	a := dial(t, n, config, dimse.FindContexts()...)
	_, err := a.Studies(context.Background(), attributes.Query{Most: 5})
	wantError(t, err, "results without end")
	a.Abort()
}

// inBubble runs a test against a node that accepts every context and then does what raw says, with a clock
// that only waits move.
func inBubble(t *testing.T, raw func(conn net.Conn), contexts []dimse.Context, test func(t *testing.T, a *dimse.Association)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := dimsetest.NewPipes()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			conn, err := p.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			if _, request, err := dimsetest.ReadUnit(conn); err == nil {
				if _, err := conn.Write(dimsetest.Accept(request, 0, nil)); err == nil {
					raw(conn)
				}
			}
		}()
		a, err := dimse.Dial(t.Context(), dimse.Node{AETitle: "A", Host: "h", Port: 1}, dimse.WithDial(config, p.Dial), contexts)
		if err != nil {
			t.Fatal(err)
		}
		test(t, a)
		a.Abort()
		p.Close()
		<-ended
	})
}

// readUnits reads some units.
func readUnits(conn net.Conn, n int) (last []byte) {
	for range n {
		_, b, err := dimsetest.ReadUnit(conn)
		if err != nil {
			return nil
		}
		last = b
	}
	return last
}

// TestCancelledSearch asks the node to stop. One that does leaves the association of use, one that is
// silent has five seconds.
func TestCancelledSearch(t *testing.T) {
	for _, silent := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		inBubble(t, func(conn net.Conn) {
			readUnits(conn, 2) // the request
			_, _ = conn.Write(found("1.2.34"))
			cancel()
			request := readUnits(conn, 1)
			if !bytes.Contains(request, elementOf(0x0100, 0x0FFF)) || !bytes.Contains(request, elementOf(0x0120, 1)) {
				t.Errorf("%x is no C-CANCEL", request)
			}
			if !silent {
				_, _ = conn.Write(answerOf(findAnswer, 0xFE00, false))
			}
			_, _ = io.Copy(io.Discard, conn)
		}, dimse.FindContexts(), func(t *testing.T, a *dimse.Association) {
			begin := time.Now()
			_, err := a.Studies(ctx, attributes.Query{Most: 5})
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			want := time.Duration(0)
			if silent {
				want = 5 * time.Second
			}
			if waited := time.Since(begin); waited != want {
				t.Errorf("silent %v: waited %v", silent, waited)
			}
		})
	}
}

// TestSilentArchive ends by its timeout, though it answered before.
func TestSilentArchive(t *testing.T) {
	inBubble(t, func(conn net.Conn) {
		readUnits(conn, 2)
		_, _ = conn.Write(found("1.2.34"))
		_, _ = io.Copy(io.Discard, conn)
	}, dimse.FindContexts(), func(t *testing.T, a *dimse.Association) {
		_, err := a.Studies(t.Context(), attributes.Query{Most: 5})
		wantError(t, err, "no answer within 30s")
	})
}

// storeOf is a C-STORE request of a node over a context.
func storeOf(id byte, class, uid string) []byte {
	text := func(e uint16, s string) []byte {
		s += strings.Repeat("\x00", len(s)%2)
		b := binary.LittleEndian.AppendUint16([]byte{0, 0}, e)
		return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	set := bytes.Join([][]byte{text(0x0002, class), elementOf(0x0100, 1), elementOf(0x0110, 7), elementOf(0x0800, 0), text(0x1000, uid)}, nil)
	return fragmentOf(id, 3, set...)
}

// sent is an instance over the context of CT in explicit little endian, which has the ID 5.
func sent(uid string) []byte {
	return append(storeOf(5, ctImage, uid), fragmentOf(5, 2, []byte("data of "+uid)...)...)
}

// TestHostileAnswersToARetrieval end in a sentence; counts that lie do too.
func TestHostileAnswersToARetrieval(t *testing.T) {
	two := append(sent("1.1"), sent("1.2")...)
	ended := func(status uint16, counts ...uint16) []byte {
		return append(bytes.Clone(two), answerOf(getAnswer, status, false, counts...)...)
	}
	for what, c := range map[string]struct {
		b       []byte
		want    int // of the retrieval
		arrived int
		text    string // "" for success
	}{
		"two":                    {ended(0, 0, 2, 0, 0), 2, 2, ""},
		"without counts":         {ended(0), 2, 2, ""},
		"not known how many":     {ended(0, 0, 2, 0, 0), 0, 2, ""},
		"with a warning":         {ended(0, 0, 1, 0, 1), 2, 2, ""},
		"one too few":            {ended(0, 0, 2, 0, 0), 3, 2, "it sent 2 instances of 3; retrieve them again"},
		"one too many":           {ended(0, 0, 2, 0, 0), 1, 2, "it sent 2 instances of 1"},
		"a count that lies":      {ended(0, 0, 3, 0, 0), 0, 2, "it sent 2 instances of 3"},
		"a count below":          {ended(0, 0, 1, 0, 0), 0, 2, "it sent 2 instances of 1"},
		"one failed":             {ended(0xB000, 0, 2, 1, 0), 0, 2, "it sent 2 instances of 3"},
		"some left":              {ended(0, 1, 2, 0, 0), 0, 2, "it sent 2 instances of 3"},
		"then a failure":         {ended(0xA702, 0, 2, 1, 0), 3, 2, "it sent 2 instances of 3, then: out of resources (status A702)"},
		"refused":                {answerOf(getAnswer, 0xA900, false), 2, 0, "the retrieval was refused"},
		"nothing":                {answerOf(getAnswer, 0, false, 0, 0, 0, 0), 0, 0, ""},
		"closed":                 {nil, 2, 0, "closed the connection"},
		"closed within":          {two[:len(two)-2], 2, 1, "closed the connection"},
		"closed before the data": {storeOf(5, ctImage, "1.1"), 0, 0, "closed the connection"},
		"closed between units":   {append(storeOf(5, ctImage, "1.1"), fragmentOf(5, 0, 1, 2)...), 0, 0, "closed the connection"},
		"twice":                  {append(sent("1.1"), sent("1.1")...), 2, 1, "an instance twice"},
		"one more than allowed":  {append(bytes.Clone(two), append(sent("1.3"), sent("1.4")...)...), 0, 3, "it sends more than 3 instances"},
		"longer than allowed":    {append(storeOf(5, ctImage, "1.1"), fragmentOf(5, 2, make([]byte, 101)...)...), 0, 0, "it sends more than 100 bytes; retrieve less"},
		"longer in all":          {append(append(storeOf(5, ctImage, "1.1"), fragmentOf(5, 2, make([]byte, 90)...)...), append(storeOf(5, ctImage, "1.2"), fragmentOf(5, 2, make([]byte, 71)...)...)...), 0, 1, "it sends more than 70 bytes"},
		"a path for a UID":       {storeOf(5, ctImage, "../../x"), 0, 0, "an instance without a UID"},
		"another class":          {storeOf(5, "1.2.840.10008.5.1.4.1.1.4", "1.1"), 0, 0, "another class than its context"},
		"a context of another":   {storeOf(1, ctImage, "1.1"), 0, 0, "another class than its context"},
		"no context":             {storeOf(99, ctImage, "1.1"), 0, 0, "a context that was not agreed"},
		"an even context":        {storeOf(4, ctImage, "1.1"), 0, 0, "a context that was not agreed"},
		"an echo":                {fragmentOf(1, 3, append(elementOf(0x0100, 0x30), elementOf(0x0800, 0x0101)...)...), 0, 0, "a request that was not asked for"},
		"an answer to a search":  {answerOf(findAnswer, 0, false), 0, 0, "an answer to another request"},
		"an answer over another": {append(sent("1.1"), fragmentOf(5, 3, answerOf(getAnswer, 0, false)[12:]...)...), 0, 1, "data that was not asked for"},
	} {
		a := dial(t, hostile(t, true, nil, c.b), config, dimse.GetContexts(ctImage)...)
		var arrived []string
		n, err := a.Get(context.Background(), attributes.Retrieval{Study: "1", Series: "2", Want: c.want, MostParts: 3, MostPartBytes: 100, MostBytes: 160}, func(i *dimse.Arrival) error {
			b, err := io.ReadAll(i)
			if err == nil {
				arrived = append(arrived, i.UID)
				if !bytes.Contains(b, []byte(i.UID)) || i.Context != ct {
					t.Errorf("%s: %v holds %q", what, i.Context, b)
				}
			}
			return err
		})
		a.Abort()
		if n != c.arrived || len(arrived) != n || (err == nil) != (c.text == "") || err != nil && !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %d arrived, %v, want %d and %q", what, n, err, c.arrived, c.text)
		}
	}
}

// TestCancelledRetrieval hands nothing over after the cancel.
func TestCancelledRetrieval(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	inBubble(t, func(conn net.Conn) {
		readUnits(conn, 2)
		_, _ = conn.Write(sent("1.1"))
		readUnits(conn, 1) // the answer
		cancel()
		readUnits(conn, 1) // the cancel
		_, _ = conn.Write(sent("1.2"))
		readUnits(conn, 1)
		_, _ = conn.Write(answerOf(getAnswer, 0xFE00, false, 3, 1, 1, 0))
		_, _ = io.Copy(io.Discard, conn)
	}, dimse.GetContexts(ctImage), func(t *testing.T, a *dimse.Association) {
		n, err := a.Get(ctx, attributes.Retrieval{Study: "1", Series: "2"}, func(i *dimse.Arrival) error {
			if i.UID != "1.1" {
				t.Errorf("%s was handed over", i.UID)
			}
			return nil
		})
		if n != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("%d, %v", n, err)
		}
	})
}

// A retrieval without a valid UID, and a search without its context, are refused here.
func TestRefusedHere(t *testing.T) {
	a := dial(t, hostile(t, true), config, dimse.GetContexts()...)
	defer a.Abort()
	if _, err := a.Get(context.Background(), attributes.Retrieval{Study: "../"}, nil); err == nil {
		t.Error("a path is a UID")
	}
	if _, err := a.Studies(context.Background(), attributes.Query{Most: 1}); err == nil {
		t.Error("searched without a context")
	}
}
