package part10

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"math/big"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestElementHeaders writes tag, VR and length in each encoding, long VRs with two reserved bytes.
func TestElementHeaders(t *testing.T) {
	for _, c := range []struct {
		enc  Encoding
		tag  Tag
		vr   string
		want []byte
	}{
		{ExplicitLE, TagPixelData, "OB", []byte{0xE0, 0x7F, 0x10, 0, 'O', 'B', 0, 0, 4, 3, 2, 1}},
		{ExplicitBE, TagPixelData, "OW", []byte{0x7F, 0xE0, 0, 0x10, 'O', 'W', 0, 0, 1, 2, 3, 4}},
		{ExplicitLE, TagRows, "US", []byte{0x28, 0, 0x10, 0, 'U', 'S', 4, 3}},
		{ImplicitLE, TagRows, "US", []byte{0x28, 0, 0x10, 0, 4, 3, 2, 1}},
		{ExplicitLE, TagItem, "", []byte{0xFE, 0xFF, 0, 0xE0, 4, 3, 2, 1}},
	} {
		if got := AppendElementHeader(nil, c.enc, c.tag, c.vr, 0x01020304); !bytes.Equal(got, c.want) {
			t.Errorf("%v %s: % x, want % x", c.tag, c.vr, got, c.want)
		}
	}
}

