package part10

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	lib "github.com/suyashkumar/dicom"

	"quell/internal/message"
)

// TestErrorText names the file, the problem and the advice, as far as they are given.
func TestErrorText(t *testing.T) {
	for want, e := range map[string]*Error{
		"a: broken; copy it": {Name: "a", Problem: message.Verbatim("broken"), Advice: message.Verbatim("copy it")},
		"a: broken":          {Name: "a", Problem: message.Verbatim("broken")},
		"broken; copy it":    {Name: ".", Problem: message.Verbatim("broken"), Advice: message.Verbatim("copy it")},
		"broken":             {Problem: message.Verbatim("broken")},
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
	cause := errors.New("cause")
	if err := FileError("", "a", message.Verbatim("b"), cause, "%d", 7); err.Problem.String() != "7" || !errors.Is(err, cause) {
		t.Errorf("%#v", err)
	}
}

// TestCause words errors of files and archives without paths and terms of programs.
func TestCause(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "open", Path: "/secret", Err: fs.ErrNotExist}, "file does not exist"},
		{io.EOF, "it ends too early"}, {io.ErrUnexpectedEOF, "it ends too early"},
		{&fs.PathError{Err: io.ErrUnexpectedEOF}, "it ends too early"},
		{zip.ErrChecksum, "its archive is damaged"}, {zip.ErrFormat, "its archive is damaged"}, {zip.ErrAlgorithm, "its archive is damaged"},
		{errors.New("other"), "other"},
	} {
		if got := Cause(c.err); got.String() != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

// TestTextHelpers pins the lengths at which texts are cut.
func TestTextHelpers(t *testing.T) {
	letters := strings.Repeat("é", 64)
	for got, want := range map[string]string{
		Shorten(letters): letters, Shorten(letters + "é"): letters + "…",
		Clip("abcd", 4): "abcd", Clip("abcde", 4): "abcd", Clip("abc  e", 4): "abc",
		ASCII(" ~\\\x1f\x7fé"): " ~????", Printable("a\tb\x7fé"): "a\uFFFDb\uFFFDé",
		DecimalString(1.0 / 3): "0.33333333333333", DecimalString(-1.0 / 3): "-0.3333333333333", DecimalString(123456789012345): "123456789012345",
		DecimalString(-1.23456789012345e-100): "-1.23456789e-100", string(Decimals(1, -2.5)): `1\-2.5`,
		ClassName(""): "no SOP class", ClassName("1.2.840.10008.5.1.4.1.1.2"): "CT Image Storage", ClassName(strings.Repeat("9", 65)): strings.Repeat("9", 64) + "…",
		Tag(0x7FE00010).String(): "(7FE0,0010)",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPaddingOfValues brings values to an even length: with zero for UIDs and bytes, with a
// blank for texts.
func TestPaddingOfValues(t *testing.T) {
	for vr, pad := range map[string]string{"UI": "\x00", "OB": "\x00", "UN": "\x00", "CS": " ", "DS": " "} {
		if b := AppendElement(nil, ImplicitLE, TagModality, vr, []byte("123")); string(b[4:]) != "\x04\x00\x00\x00123"+pad {
			t.Errorf("%s: %q", vr, b)
		}
		if b := AppendElement(nil, ImplicitLE, TagModality, vr, []byte("12")); string(b[4:]) != "\x02\x00\x00\x0012" {
			t.Errorf("%s: %q", vr, b)
		}
	}
}

// TestFileMetaVersion cuts the name of the version to 16 characters and gives the length of
// the group.
func TestFileMetaVersion(t *testing.T) {
	b := AppendFileMeta(nil, "1.2", "1.2.3", UIDExplicitLE, "1.2.3-development")
	if !bytes.Contains(b, []byte("SH\x10\x00QUELL 1.2.3-deve")) || !bytes.HasSuffix(b, []byte("deve")) {
		t.Errorf("%q", b)
	}
	if n := binary.LittleEndian.Uint32(b[132+8:]); int(n) != len(b)-132-12 {
		t.Errorf("group length %d of %d bytes", n, len(b)-132-12)
	}
}

// TestHashUID gives the form of PS3.5 annex B.2, and different UIDs for parts that are
// divided differently.
func TestHashUID(t *testing.T) {
	a, b := HashUID([]byte("ab"), []byte("c")), HashUID([]byte("a"), []byte("bc"))
	if a == b || a != HashUID([]byte("ab"), []byte("c")) || !strings.HasPrefix(a, "2.25.") || len(a) > 64 {
		t.Errorf("%s and %s", a, b)
	}
}

// TestNeedsPixels calls classes images by their name, and unknown standard ones by a size.
func TestNeedsPixels(t *testing.T) {
	for _, c := range []struct {
		class       string
		sized, want bool
	}{
		{"1.2.840.10008.5.1.4.1.1.2", false, true}, {"1.2.840.10008.5.1.4.1.1.66", true, false},
		{"1.2.840.10008.5.1.4.1.1.4.99999", true, true}, {"1.2.840.10008.5.1.4.1.1.4.99999", false, false},
		{"", true, true}, {"", false, false}, {"1.3.46.670589.11", true, false},
	} {
		if got := NeedsPixels(c.class, c.sized); got != c.want {
			t.Errorf("%q, sized %v: %v", c.class, c.sized, got)
		}
	}
}

// attributes decodes values by tag, each with its VR, in little endian.
func attributes(t *testing.T, values map[Tag][2]string) Attributes {
	t.Helper()
	a := Attributes{Set: map[Tag]*lib.Element{}}
	for tag, v := range values {
		e, err := decodeElement([]byte(v[1]), tag, v[0], binary.LittleEndian)
		if err != nil {
			t.Fatal(err)
		}
		a.Set[tag] = e
	}
	return a
}

// TestIntegers accepts whole numbers below 2^31 only, and reads US as SS if the pixels
// are signed.
func TestIntegers(t *testing.T) {
	for text, want := range map[string]bool{"2147483647": true, "-2147483647": true, "2147483648": false, "-2147483648": false, "1.5": false, "7.0": true, "x": false, "": false, "nan": false, "inf": false} {
		if n, ok := attributes(t, map[Tag][2]string{1: {"IS", text}}).Integer(1); ok != want {
			t.Errorf("%q: %d, %v", text, n, ok)
		}
	}
	a := attributes(t, map[Tag][2]string{1: {"US", "\xFE\xFF"}, 2: {"SS", "\xFE\xFF"}})
	for tag := Tag(1); tag <= 2; tag++ {
		signed, ok1 := a.Stored(tag, true)
		unsigned, ok2 := a.Stored(tag, false)
		if signed != -2 || unsigned != 0xFFFE || !ok1 || !ok2 {
			t.Errorf("%d and %d", signed, unsigned)
		}
	}
	if v, ok := a.Stored(3, true); ok || v != 0 {
		t.Errorf("an absent value is %d", v)
	}
}

// TestNumbers refuses lists with a value that is no finite number, in text and binary.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		vr, raw string
		n       int
		ok      bool
	}{
		{"DS", `1\ 2.5 \-3`, 3, true}, {"DS", `1\x`, 0, false}, {"DS", `1\inf`, 0, false}, {"DS", `1\1e999`, 0, false}, {"DS", `1\`, 0, false},
		{"FD", "\x00\x00\x00\x00\x00\x00\xf0\x3f", 1, true}, {"FD", "\x00\x00\x00\x00\x00\x00\xf0\x7f", 1, false}, {"FL", "\x00\x00\xc0\x7f", 1, false},
	} {
		if v, ok := attributes(t, map[Tag][2]string{1: {c.vr, c.raw}}).Numbers(1); ok != c.ok || len(v) != c.n {
			t.Errorf("%s %q: %v, %v", c.vr, c.raw, v, ok)
		}
	}
}

// TestPointer reads an attribute with a tag as value, group first.
func TestPointer(t *testing.T) {
	a := attributes(t, map[Tag][2]string{1: {"AT", "\x18\x00\x63\x10"}, 2: {"AT", "\x18\x00"}})
	if a.Pointer(1) != 0x00181063 || a.Pointer(2) != 0 || a.Pointer(3) != 0 {
		t.Errorf("%v, %v, %v", a.Pointer(1), a.Pointer(2), a.Pointer(3))
	}
}

// TestLayers finds the values of a frame before the values of the file.
func TestLayers(t *testing.T) {
	file := attributes(t, map[Tag][2]string{1: {"CS", "file"}, 2: {"CS", "file"}})
	frame := attributes(t, map[Tag][2]string{1: {"CS", "frame"}})
	frame.Under = &file
	if frame.Text(1) != "frame" || frame.Text(2) != "file" || frame.Text(3) != "" {
		t.Errorf("%q, %q, %q", frame.Text(1), frame.Text(2), frame.Text(3))
	}
}

// TestTake takes the listed attributes of an item that are not there yet.
func TestTake(t *testing.T) {
	var b []byte
	for _, tag := range []Tag{TagRows, TagColumns, TagBitsStored} {
		b = AppendElement(b, ImplicitLE, tag, "US", []byte{3, 0})
	}
	a := attributes(t, map[Tag][2]string{TagRows: {"US", "\x09\x00"}})
	e := Element{Tag: 1, End: int64(len(b)) + 8}
	err := EachItem(AppendItem(nil, ImplicitLE, b), e, ImplicitLE, func(item SequenceItem) error {
		a.Take(AppendItem(nil, ImplicitLE, b), item, TagRows, TagColumns)
		return nil
	})
	rows, _ := a.Integer(TagRows)
	columns, _ := a.Integer(TagColumns)
	if _, had := a.Find(TagBitsStored); err != nil || rows != 9 || columns != 3 || had {
		t.Errorf("%d rows, %d columns, %v: %v", rows, columns, had, err)
	}
}

// TestMerge puts edits at their places in order of tags, replaces both of an element that
// is there twice, and removes group lengths and what belongs into the meta header.
func TestMerge(t *testing.T) {
	var b []byte
	var elements []Element
	for _, e := range []struct {
		tag   Tag
		value string
	}{{0x00080000, "L"}, {0x00020010, "M"}, {0x00080060, "1"}, {0x00280010, "c"}, {0x00100010, "b"}, {0x00080060, "2"}, {0x00280011, "d"}} {
		elements = append(elements, Element{Tag: e.tag, Start: int64(len(b)), End: int64(len(b) + 1)})
		b = append(b, e.value...)
	}
	edits := []Edit{{0x00080005, []byte("<")}, {0x00080060, []byte("=")}, {0x00280010, nil}, {0x00280012, []byte(">")}}
	if got := Merge([]byte("^"), b, elements, edits); string(got) != "^<=bd>" {
		t.Errorf("%q", got)
	}
	if got := Merge(nil, b, elements, nil); string(got) != "12bcd" {
		t.Errorf("without edits: %q", got)
	}
}

// TestAroundPixels divides elements before and after every Pixel Data.
func TestAroundPixels(t *testing.T) {
	before, behind := AroundPixels([]Element{{Tag: TagPixelData + 1}, {Tag: TagPixelData}, {Tag: TagPixelData - 1}, {Tag: TagPixelData}})
	if len(before) != 1 || before[0].Tag != TagPixelData-1 || len(behind) != 1 || behind[0].Tag != TagPixelData+1 {
		t.Errorf("%v, %v", before, behind)
	}
}

// TestWriterOf returns the implementation class UID, and nothing for files without one.
func TestWriterOf(t *testing.T) {
	sound := AppendFileMeta(nil, "1.2", "1.2.3", UIDExplicitLE, "1")
	none := append(append(make([]byte, 128), "DICM"...), AppendElement(nil, ExplicitLE, TagTransferSyntaxUID, "UI", []byte("1.2"))...)
	for _, c := range []struct {
		b    []byte
		want string
	}{{sound, ImplementationClassUID}, {none, ""}, {sound[132:], ""}, {sound[:100], ""}, {sound[:150], ""}, {nil, ""}} {
		if got := WriterOf(bytes.NewReader(c.b), int64(len(c.b))); got != c.want {
			t.Errorf("%d bytes: %q, want %q", len(c.b), got, c.want)
		}
	}
}

// TestLongValuesBecomeUnknown gives a value that is too long for a 16-bit length the VR UN.
func TestLongValuesBecomeUnknown(t *testing.T) {
	for n, want := range map[int]string{0xFFFE: "LO", 0x10000: "UN"} {
		file := append(AppendFileMeta(nil, "1.2", "1.2.3", UIDImplicitLE, ""), AppendElement(nil, ImplicitLE, TagSeriesDescription, "LO", make([]byte, n))...)
		p, err := TokenizeBytes(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := Dataset{Bytes: file, File: p, Encoding: ImplicitLE}
		if b, err := d.ExplicitElements(false); err != nil || string(b[4:6]) != want {
			t.Errorf("%d bytes: %q, %v", n, b[:8], err)
		}
	}
}
