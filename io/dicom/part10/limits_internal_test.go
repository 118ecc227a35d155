package part10

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
)

// element returns an element in explicit little endian.
func element(t Tag, vr string, value []byte) []byte {
	return AppendElement(nil, ExplicitLE, t, vr, value)
}

// dataset returns the elements behind a meta header for explicit little endian.
func dataset(elements ...[]byte) []byte {
	return slices.Concat(append([][]byte{AppendFileMeta(nil, "1.2", "1.2.3", UIDExplicitLE, "")}, elements...)...)
}

// nested returns n sequences of undefined length, each inside the one before.
func nested(n int) []byte {
	var b []byte
	for range n {
		b = AppendElementHeader(b, ExplicitLE, 0x00081140, "SQ", UndefinedLength)
		b = AppendElementHeader(b, ExplicitLE, TagItem, "", UndefinedLength)
	}
	for range n {
		b = AppendElementHeader(b, ExplicitLE, TagItemDelimitation, "", 0)
		b = AppendElementHeader(b, ExplicitLE, TagSequenceDelimitation, "", 0)
	}
	return b
}

// TestLimitOfDepth reads sequences nested 64 deep and refuses 65.
func TestLimitOfDepth(t *testing.T) {
	for depth, fits := range map[int]bool{64: true, 65: false} {
		_, err := TokenizeBytes(dataset(nested(depth)), nil)
		if (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "deeper than 64") {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

// TestLimitOfDepthWhenReencoded re-encodes sequences nested 64 deep and refuses 65. They
// have lengths, which the tokenizer skips.
func TestLimitOfDepthWhenReencoded(t *testing.T) {
	for depth, fits := range map[int]bool{64: true, 65: false} {
		var b []byte
		for range depth {
			b = AppendSequence(nil, ImplicitLE, 0x00081140, b)
		}
		file := append(AppendFileMeta(nil, "1.2", "1.2.3", UIDImplicitLE, ""), b...)
		p, err := TokenizeBytes(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := Dataset{Bytes: file, File: p, Encoding: ImplicitLE}
		if _, err := d.ExplicitElements(false); (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "deeper than 64") {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

// TestLimitOfItemElements visits an item of 10000 elements and refuses one of 10001.
func TestLimitOfItemElements(t *testing.T) {
	for n, fits := range map[int]bool{10000: true, 10001: false} {
		b := AppendSequence(nil, ExplicitLE, 0x00081140, bytes.Repeat(element(TagModality, "CS", nil), n))
		e := Element{Tag: 0x00081140, VR: "SQ", Value: 12, Length: uint32(len(b) - 12), End: int64(len(b))}
		visited := 0
		err := EachItem(b, e, ExplicitLE, func(item SequenceItem) error { visited = len(item.Elements); return nil })
		if (err == nil) != fits || fits && visited != n {
			t.Errorf("%d elements: %d visited, %v", n, visited, err)
		}
	}
}

// TestLimitOfElements reads a million elements at the top level.
func TestLimitOfElements(t *testing.T) {
	b := dataset(bytes.Repeat(element(TagModality, "CS", nil), maxElements))
	if p, err := TokenizeBytes(b, nil); err != nil || len(p.Elements) != maxElements {
		t.Errorf("%d elements, %v", len(p.Elements), err)
	}
	_, err := TokenizeBytes(append(b, element(TagModality, "CS", nil)...), nil)
	if err == nil || !strings.Contains(err.Error(), "more than 1000000 elements") {
		t.Errorf("one more: %v", err)
	}
}

// TestLimitOfKeptValues keeps a wanted value of 64 KiB and no longer one, and a Siemens
// header of as many bytes.
func TestLimitOfKeptValues(t *testing.T) {
	all := func(Tag) bool { return true }
	for n, kept := range map[int]bool{64 << 10: true, 64<<10 + 2: false} {
		csa := element(TagSiemensCSAImageHeader, "OB", make([]byte, n))
		p, err := TokenizeBytes(dataset(element(0x00080001, "UT", make([]byte, n)), element(0x00290010, "LO", []byte(ownerSiemensCSA)), csa), all)
		if err != nil {
			t.Fatal(err)
		}
		a, err := ReadValues(p)
		if _, ok := a.Find(0x00080001); ok != kept || err != nil {
			t.Errorf("a text of %d bytes: kept %v, %v", n, ok, err)
		}
		if b := p.Kept[TagSiemensCSAImageHeader]; (b != nil) != kept || kept && !bytes.Equal(b, csa) {
			t.Errorf("a Siemens header of %d bytes: %d bytes are kept", n, len(b))
		}
	}
}

// TestLimitOfTheTransferSyntax takes a UID of up to 128 bytes from the meta header.
func TestLimitOfTheTransferSyntax(t *testing.T) {
	for n, taken := range map[int]bool{128: true, 130: false} {
		b := append(make([]byte, 128), "DICM"...)
		b = append(b, element(TagTransferSyntaxUID, "UI", bytes.Repeat([]byte{'1'}, n))...)
		b = append(b, element(TagModality, "CS", []byte("CT"))...)
		p, err := TokenizeBytes(b, nil)
		if err != nil || (p.Syntax.UID == strings.Repeat("1", 64)+"…") != taken || !taken && p.Syntax.UID != UIDExplicitLE {
			t.Errorf("%d bytes: %q, %v", n, p.Syntax.UID, err)
		}
	}
}

// TestStreamHead keeps the first 1024 bytes of the first fragment behind the offset table,
// and all of a shorter one.
func TestStreamHead(t *testing.T) {
	for n, want := range map[int]int{10: 10, 1024: 1024, 1026: 1024} {
		b := AppendElementHeader(nil, ExplicitLE, TagPixelData, "OB", UndefinedLength)
		b = AppendItem(b, ExplicitLE, []byte("TABLE!"))
		b = AppendItem(b, ExplicitLE, bytes.Repeat([]byte{7}, n))
		b = AppendItem(b, ExplicitLE, []byte("second"))
		b = AppendElementHeader(b, ExplicitLE, TagSequenceDelimitation, "", 0)
		p, err := TokenizeBytes(dataset(b), func(Tag) bool { return false })
		if err != nil || !bytes.Equal(p.Stream, bytes.Repeat([]byte{7}, want)) {
			t.Errorf("a fragment of %d bytes: %d are kept, %v", n, len(p.Stream), err)
		}
		if p, err = TokenizeBytes(dataset(b), nil); err != nil || p.Stream != nil {
			t.Errorf("without wanted elements: %d bytes are kept, %v", len(p.Stream), err)
		}
	}
}

// TestDamagedFragments refuses fragments without a length, and pixel data without any.
func TestDamagedFragments(t *testing.T) {
	head := AppendElementHeader(nil, ExplicitLE, TagPixelData, "OB", UndefinedLength)
	end := AppendElementHeader(nil, ExplicitLE, TagSequenceDelimitation, "", 0)
	endless := slices.Concat(head, AppendElementHeader(nil, ExplicitLE, TagItem, "", UndefinedLength), end)
	if _, err := TokenizeBytes(dataset(endless), nil); err == nil || !strings.Contains(err.Error(), "has no length") {
		t.Errorf("a fragment without length: %v", err)
	}
	for name, b := range map[string][]byte{
		"no item":                slices.Concat(head, end),
		"the offset table alone": slices.Concat(head, AppendItem(nil, ExplicitLE, nil), end),
	} {
		file := dataset(b)
		p, err := TokenizeBytes(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadFragments(file, p.Elements[p.PixelIndex]); err == nil || !strings.Contains(err.Error(), "no fragment") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFragmentOffsets counts offsets from the first fragment, not from the table.
func TestFragmentOffsets(t *testing.T) {
	b := AppendElementHeader(nil, ExplicitLE, TagPixelData, "OB", UndefinedLength)
	for _, item := range []string{"table!", "first.", "2nd.", "third fragment"} {
		b = AppendItem(b, ExplicitLE, []byte(item))
	}
	file := dataset(AppendElementHeader(b, ExplicitLE, TagSequenceDelimitation, "", 0))
	p, err := TokenizeBytes(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	table, items, err := ReadFragments(file, p.Elements[p.PixelIndex])
	got := string(table)
	for _, it := range items {
		got += fmt.Sprintf(" %d:%s", it.Offset, it.Bytes)
	}
	if want := "table! 0:first. 14:2nd. 26:third fragment"; got != want || err != nil {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// TestDamagedItems refuses items and elements that run out of what they lie in.
func TestDamagedItems(t *testing.T) {
	cs := element(TagModality, "CS", []byte("CT")) // 10 bytes
	item := func(length uint32) []byte { return AppendElementHeader(nil, ExplicitLE, TagItem, "", length) }
	for name, c := range map[string]struct {
		b    []byte
		want string
	}{
		"sound":             {slices.Concat(item(10), cs), ""},
		"item too long":     {slices.Concat(item(12), cs, cs), "an item runs out of its sequence"},
		"element too long":  {slices.Concat(item(9), cs), "an element runs out of its item"},
		"undefined, no end": {slices.Concat(item(UndefinedLength), cs, cs), "an element runs out of its item"},
		"no item":           {slices.Concat(cs, cs), "where an item should begin"},
	} {
		end := int64(18)
		e := Element{Tag: 0x00081140, VR: "SQ", End: end}
		if name == "element too long" {
			e.End = 17
		}
		err := EachItem(append(c.b, make([]byte, 20)...), e, ExplicitLE, func(SequenceItem) error { return nil })
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	failed := errors.New("failed")
	err := EachItem(slices.Concat(item(10), cs), Element{VR: "SQ", End: 18}, ExplicitLE, func(SequenceItem) error { return failed })
	if err != failed {
		t.Errorf("the error of the visit: %v", err)
	}
	if err := EachItem(cs, Element{VR: "LO", End: 10}, ExplicitLE, nil); err == nil {
		t.Error("a text is read as a sequence")
	}
}

// TestSequenceItems returns items without the delimiter that an undefined length has.
func TestSequenceItems(t *testing.T) {
	b := []byte("headitems---delimiter")
	for _, c := range []struct {
		e    Element
		enc  Encoding
		want string
		ok   bool
	}{
		{Element{VR: "SQ", Value: 4, Length: 5, End: 9}, ExplicitLE, "items", true},
		{Element{VR: "SQ", Value: 4, Length: UndefinedLength, End: 17}, ExplicitLE, "items", true},
		{Element{Value: 4, Length: 5, End: 9}, ImplicitLE, "items", true},
		{Element{VR: "UN", Value: 4, Length: 5, End: 9}, ExplicitLE, "", false},
	} {
		if got, err := SequenceItems(b, c.e, c.enc); string(got) != c.want || (err == nil) != c.ok {
			t.Errorf("%+v: %q, %v", c.e, got, err)
		}
	}
}

// TestGuessEncoding pins what the first element of a file without a meta header may be.
func TestGuessEncoding(t *testing.T) {
	implicit := func(group, elem uint16, length uint32) []byte {
		b := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, group), elem)
		return binary.LittleEndian.AppendUint32(b, length)
	}
	for _, c := range []struct {
		head    []byte
		lenient bool
		ok      bool
	}{
		{implicit(8, 0x70, 10), false, true}, {implicit(8, 0x71, 10), false, false},
		{implicit(8, 5, 256), false, true}, {implicit(8, 5, 258), false, false},
		{implicit(8, 5, 2), false, true}, {implicit(8, 5, 0), false, false}, {implicit(8, 5, 3), false, false},
		{implicit(2, 5, 10), false, true}, {implicit(0x10, 5, 10), false, false}, {implicit(0x10, 5, 10), true, true},
		{implicit(0x2F, 5, 10), true, true}, {implicit(0x30, 5, 10), true, false}, {implicit(0, 5, 10), true, false},
		{implicit(8, 5, 10)[:7], false, false},
	} {
		if enc, ok := guessEncoding(c.head, c.lenient); ok != c.ok || ok && enc != ImplicitLE {
			t.Errorf("% x, lenient %v: %v, %v", c.head, c.lenient, enc, ok)
		}
	}
	if b := append(make([]byte, 128), "DICM"...); !hasPreamble(b) || hasPreamble(b[:131]) || !Sniff(b) {
		t.Error("132 bytes with DICM are enough, and none fewer")
	}
}

// TestChooseSyntax believes the data and not a meta header that contradicts it, and the
// meta header about everything else.
func TestChooseSyntax(t *testing.T) {
	modality := func(enc Encoding) []byte { return AppendElement(nil, enc, TagModality, "CS", []byte("CT")) }
	for _, c := range []struct {
		meta string
		enc  Encoding
		want string
	}{
		{"", ExplicitBE, UIDExplicitBE}, {"", ImplicitLE, UIDImplicitLE},
		{UIDImplicitLE, ExplicitLE, UIDExplicitLE}, {UIDExplicitLE, ImplicitLE, UIDImplicitLE}, {UIDExplicitLE, ExplicitBE, UIDExplicitBE},
		{UIDRLE, ExplicitLE, UIDRLE}, {UIDRLE, ImplicitLE, UIDRLE},
	} {
		b := modality(c.enc)
		tk := &tokenizer{W: wholeFile(b), File: NewFile()}
		if err := tk.chooseSyntax(c.meta, 0); err != nil || tk.File.Syntax.UID != c.want {
			t.Errorf("%q over %v: %q, %v", c.meta, c.enc, tk.File.Syntax.UID, err)
		}
	}
	tk := &tokenizer{W: wholeFile([]byte("no elements here")), File: NewFile()}
	if err := tk.chooseSyntax("", 0); !errors.Is(err, ErrNotDICOM) {
		t.Errorf("text: %v", err)
	}
	if err := tk.chooseSyntax("1.2.3.4", 0); err != nil || !tk.File.Syntax.Encapsulated || tk.File.Syntax.Encoding != ExplicitLE {
		t.Errorf("an unknown syntax: %+v, %v", tk.File.Syntax, err)
	}
}

// TestLittleEndian swaps the bytes of big endian pixels alone, of every size.
func TestLittleEndian(t *testing.T) {
	for _, c := range []struct {
		enc   Encoding
		vr    string
		alloc int
		want  string
	}{
		{ExplicitBE, "OW", 16, "badcfehg!"}, {ExplicitBE, "OB", 8, "abcdefgh!"}, {ExplicitBE, "OW", 8, "badcfehg!"},
		{ExplicitBE, "OW", 32, "dcbahgfe!"}, {ExplicitLE, "OW", 16, "abcdefgh!"}, {ImplicitLE, "OW", 32, "abcdefgh!"},
	} {
		b := []byte("abcdefgh!")
		if LittleEndian(b, c.enc, c.vr, c.alloc); string(b) != c.want {
			t.Errorf("%v, %s of %d bits: %s, want %s", c.enc, c.vr, c.alloc, b, c.want)
		}
	}
}

// TestReadBuffer refuses bytes before the buffer, behind the file and of a negative number.
func TestReadBuffer(t *testing.T) {
	for name, b := range map[string]*ReadBuffer{
		"memory": wholeFile([]byte("0123456789")),
		"file":   NewReadBuffer(iotest.OneByteReader(strings.NewReader("0123456789")), 10),
	} {
		for _, c := range []struct {
			off  int64
			n    int
			want string
			ok   bool
		}{{0, 3, "012", true}, {2, -1, "", false}, {2, 9, "", false}, {10, 1, "", false}, {2, 8, "23456789", true}, {10, 0, "", true}, {-1, 1, "", false}} {
			if got, err := b.at(c.off, c.n); string(got) != c.want || (err == nil) != c.ok || err != nil && !errors.Is(err, ErrTruncated) {
				t.Errorf("%s: %d bytes at %d: %q, %v", name, c.n, c.off, got, err)
			}
		}
	}
	if _, err := (&ReadBuffer{buf: []byte("01"), size: 10}).at(1, 2); !errors.Is(err, ErrTruncated) {
		t.Errorf("memory that is shorter than its size: %v", err)
	}
	// 40000 bytes are skipped, in a reader that cannot seek and ends before.
	b := NewReadBuffer(iotest.OneByteReader(strings.NewReader("0123456789")), 50000)
	if _, err := b.at(40000, 1); !errors.Is(err, ErrTruncated) {
		t.Errorf("skipping over the end: %v", err)
	}
	// A file that is shorter than its size ends at an element, or inside one.
	for _, at := range [][2]int{{0, 15}, {5, 10}, {10, 5}, {12, 1}} {
		b := NewReadBuffer(strings.NewReader("0123456789"), 20)
		if got, err := b.at(0, 4); err != nil || string(got) != "0123" {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := b.at(int64(at[0]), at[1]); !errors.Is(err, ErrTruncated) {
			t.Errorf("%d bytes at %d of 10: %v", at[1], at[0], err)
		}
	}
	broken := NewReadBuffer(iotest.ErrReader(io.ErrClosedPipe), 10)
	if _, err := broken.at(0, 1); err != io.ErrClosedPipe {
		t.Errorf("an error of the disk: %v", err)
	}
}

// TestHeldBytes keeps the bytes from held on, whatever is read behind them.
func TestHeldBytes(t *testing.T) {
	data := make([]byte, 5*readChunk)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	b := NewReadBuffer(bytes.NewReader(data), int64(len(data)))
	b.held = 100
	for off := int64(100); off < int64(len(data)); off += 1000 {
		n := min(1000, len(data)-int(off))
		if got, err := b.at(off, n); err != nil || !bytes.Equal(got, data[off:off+int64(n)]) {
			t.Fatalf("%d bytes at %d: %v", n, off, err)
		}
	}
	if got, err := b.at(100, len(data)-100); err != nil || !bytes.Equal(got, data[100:]) {
		t.Errorf("the held bytes: %d, %v", len(got), err)
	}
}

// TestReadAll refuses files that are shorter than they say, reports errors of the disk, stops
// with its context, and reuses its buffer.
func TestReadAll(t *testing.T) {
	ctx := context.Background()
	data := bytes.Repeat([]byte("0123456789"), 1<<20)
	buf := make([]byte, 3, len(data))
	got, err := ReadAll(ctx, bytes.NewReader(data), "x", int64(len(data)), buf)
	if err != nil || !bytes.Equal(got, data) || &got[0] != &buf[0] {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got, err = ReadAll(ctx, bytes.NewReader(data), "x", 11, nil); err != nil || string(got) != "01234567890" {
		t.Errorf("a part: %q, %v", got, err)
	}
	got, err = ReadAll(ctx, bytes.NewReader(data), "x", 1<<40, nil)
	if err == nil || err.Error() != "x: it is shorter than its 1099511627776 bytes; "+AdviseCopy.String() || cap(got) > 4*len(data) {
		t.Errorf("a size that lies: a buffer of %d bytes, %v", cap(got), err)
	}
	if _, err = ReadAll(ctx, iotest.ErrReader(io.ErrClosedPipe), "x", 5, nil); !errors.Is(err, io.ErrClosedPipe) || !strings.HasPrefix(err.Error(), "x: it cannot be read (") {
		t.Errorf("an error of the disk: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err = ReadAll(ended, bytes.NewReader(data), "x", 5, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := ReadFile(fstest.MapFS{}, "x", 5, nil); err == nil || !strings.HasPrefix(err.Error(), "x: it cannot be opened (") {
		t.Errorf("no file: %v", err)
	}
}

// requests records how many bytes are asked for at a time.
type requests struct {
	in   io.Reader
	most int
	n    int
}

func (r *requests) Read(b []byte) (int, error) {
	r.most, r.n = max(r.most, len(b)), r.n+1
	return r.in.Read(b)
}

// TestReadAllInSteps reads 4 MB at a time, between which it looks at the context.
func TestReadAllInSteps(t *testing.T) {
	data := make([]byte, 10<<20)
	for _, buf := range [][]byte{nil, make([]byte, 0, len(data))} {
		r := &requests{in: bytes.NewReader(data)}
		if got, err := ReadAll(t.Context(), r, "x", int64(len(data)), buf); err != nil || len(got) != len(data) || r.most != 4<<20 {
			t.Errorf("%d bytes in steps of up to %d, %v", len(got), r.most, err)
		}
	}
}

// TestReleasedFiles gives the lists of small files to later ones, empty, and not the
// lists of large files.
func TestReleasedFiles(t *testing.T) {
	p := &File{Meta: make([]Element, 3), Elements: make([]Element, 5), PixelIndex: 4}
	p.Release()
	for range 10 {
		if q := NewFile(); q.PixelIndex != -1 || len(q.Meta)+len(q.Elements)+len(q.values)+len(q.wanted) != 0 || cap(q.Meta)+cap(q.Elements) > 1<<10 {
			t.Errorf("a new file has %+v", q)
		}
		(&File{Elements: make([]Element, 1<<10+1)}).Release()
	}
}

// TestShortestDataSet reads a data set of one element without a value, which has 8 bytes.
func TestShortestDataSet(t *testing.T) {
	b := dataset(element(TagModality, "CS", nil))
	if p, err := TokenizeBytes(b, nil); err != nil || len(p.Elements) != 1 {
		t.Errorf("%d elements, %v", len(p.Elements), err)
	}
	if _, err := TokenizeBytes(b[:len(b)-1], nil); !errors.Is(err, ErrTruncated) {
		t.Errorf("a byte less: %v", err)
	}
}
