package part10_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"

	"quell/io/dicom/dicomtest"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
)

// TestTokenizeFindsThePixels checks offset and length of the pixel data in every
// plain encoding, with and without preamble and meta header, and with one that is
// in implicit VR, which it must not be.
func TestTokenizeFindsThePixels(t *testing.T) {
	for _, enc := range []part10.Encoding{part10.ImplicitLE, part10.ExplicitLE, part10.ExplicitBE} {
		f := dicomtest.NewFake("1", 0, 7)
		f.Enc = enc
		head := append(make([]byte, 128), "DICM"...)
		head = part10.AppendElement(head, part10.ImplicitLE, part10.TagTransferSyntaxUID, "UI", []byte(part10.PlainSyntax(enc)))
		for name, b := range map[string][]byte{
			"part 10": f.File(), "no preamble": f.File()[132:], "data set alone": f.Dataset(),
			"implicit meta header": append(head, f.Dataset()...),
		} {
			p, err := dicomtest.Tokens(b)
			if err != nil {
				t.Fatalf("%v %s: %v", enc, name, err)
			}
			if p.Syntax.Encoding != enc {
				t.Errorf("%s: encoding %v, want %v", name, p.Syntax.Encoding, enc)
			}
			e := p.Elements[p.PixelIndex]
			if e.Length != 24 || e.End != int64(len(b)) {
				t.Errorf("%v %s: pixels of %d bytes end at %d of %d", enc, name, e.Length, e.End, len(b))
			}
		}
	}
}