// TestHashUIDForm: a UUID of version 8 and of the variant of RFC 9562.
func TestHashUIDForm(t *testing.T) {
	for i := range 64 {
		n, ok := new(big.Int).SetString(strings.TrimPrefix(HashUID([]byte{byte(i)}), "2.25."), 10)
		if !ok {
			t.Fatal("no number")
		}
		id := n.FillBytes(make([]byte, 16))
		if id[6]>>4 != 8 || id[8]>>6 != 2 {
			t.Fatalf("% x", id)
		}
	}
	if HashUID([]byte("a"), []byte("bc")) == HashUID([]byte("ab"), []byte("c")) {
		t.Error("parts run into each other")
	}
	if got, want := HashUID([]byte("quell"), nil), "2.25.278164994336229183956754191714615534082"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestShortenedTexts(t *testing.T) {
	for n, want := range map[int]string{63: strings.Repeat("ä", 63), 64: strings.Repeat("ä", 64), 65: strings.Repeat("ä", 64) + "…"} {
		if got := Shorten(strings.Repeat("ä", n)); got != want {
			t.Errorf("%d characters: %q", n, got)
		}
	}
}

// TestExplicitVRLimits: private creators, and curves and overlays of every group.
func TestExplicitVRLimits(t *testing.T) {
	for tag, want := range map[Tag]string{
		0x00290010: "LO", 0x002900FF: "LO", 0x0029000F: "UN", 0x00290100: "UN", 0x00291010: "UN",
		0x60003000: "OW", 0x60023000: "OW", 0x60FE3000: "OW", 0x61003000: "UN", 0x60000010: "US", 0x601E0010: "US",
		0x50000010: "US", 0x50020010: "US", 0x51000010: "UN", 0x70000010: "UN",
	} {
		if got := explicitVR(tag, false); got != want {
			t.Errorf("%v: %s, want %s", tag, got, want)
		}
	}
}

// TestReencodedSign: US or SS as Pixel Representation says, whatever other values are; group lengths go.
func TestReencodedSign(t *testing.T) {
	implicit := func(tag Tag, v ...byte) []byte { return AppendElement(nil, ImplicitLE, tag, "", v) }
	for what, c := range map[string]struct {
		representation []byte
		signed         bool
		want           string
	}{
		"signed":            {implicit(TagPixelRepresentation, 1, 0), false, "SS"},
		"unsigned":          {implicit(TagPixelRepresentation, 0, 0), true, "US"},
		"empty":             {implicit(TagPixelRepresentation), true, "SS"},
		"none":              {nil, false, "US"},
		"empty, at the end": {nil, true, "SS"},
	} {
		data := slices.Concat(implicit(0x00280000, 9, 0, 0, 0), implicit(0x00280002, 1, 0), c.representation, implicit(TagSmallestImagePixelValue, 1, 2))
		if what == "empty, at the end" {
			data = append(data, implicit(TagPixelRepresentation)...)
		}
		file := append(AppendFileMeta(nil, "1.2", "1.2.3", UIDImplicitLE, ""), data...)
		p, err := TokenizeBytes(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := Dataset{Bytes: file, File: p, Encoding: ImplicitLE}
		got, err := d.ExplicitElements(c.signed)
		if err != nil || !bytes.Contains(got, AppendElement(nil, ExplicitLE, TagSmallestImagePixelValue, c.want, []byte{1, 2})) {
			t.Errorf("%s: % x, %v", what, got, err)
		}
		if !bytes.HasPrefix(got, []byte{0x28, 0, 2, 0}) {
			t.Errorf("%s: begins with % x", what, got[:8])
		}
	}
	// Element 0001 is no group length.
	file := append(AppendFileMeta(nil, "1.2", "1.2.3", UIDImplicitLE, ""), slices.Concat(implicit(0x00080000, 9, 0, 0, 0), implicit(0x00080001, 1, 0, 0, 0))...)
	p, err := TokenizeBytes(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := (&Dataset{Bytes: file, File: p, Encoding: ImplicitLE}).ExplicitElements(false); err != nil || !bytes.HasPrefix(got, []byte{8, 0, 1, 0}) || len(got) != 12 {
		t.Errorf("% x, %v", got, err)
	}
}

// TestDepthInsideAnItem: an element nested in an item counts from there; so does what has an unknown VR.
func TestDepthInsideAnItem(t *testing.T) {
	for depth, fits := range map[int]bool{63: true, 64: false} {
		b := AppendSequence(nil, ExplicitLE, 0x00081140, nested(depth))
		e := Element{Tag: 0x00081140, VR: "SQ", Value: 12, Length: uint32(len(b) - 12), End: int64(len(b))}
		if err := EachItem(b, e, ExplicitLE, func(SequenceItem) error { return nil }); (err == nil) != fits {
			t.Errorf("depth %d in an item: %v", depth, err)
		}
		var inner []byte
		for range depth {
			inner = AppendElementHeader(inner, ImplicitLE, 0x00081140, "", UndefinedLength)
			inner = AppendElementHeader(inner, ImplicitLE, TagItem, "", UndefinedLength)
		}
		for range depth {
			inner = AppendElementHeader(inner, ImplicitLE, TagItemDelimitation, "", 0)
			inner = AppendElementHeader(inner, ImplicitLE, TagSequenceDelimitation, "", 0)
		}
		un := AppendElementHeader(nil, ExplicitLE, 0x00091010, "UN", UndefinedLength)
		un = AppendElementHeader(un, ImplicitLE, TagItem, "", UndefinedLength)
		un = append(un, inner...)
		un = AppendElementHeader(un, ImplicitLE, TagItemDelimitation, "", 0)
		un = AppendElementHeader(un, ImplicitLE, TagSequenceDelimitation, "", 0)
		if _, err := TokenizeBytes(dataset(un), nil); (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "deeper than 64") {
			t.Errorf("depth %d in an unknown VR: %v", depth, err)
		}
	}
}

// TestFirstElements recognises DICOM without a preamble: groups 0002 and 0008 alone.
func TestFirstElements(t *testing.T) {
	for tag, want := range map[Tag]bool{0x00080005: true, 0x00020010: true, 0x00100010: false, 0x00280010: false, 0x00060001: false} {
		if got := Sniff(element(tag, "CS", []byte("ABCDEFGH"))); got != want {
			t.Errorf("%v: %v", tag, got)
		}
	}
	// Whole numbers alone are swapped.
	for n, want := range map[int]string{3: "\x01\x02\x03", 7: "\x04\x03\x02\x01\x05\x06\x07", 8: "\x04\x03\x02\x01\x08\x07\x06\x05"} {
		b := []byte{1, 2, 3, 4, 5, 6, 7, 8}[:n]
		if LittleEndian(b, ExplicitBE, "OW", 32); string(b) != want {
			t.Errorf("%d bytes: % x", n, b)
		}
	}
}

// TestPixelsFirst: trailing bytes behind pixels that are the first element are no damage.
func TestPixelsFirst(t *testing.T) {
	b := dataset(element(TagPixelData, "OW", []byte{1, 2, 3, 4}))
	p, err := TokenizeBytes(append(b, "no element at all"...), nil)
	if err != nil || p.PixelIndex != 0 || len(p.Elements) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestKeptValuesByVR keeps the values of wanted elements, but no sequences and nothing unknown.
func TestKeptValuesByVR(t *testing.T) {
	all := func(Tag) bool { return true }
	p, err := TokenizeBytes(dataset(element(TagModality, "CS", []byte("CT")), AppendSequence(nil, ExplicitLE, 0x00081140, nil),
		element(0x00091010, "UN", []byte("x ")), element(0x00100010, "UN", []byte("Name"))), all)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ReadValues(p)
	if err != nil || len(a.Set) != 2 || a.Text(TagModality) != "CT" || a.Text(0x00100010) != "Name" {
		t.Errorf("%v, %v", a.Set, err)
	}
	// An empty one of eight bytes that ends the file is kept whole.
	b := dataset(element(TagSpecificCharacterSet, "CS", nil))
	if p, err = TokenizeBytes(b, all); err != nil || len(p.Kept[TagSpecificCharacterSet]) != 8 {
		t.Errorf("kept % x, %v", p.Kept, err)
	}
	// 64 KiB and a byte of a Siemens header are too many.
	b = dataset(element(0x00290010, "LO", []byte(ownerSiemensCSA)), element(TagSiemensCSAImageHeader, "OB", nil))
	binary.LittleEndian.PutUint32(b[len(b)-4:], maxWantedValue+1)
	if p, err = TokenizeBytes(append(b, make([]byte, maxWantedValue+1)...), all); err != nil || p.Kept[TagSiemensCSAImageHeader] != nil {
		t.Errorf("%d bytes are kept, %v", len(p.Kept[TagSiemensCSAImageHeader]), err)
	}
}

// TestValuesAfterADamagedOne are read all the same.
func TestValuesAfterADamagedOne(t *testing.T) {
	p, err := TokenizeBytes(dataset(element(TagRows, "UL", []byte{1, 2}), element(TagColumns, "US", []byte{7, 0})), func(Tag) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	a, err := ReadValues(p)
	if v, ok := a.Integer(TagColumns); err == nil || !ok || v != 7 {
		t.Errorf("columns %d, %v, error %v", v, ok, err)
	}
	if _, ok := a.Integer(TagRows); ok {
		t.Error("damaged rows are read")
	}
	for _, tag := range []Tag{TagPixelSpacing, TagRows} {
		if v, ok := a.Numbers(tag); v != nil || ok {
			t.Errorf("%v: %v, %v", tag, v, ok)
		}
	}
}

// TestTruncatedElement says how many bytes it needs and how many are left.
func TestTruncatedElement(t *testing.T) {
	b := dataset(element(TagModality, "CS", []byte("CT")), element(TagSeriesDescription, "LO", []byte("0123456789")))
	_, err := TokenizeBytes(b[:len(b)-4], nil)
	if err == nil || !strings.Contains(err.Error(), "(0008,103E) needs 10 bytes, 6 are left") {
		t.Errorf("%v", err)
	}
}

// TestLimitOfMetaElements bounds the meta header too.
func TestLimitOfMetaElements(t *testing.T) {
	head := append(make([]byte, 128), "DICM"...)
	head = append(head, element(TagTransferSyntaxUID, "UI", []byte(UIDExplicitLE+"\x00"))...)
	b := append(head, bytes.Repeat(element(0x00020016, "AE", nil), maxElements-1)...)
	end := element(TagModality, "CS", []byte("CT"))
	if p, err := TokenizeBytes(append(b, end...), nil); err != nil || len(p.Meta) != maxElements {
		t.Errorf("%d elements, %v", len(p.Meta), err)
	}
	_, err := TokenizeBytes(slices.Concat(b, element(0x00020016, "AE", nil), end), nil)
	if err == nil || !strings.Contains(err.Error(), "more than 1000000 elements") {
		t.Errorf("one more: %v", err)
	}
}

// TestItemsOfUnknownVR are in implicit little endian, whatever the file is in.
func TestItemsOfUnknownVR(t *testing.T) {
	item := AppendElement(nil, ImplicitLE, TagModality, "CS", []byte("CT"))
	b := AppendElement(nil, ExplicitBE, 0x00091010, "UN", AppendItem(nil, ImplicitLE, item))
	for vr, want := range map[string]int{"UN": 1, "SQ": 0, "OB": 0} {
		visited := 0
		err := EachItem(b, Element{Tag: 0x00091010, VR: vr, Value: 12, Length: uint32(len(b) - 12), End: int64(len(b))}, ExplicitBE, func(it SequenceItem) error {
			if visited++; it.Enc != ImplicitLE || len(it.Elements) != 1 || it.Elements[0].Tag != TagModality {
				t.Errorf("%s: %+v", vr, it)
			}
			return nil
		})
		if visited != want || (err == nil) != (want == 1) {
			t.Errorf("%s: %d items, %v", vr, visited, err)
		}
	}
}

// closingFS counts the files that are open.
type closingFS struct {
	fstest.MapFS
	open *int
}

func (c closingFS) Open(name string) (fs.File, error) {
	f, err := c.MapFS.Open(name)
	if err == nil {
		*c.open++
	}
	return closingFile{f, c.open}, err
}

type closingFile struct {
	fs.File
	open *int
}

func (f closingFile) Close() error {
	*f.open--
	return f.File.Close()
}

// TestFilesThatAreReadAreClosed, also if they are shorter than they were.
func TestFilesThatAreReadAreClosed(t *testing.T) {
	open := 0
	fsys := closingFS{fstest.MapFS{"x": {Data: []byte("0123456789")}}, &open}
	for _, size := range []int64{10, 11} {
		b, err := ReadFile(fsys, "x", size, nil)
		if (err == nil) != (size == 10) || err == nil && string(b) != "0123456789" || open != 0 {
			t.Errorf("%d bytes: %q, %v; %d files are open", size, b, err, open)
		}
	}
	if _, err := ReadFile(fsys, "none", 1, nil); err == nil {
		t.Error("a file that is not there is read")
	}
}
