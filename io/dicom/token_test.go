package dicom

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"
)

func tokens(b []byte) (*part10, error) {
	return tokenizeBytes(b, isWanted)
}

// TestTokenizeFindsThePixels checks offset and length of the pixel data in every
// plain encoding, with and without preamble and meta header, and with one that is
// in implicit VR, which it must not be.
func TestTokenizeFindsThePixels(t *testing.T) {
	for _, enc := range []encoding{implicitLE, explicitLE, explicitBE} {
		f := newFake("1", 0, 7)
		f.enc = enc
		head := append(make([]byte, 128), "DICM"...)
		head = appendElement(head, implicitLE, tagTransferSyntaxUID, "UI", []byte(plainSyntax(enc)))
		for name, b := range map[string][]byte{
			"part 10": f.file(), "no preamble": f.file()[132:], "data set alone": f.dataset(),
			"implicit meta header": append(head, f.dataset()...),
		} {
			p, err := tokens(b)
			if err != nil {
				t.Fatalf("%v %s: %v", enc, name, err)
			}
			if p.syntax.encoding != enc {
				t.Errorf("%s: encoding %v, want %v", name, p.syntax.encoding, enc)
			}
			e := p.elements[p.pixels]
			if e.length != 24 || e.end != int64(len(b)) {
				t.Errorf("%v %s: pixels of %d bytes end at %d of %d", enc, name, e.length, e.end, len(b))
			}
		}
	}
}

// sequenceOf returns a sequence of undefined length around items of undefined
// length that hold one element each.
func sequenceOf(enc encoding, tag tagID, vr string, inner encoding, items ...[]byte) []byte {
	b := appendElementHeader(nil, enc, tag, vr, undefinedLength)
	for _, item := range items {
		b = appendElementHeader(b, inner, tagItem, "", undefinedLength)
		b = append(b, item...)
		b = appendElementHeader(b, inner, tagItemDelimitation, "", 0)
	}
	return appendElementHeader(b, inner, tagSequenceDelimitation, "", 0)
}