// TestTokenizeSequences walks sequences of undefined length, the unknown VR of
// CP-246 among them: what follows them must still be found.
func TestTokenizeSequences(t *testing.T) {
	code := func(enc part10.Encoding) []byte {
		return part10.AppendElement(nil, enc, part10.TagCodeValue, "SH", []byte("1234"))
	}
	for name, raw := range map[string][]byte{
		"SQ":            dicomtest.SequenceOf(part10.ExplicitLE, 0x00081140, "SQ", part10.ExplicitLE, code(part10.ExplicitLE), nil),
		"UN, CP-246":    dicomtest.SequenceOf(part10.ExplicitLE, 0x00191010, "UN", part10.ImplicitLE, code(part10.ImplicitLE)),
		"nested":        dicomtest.SequenceOf(part10.ExplicitLE, 0x00081140, "SQ", part10.ExplicitLE, dicomtest.SequenceOf(part10.ExplicitLE, 0x00081199, "SQ", part10.ExplicitLE, code(part10.ExplicitLE))),
		"known lengths": part10.AppendSequence(nil, part10.ExplicitLE, 0x00081140, code(part10.ExplicitLE)),
		"fragments": append(append(part10.AppendElementHeader(nil, part10.ExplicitLE, 0x00091001, "OB", part10.UndefinedLength),
			part10.AppendItem(nil, part10.ExplicitLE, []byte{1, 2, 3, 4})...), part10.AppendElementHeader(nil, part10.ExplicitLE, part10.TagSequenceDelimitation, "", 0)...),
	} {
		b := dicomtest.NewFake("1", 0, 7).With(0x00091010, dicomtest.RawElement(raw)).File()
		p, err := dicomtest.Tokens(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.PixelIndex < 0 || p.Elements[p.PixelIndex].End != int64(len(b)) {
			t.Errorf("%s: the pixels behind it were not found", name)
		}
	}
}

// TestTokenizeTrailingBytes has zeros, or bytes that are no element, after a complete image, as some archives pad.
func TestTokenizeTrailingBytes(t *testing.T) {
	for _, enc := range []part10.Encoding{part10.ImplicitLE, part10.ExplicitLE} {
		f := dicomtest.NewFake("1", 0, 7)
		f.Enc = enc
		whole := f.File()
		for name, tail := range map[string][]byte{"zeros": make([]byte, 300), "few zeros": make([]byte, 3), "text": []byte("trailing rubbish")} {
			p, err := dicomtest.Tokens(append(slices.Clone(whole), tail...))
			if enc == part10.ImplicitLE && name == "text" {
				if !errors.Is(err, part10.ErrTruncated) { // reads as an element of great length
					t.Errorf("implicit text: %v", err)
				}
				continue
			}
			if err != nil || p.Elements[len(p.Elements)-1].End != int64(len(whole)) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestTokenizeRefusesHostileFiles checks that lengths, depth and counts that no
// sound file has end in an error, at a cost near the file's own size.
func TestTokenizeRefusesHostileFiles(t *testing.T) {
	deep := []byte{}
	for range 100000 {
		deep = part10.AppendElementHeader(deep, part10.ExplicitLE, 0x00081140, "SQ", part10.UndefinedLength)
		deep = part10.AppendElementHeader(deep, part10.ExplicitLE, part10.TagItem, "", part10.UndefinedLength)
	}
	many := bytes.Repeat(part10.AppendElement(nil, part10.ExplicitLE, 0x00080060, "CS", nil), part10.MaxElements+1)
	for name, raw := range map[string][]byte{
		"text of 4 GB":  part10.AppendElementHeader(nil, part10.ExplicitLE, 0x00091001, "UT", 0xFFFFFFF0),
		"bytes of 4 GB": part10.AppendElementHeader(nil, part10.ExplicitLE, 0x00091001, "OB", 0xFFFFFFFE),
		"deep":          deep,
		"many":          many,
		"endless text":  part10.AppendElementHeader(nil, part10.ExplicitLE, 0x00091001, "UT", part10.UndefinedLength),
		"no VR":         {9, 0, 1, 0, 1, 2, 3, 4},
	} {
		b := dicomtest.NewFake("1", 0, 7).With(0x00091010, dicomtest.RawElement(raw)).File()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := dicomtest.Tokens(b)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		// A million elements are listed before they are too many.
		if used := after.TotalAlloc - before.TotalAlloc; name != "many" && used > uint64(len(b))+1<<20 {
			t.Errorf("%s: %d bytes allocated for a file of %d", name, used, len(b))
		}
	}
}

// TestTokenizeTruncated cuts a file at every byte: each cut inside an element
// is seen; a cut between two elements leaves a file without pixels.
func TestTokenizeTruncated(t *testing.T) {
	whole := dicomtest.NewFake("1", 0, 7).With(0x00091010, dicomtest.RawElement(
		dicomtest.SequenceOf(part10.ExplicitLE, 0x00081140, "SQ", part10.ExplicitLE, part10.AppendElement(nil, part10.ExplicitLE, part10.TagCodeValue, "SH", []byte("1234"))))).File()
	full, err := dicomtest.Tokens(whole)
	if err != nil {
		t.Fatal(err)
	}
	var ends []int64
	for _, e := range slices.Concat(full.Meta, full.Elements) {
		ends = append(ends, e.End)
	}
	for n := range whole {
		p, err := dicomtest.Tokens(whole[:n])
		between := slices.Contains(ends, int64(n)) && n > int(full.Meta[len(full.Meta)-1].End)
		switch {
		case between && (err != nil || p.PixelIndex >= 0):
			t.Errorf("cut at %d: %v, pixels %d", n, err, p.PixelIndex)
		case !between && err == nil:
			t.Errorf("cut at %d: no error", n)
		case n > 140 && !between && !errors.Is(err, part10.ErrTruncated):
			t.Errorf("cut at %d: %v, want a truncated file", n, err)
		}
	}
}

// TestTokenizeFromAStream gives the same tokens when bytes come one by one and
// nothing can be skipped.
func TestTokenizeFromAStream(t *testing.T) {
	want := instance.IsWanted
	b := dicomtest.NewFake("1", 0, 7).With(0x00091001, make([]byte, 50000)).With(0x00090010, "X").File()
	mem, err := part10.TokenizeBytes(b, want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := part10.Tokenize(part10.NewReadBuffer(iotest.OneByteReader(bytes.NewReader(b)), int64(len(b))), want)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(mem.Elements, got.Elements) || !reflect.DeepEqual(valuesOf(t, mem), valuesOf(t, got)) {
		t.Error("a stream and memory give different tokens")
	}
	if _, err := part10.Tokenize(part10.NewReadBuffer(bytes.NewReader(b[:len(b)-1]), int64(len(b))), want); err != nil {
		t.Errorf("the pixels' last byte is not looked at, yet: %v", err)
	}
}

// TestTokenizeRealFiles tokenizes odd files of pydicom.
func TestTokenizeRealFiles(t *testing.T) {
	for name, want := range map[string]struct {
		elements int // at the top level, as pydicom counts them; the one cut off not counted
		syntax   string
		cut      bool
	}{
		"MR_small.dcm":           {elements: 73, syntax: part10.UIDExplicitLE},
		"MR_small_implicit.dcm":  {elements: 72, syntax: part10.UIDImplicitLE},
		"MR_small_bigendian.dcm": {elements: 72, syntax: part10.UIDExplicitBE},
		"MR_truncated.dcm":       {elements: 71, syntax: part10.UIDExplicitLE, cut: true},
		"badVR.dcm":              {elements: 45, syntax: part10.UIDExplicitLE},
		"nested_priv_SQ.dcm":     {elements: 2, syntax: part10.UIDImplicitLE},
		"UN_sequence.dcm":        {elements: 1, syntax: part10.UIDJPEGLossless},
	} {
		b, err := os.ReadFile(filepath.Join("..", "testdata", "pydicom", name))
		if err != nil {
			t.Fatal(err)
		}
		p, err := dicomtest.Tokens(b)
		if errors.Is(err, part10.ErrTruncated) != want.cut || err != nil && !want.cut {
			t.Errorf("%s: %v", name, err)
		}
		if len(p.Elements) != want.elements || p.Syntax.UID != want.syntax {
			t.Errorf("%s: %d elements in %s, want %d in %s", name, len(p.Elements), p.Syntax.UID, want.elements, want.syntax)
		}
	}
}

func TestSniff(t *testing.T) {
	text := bytes.Repeat([]byte("Lorem ipsum dolor sit amet. "), 10)
	png := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 200)...)
	nifti := append(binary.LittleEndian.AppendUint32(nil, 348), make([]byte, 344)...)
	gzip := append([]byte{0x1f, 0x8b, 8, 8}, make([]byte, 200)...)
	for name, b := range map[string][]byte{"empty": nil, "text": text, "png": png, "nifti": nifti, "gzip": gzip, "zeros": make([]byte, 200)} {
		if part10.Sniff(b) {
			t.Errorf("%s taken for DICOM", name)
		}
	}
	for name, b := range map[string][]byte{"part 10": dicomtest.NewFake("1", 0, 0).File(), "data set": dicomtest.NewFake("1", 0, 0).Dataset()} {
		if !part10.Sniff(b[:200]) {
			t.Errorf("%s not taken for DICOM", name)
		}
	}
}

func valuesOf(t *testing.T, p *part10.File) part10.Attributes {
	t.Helper()
	a, err := part10.ReadValues(p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