// TestTokenizeSequences walks sequences of undefined length, the unknown VR of
// CP-246 among them: what follows them must still be found.
func TestTokenizeSequences(t *testing.T) {
	code := func(enc encoding) []byte { return appendElement(nil, enc, tagCodeValue, "SH", []byte("1234")) }
	for name, raw := range map[string][]byte{
		"SQ":            sequenceOf(explicitLE, 0x00081140, "SQ", explicitLE, code(explicitLE), nil),
		"UN, CP-246":    sequenceOf(explicitLE, 0x00191010, "UN", implicitLE, code(implicitLE)),
		"nested":        sequenceOf(explicitLE, 0x00081140, "SQ", explicitLE, sequenceOf(explicitLE, 0x00081199, "SQ", explicitLE, code(explicitLE))),
		"known lengths": appendSequence(nil, explicitLE, 0x00081140, code(explicitLE)),
		"fragments": append(append(appendElementHeader(nil, explicitLE, 0x00091001, "OB", undefinedLength),
			appendItem(nil, explicitLE, []byte{1, 2, 3, 4})...), appendElementHeader(nil, explicitLE, tagSequenceDelimitation, "", 0)...),
	} {
		b := newFake("1", 0, 7).with(0x00091010, rawElement(raw)).file()
		p, err := tokens(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.pixels < 0 || p.elements[p.pixels].end != int64(len(b)) {
			t.Errorf("%s: the pixels behind it were not found", name)
		}
	}
}

// TestTokenizeTrailingRubbish has zeros, and bytes that are no element, behind
// a whole image: some archives pad so.
func TestTokenizeTrailingRubbish(t *testing.T) {
	for _, enc := range []encoding{implicitLE, explicitLE} {
		f := newFake("1", 0, 7)
		f.enc = enc
		whole := f.file()
		for name, tail := range map[string][]byte{"zeros": make([]byte, 300), "few zeros": make([]byte, 3), "text": []byte("trailing rubbish")} {
			p, err := tokens(append(slices.Clone(whole), tail...))
			if enc == implicitLE && name == "text" {
				if !errors.Is(err, errTruncated) { // reads as an element of great length
					t.Errorf("implicit text: %v", err)
				}
				continue
			}
			if err != nil || p.elements[len(p.elements)-1].end != int64(len(whole)) {
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
		deep = appendElementHeader(deep, explicitLE, 0x00081140, "SQ", undefinedLength)
		deep = appendElementHeader(deep, explicitLE, tagItem, "", undefinedLength)
	}
	many := bytes.Repeat(appendElement(nil, explicitLE, 0x00080060, "CS", nil), maxElements+1)
	for name, raw := range map[string][]byte{
		"text of 4 GB":  appendElementHeader(nil, explicitLE, 0x00091001, "UT", 0xFFFFFFF0),
		"bytes of 4 GB": appendElementHeader(nil, explicitLE, 0x00091001, "OB", 0xFFFFFFFE),
		"deep":          deep,
		"many":          many,
		"endless text":  appendElementHeader(nil, explicitLE, 0x00091001, "UT", undefinedLength),
		"no VR":         {9, 0, 1, 0, 1, 2, 3, 4},
	} {
		b := newFake("1", 0, 7).with(0x00091010, rawElement(raw)).file()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := tokens(b)
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
	whole := newFake("1", 0, 7).with(0x00091010, rawElement(
		sequenceOf(explicitLE, 0x00081140, "SQ", explicitLE, appendElement(nil, explicitLE, tagCodeValue, "SH", []byte("1234"))))).file()
	full, err := tokens(whole)
	if err != nil {
		t.Fatal(err)
	}
	var ends []int64
	for _, e := range slices.Concat(full.meta, full.elements) {
		ends = append(ends, e.end)
	}
	for n := range whole {
		p, err := tokens(whole[:n])
		between := slices.Contains(ends, int64(n)) && n > int(full.meta[len(full.meta)-1].end)
		switch {
		case between && (err != nil || p.pixels >= 0):
			t.Errorf("cut at %d: %v, pixels %d", n, err, p.pixels)
		case !between && err == nil:
			t.Errorf("cut at %d: no error", n)
		case n > 140 && !between && !errors.Is(err, errTruncated):
			t.Errorf("cut at %d: %v, want a truncated file", n, err)
		}
	}
}

// TestTokenizeFromAStream gives the same tokens when bytes come one by one and
// nothing can be skipped.
func TestTokenizeFromAStream(t *testing.T) {
	want := func(t tagID) bool { return wantedTags[t] }
	b := newFake("1", 0, 7).with(0x00091001, make([]byte, 50000)).with(0x00090010, "X").file()
	mem, err := tokenizeBytes(b, want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tokenize(&window{r: iotest.OneByteReader(bytes.NewReader(b)), size: int64(len(b))}, want)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(mem.elements, got.elements) || !bytes.Equal(mem.wanted, got.wanted) {
		t.Error("a stream and memory give different tokens")
	}
	if _, err := tokenize(&window{r: bytes.NewReader(b[:len(b)-1]), size: int64(len(b))}, want); err != nil {
		t.Errorf("the pixels' last byte is not looked at, yet: %v", err)
	}
}

// TestTokenizeRealFiles walks odd files of pydicom's own tests.
func TestTokenizeRealFiles(t *testing.T) {
	for name, want := range map[string]struct {
		elements int // at the top level, as pydicom counts them; the one cut off not counted
		syntax   string
		cut      bool
	}{
		"MR_small.dcm":           {elements: 73, syntax: uidExplicitLE},
		"MR_small_implicit.dcm":  {elements: 72, syntax: uidImplicitLE},
		"MR_small_bigendian.dcm": {elements: 72, syntax: uidExplicitBE},
		"MR_truncated.dcm":       {elements: 71, syntax: uidExplicitLE, cut: true},
		"badVR.dcm":              {elements: 45, syntax: uidExplicitLE},
		"nested_priv_SQ.dcm":     {elements: 2, syntax: uidImplicitLE},
		"UN_sequence.dcm":        {elements: 1, syntax: uidJPEGLossless},
	} {
		b, err := os.ReadFile(filepath.Join("testdata", "pydicom", name))
		if err != nil {
			t.Fatal(err)
		}
		p, err := tokens(b)
		if errors.Is(err, errTruncated) != want.cut || err != nil && !want.cut {
			t.Errorf("%s: %v", name, err)
		}
		if len(p.elements) != want.elements || p.syntax.uid != want.syntax {
			t.Errorf("%s: %d elements in %s, want %d in %s", name, len(p.elements), p.syntax.uid, want.elements, want.syntax)
		}
	}
}

func TestSniff(t *testing.T) {
	text := bytes.Repeat([]byte("Lorem ipsum dolor sit amet. "), 10)
	png := append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 200)...)
	nifti := append(binary.LittleEndian.AppendUint32(nil, 348), make([]byte, 344)...)
	gzip := append([]byte{0x1f, 0x8b, 8, 8}, make([]byte, 200)...)
	for name, b := range map[string][]byte{"empty": nil, "text": text, "png": png, "nifti": nifti, "gzip": gzip, "zeros": make([]byte, 200)} {
		if Sniff(b) {
			t.Errorf("%s taken for DICOM", name)
		}
	}
	for name, b := range map[string][]byte{"part 10": newFake("1", 0, 0).file(), "data set": newFake("1", 0, 0).dataset()} {
		if !Sniff(b[:200]) {
			t.Errorf("%s not taken for DICOM", name)
		}
	}
}
