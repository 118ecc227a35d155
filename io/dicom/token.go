package dicom

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Limits that no sound file reaches and that keep a hostile one cheap.
const (
	maxDepth       = 64      // of nested sequences of undefined length
	maxElements    = 1000000 // at the top level, which are listed
	maxWantedValue = 64 << 10
)

// undefinedLength marks a value that ends with a delimiter.
const undefinedLength = 0xFFFFFFFF

// element says where one attribute lies in its file.
type element struct {
	tag    tagID
	vr     string // two letters; empty in implicit VR
	start  int64  // of the tag
	value  int64  // of the value
	length uint32 // as written: may be undefinedLength
	end    int64  // first byte behind the element, its delimiter included
}

// part10 is what the tokenizer makes of a file (PS3.10): where everything is.
// Only the top level of the data set is listed.
type part10 struct {
	syntax   syntax
	class    string    // SOP class by the meta header; "" where it says none
	meta     []element // group 0002, always explicit little endian
	elements []element // the data set, in file order
	pixels   int       // index of Pixel Data in elements; -1 where there is none
	// wanted holds the bytes of the elements that the caller asked for, headers
	// included, in file order and in the file's encoding.
	wanted     []byte
	wantedEnds []int // of each of them
	// kept holds the bytes of the elements in keptWhole, likewise, where the
	// caller asked for any.
	kept map[tagID][]byte
	// stream is the beginning of compressed pixels, where the caller asked for any
	// element.
	stream []byte
	// known holds parsed elements of files read before; nil where there are none.
	known *elementCache
}

// parts holds what was released: a scan would spend much of its time on growing the
// lists of every file anew.
var parts = sync.Pool{New: func() any {
	return &part10{meta: make([]element, 0, 16), elements: make([]element, 0, 128), wanted: make([]byte, 0, 2<<10), wantedEnds: make([]int, 0, 64)}
}}

func newPart10() *part10 {
	p := parts.Get().(*part10)
	p.pixels = -1
	return p
}

// release lets the next file have the lists of p, which must not be used again.
func (p *part10) release() {
	const large = 1 << 10 // elements; few files have as many
	if cap(p.meta)+cap(p.elements) <= large && cap(p.wanted) <= maxWantedValue {
		parts.Put(&part10{meta: p.meta[:0], elements: p.elements[:0], wanted: p.wanted[:0], wantedEnds: p.wantedEnds[:0]})
	}
}

// errNotDICOM is in the chain when the bytes are of another format.
var errNotDICOM = errors.New("no DICOM file")

// hasPreamble says whether head begins with 128 bytes and "DICM".
func hasPreamble(head []byte) bool {
	return len(head) >= 132 && string(head[128:132]) == "DICM"
}

// Sniff says whether a file that begins with head is DICOM: 132 bytes are
// enough. Files without preamble are accepted where their first element is one
// that data sets begin with.
func Sniff(head []byte) bool {
	if hasPreamble(head) {
		return true
	}
	_, ok := guessEncoding(head, false)
	return ok
}

// guessEncoding tells a data set's encoding from its first element, which must
// be one of group 0002 or 0008 with a short value: anything else is too likely
// to be another format. lenient asks only that the bytes make an element.
func guessEncoding(head []byte, lenient bool) (encoding, bool) {
	if len(head) < 8 {
		return encoding{}, false
	}
	for _, e := range []encoding{explicitLE, explicitBE, implicitLE} {
		group, elem := e.order.Uint16(head), e.order.Uint16(head[2:])
		if group != 0x0008 && group != 0x0002 && !(lenient && group != 0 && group < 0x0030) {
			continue
		}
		if e.implicit {
			n := e.order.Uint32(head[4:])
			if elem <= 0x0070 && n > 0 && n <= 256 && n%2 == 0 {
				return e, true
			}
			continue
		}
		if knownVR(string(head[4:6])) {
			return e, true
		}
	}
	return encoding{}, false
}

// tokenize walks a file. want chooses the elements whose bytes are kept (nil:
// none). On an error the elements found until then are returned with it.
func tokenize(w *window, want func(tagID) bool) (*part10, error) {
	t := &tokenizer{w: w, want: want, file: newPart10()}
	err := t.run()
	return t.file, err
}

// tokenizer is the state of one walk.
type tokenizer struct {
	w      *window
	want   func(tagID) bool
	file   *part10
	stream []byte // the beginning of the last fragments that were walked
}

func (t *tokenizer) run() error {
	head, err := t.w.at(0, int(min(t.w.size, 132+16)))
	if err != nil {
		return err
	}
	var off int64
	if hasPreamble(head) {
		off = 132
	} else if !Sniff(head) {
		return errNotDICOM
	}
	uid, off, err := t.readMeta(off)
	if err != nil {
		return err
	}
	if t.w.size-off < 8 {
		return errTruncated // before the data set's first element
	}
	if err := t.chooseSyntax(uid, off); err != nil {
		return err
	}
	if t.file.syntax.deflated {
		return nil // what follows is compressed as a whole
	}
	return t.dataset(off)
}

// readMeta reads group 0002, whatever its group length says, and returns the
// transfer syntax UID and where the data set begins.
func (t *tokenizer) readMeta(off int64) (uid string, next int64, err error) {
	for t.w.size-off >= 8 {
		b, err := t.w.at(off, 8)
		if err != nil {
			return "", 0, err
		}
		if binary.LittleEndian.Uint16(b) != 0x0002 {
			break
		}
		e, err := t.next(off, explicitLE, 0)
		if err != nil {
			return "", 0, err
		}
		if (e.tag == tagTransferSyntaxUID || e.tag == tagMediaStorageSOPClassUID) && e.length <= 128 {
			v, err := t.w.at(e.value, int(e.length))
			if err != nil {
				return "", 0, err
			}
			text := brief(printable(strings.TrimRight(string(v), "\x00 ")))
			if e.tag == tagTransferSyntaxUID {
				uid = text
			} else {
				t.file.class = text
			}
		}
		if t.file.meta = append(t.file.meta, e); len(t.file.meta) > maxElements {
			return "", 0, fmt.Errorf("more than %d elements", maxElements)
		}
		off = e.end
	}
	return uid, off, nil
}

// chooseSyntax settles how the data set is laid out: as the meta header says,
// or, where it says nothing or plainly errs, as the first element shows.
func (t *tokenizer) chooseSyntax(uid string, off int64) error {
	head, err := t.w.at(off, int(min(t.w.size-off, 16)))
	if err != nil {
		return err
	}
	seen, ok := guessEncoding(head, true)
	if uid == "" {
		if !ok {
			return fmt.Errorf("no transfer syntax is given and none can be told from the data: %w", errNotDICOM)
		}
		uid = map[encoding]string{implicitLE: uidImplicitLE, explicitLE: uidExplicitLE, explicitBE: uidExplicitBE}[seen]
	}
	s, known := syntaxes[uid]
	if !known {
		// Retired and private syntaxes all keep their data set explicit.
		s = syntax{uid: uid, name: className(uid), encoding: explicitLE, encapsulated: true}
	}
	if s.native() && ok && seen != s.encoding {
		for _, u := range []string{uidImplicitLE, uidExplicitLE, uidExplicitBE} {
			if syntaxes[u].encoding == seen {
				s = syntaxes[u]
			}
		}
	}
	t.file.syntax = s
	return nil
}

// dataset walks the top level from off to the file's end.
func (t *tokenizer) dataset(off int64) error {
	enc := t.file.syntax.encoding
	for off < t.w.size {
		if t.file.pixels >= 0 && t.padding(off) {
			return nil
		}
		keep, err := t.hold(off, enc)
		if err != nil {
			return err
		}
		e, err := t.next(off, enc, 0)
		if err != nil && t.file.pixels >= 0 && !errors.Is(err, errTruncated) {
			return nil // rubbish behind a whole image
		}
		if err != nil {
			return err
		}
		if e.tag == tagPixelData {
			t.file.pixels, t.file.stream = len(t.file.elements), t.stream
		}
		if t.file.elements = append(t.file.elements, e); len(t.file.elements) > maxElements {
			return fmt.Errorf("more than %d elements", maxElements)
		}
		if t.want != nil && t.want(e.tag) && e.end-e.start <= maxWantedValue {
			b, err := t.w.at(e.start, int(e.end-e.start))
			if err != nil {
				return err
			}
			if b = knownAsUN(b, e, enc); b != nil {
				t.file.wanted = append(t.file.wanted, b...)
				t.file.wantedEnds = append(t.file.wantedEnds, len(t.file.wanted))
			}
		}
		if keep {
			if err := t.keep(e); err != nil {
				return err
			}
		}
		off = e.end
	}
	return nil
}

// keptWhole are the elements whose bytes a scan keeps and reads itself: what
// tells the frames of a multi-frame image and the tiles of a mosaic apart, what
// text is written in, and what an index lists.
var keptWhole = map[tagID]bool{
	tagSharedFunctionalGroupsSequence: true, tagPerFrameFunctionalGroupsSequence: true,
	tagDetectorInformationSequence: true, tagCSAImageHeaderInfo: true, tagSpecificCharacterSet: true,
	tagDirectoryRecordSequence: true,
}

// hold makes sure that the bytes of the element at off, if they are to be kept,
// are still there when its end is found.
func (t *tokenizer) hold(off int64, enc encoding) (bool, error) {
	t.w.held = 0
	if t.want == nil || t.w.size-off < 8 {
		return false, nil
	}
	b, err := t.w.at(off, 4)
	if err != nil {
		return false, err
	}
	if !keptWhole[tagID(enc.order.Uint16(b))<<16|tagID(enc.order.Uint16(b[2:]))] {
		return false, nil
	}
	t.w.held = off
	return true, nil
}

func (t *tokenizer) keep(e element) error {
	if e.tag == tagCSAImageHeaderInfo && e.length > maxWantedValue {
		return nil // no Siemens header is as large
	}
	b, err := t.w.at(e.start, int(e.end-e.start))
	if err != nil {
		return err
	}
	if t.file.kept == nil {
		t.file.kept = map[tagID][]byte{}
	}
	t.file.kept[e.tag] = bytes.Clone(b)
	t.w.held = 0
	return nil
}

// padding says whether the file goes on with zeros, as blocks of some archives
// do, and not with an element.
func (t *tokenizer) padding(off int64) bool {
	b, err := t.w.at(off, int(min(t.w.size-off, 8)))
	return err == nil && len(bytes.TrimLeft(b, "\x00")) == 0
}

// next reads the element at off and finds its end.
func (t *tokenizer) next(off int64, enc encoding, depth int) (element, error) {
	e, err := t.header(off, enc)
	if err != nil {
		return element{}, err
	}
	if e.length != undefinedLength {
		e.end = e.value + int64(e.length)
		if e.end > t.w.size {
			return element{}, fmt.Errorf("%v needs %d bytes, %d are left: %w", e.tag, e.length, t.w.size-e.value, errTruncated)
		}
		return e, nil
	}
	switch {
	case enc.implicit || e.vr == "SQ":
		e.end, err = t.sequence(e.value, enc, depth+1)
	case e.vr == "UN":
		// CP-246: a sequence of unknown VR is written in implicit little endian.
		e.end, err = t.sequence(e.value, implicitLE, depth+1)
	case e.vr == "OB" || e.vr == "OW":
		e.end, err = t.fragments(e.value)
	default:
		err = fmt.Errorf("%v has no length", e.tag)
	}
	return e, err
}

// header reads tag, VR and length.
func (t *tokenizer) header(off int64, enc encoding) (element, error) {
	// One look at the longest header: the window does not go back.
	b, err := t.w.at(off, int(max(8, min(t.w.size-off, 12))))
	if err != nil {
		return element{}, err
	}
	e := element{start: off, value: off + 8}
	e.tag = tagID(enc.order.Uint16(b))<<16 | tagID(enc.order.Uint16(b[2:]))
	if enc.implicit || e.tag.group() == 0xFFFE {
		e.length = enc.order.Uint32(b[4:])
		return e, nil
	}
	vr := vrOf(b[4], b[5])
	if vr == nil {
		return element{}, fmt.Errorf("byte %d holds no element", off)
	}
	e.vr = vr.name
	if !vr.long {
		e.length = uint32(enc.order.Uint16(b[6:]))
		return e, nil
	}
	if len(b) < 12 {
		return element{}, errTruncated
	}
	e.value = off + 12
	e.length = enc.order.Uint32(b[8:])
	return e, nil
}

// sequence walks the items of a sequence of undefined length and returns the
// offset behind its delimiter. Items of known length are stepped over.
func (t *tokenizer) sequence(off int64, enc encoding, depth int) (int64, error) {
	if depth > maxDepth {
		return 0, fmt.Errorf("sequences are nested deeper than %d", maxDepth)
	}
	for {
		item, err := t.itemHeader(off, enc)
		if err != nil {
			return 0, err
		}
		if item.tag == tagSequenceDelimitation {
			return item.value, nil
		}
		if item.length != undefinedLength {
			off = item.end
			continue
		}
		for off = item.value; ; {
			e, err := t.header(off, enc)
			if err != nil {
				return 0, err
			}
			if e.tag == tagItemDelimitation {
				off = e.value
				break
			}
			if e, err = t.next(off, enc, depth); err != nil {
				return 0, err
			}
			off = e.end
		}
	}
}

// streamHead is how much of compressed pixels is kept: their own header.
const streamHead = 1 << 10

// fragments walks encapsulated pixel data (PS3.5 annex A.4) and returns the
// offset behind its delimiter.
func (t *tokenizer) fragments(off int64) (int64, error) {
	t.stream = nil
	for items := 0; ; items++ {
		item, err := t.itemHeader(off, explicitLE)
		if err != nil {
			return 0, err
		}
		if item.tag == tagSequenceDelimitation {
			return item.value, nil
		}
		if item.length == undefinedLength {
			return 0, errors.New("a fragment of pixel data has no length")
		}
		if items == 1 && t.want != nil { // behind the offset table
			b, err := t.w.at(item.value, int(min(item.length, streamHead)))
			if err != nil {
				return 0, err
			}
			t.stream = bytes.Clone(b)
		}
		off = item.end
	}
}

// itemHeader reads an item or a sequence delimiter.
func (t *tokenizer) itemHeader(off int64, enc encoding) (element, error) {
	e, err := t.header(off, enc)
	if err != nil {
		return element{}, err
	}
	if e.tag != tagItem && e.tag != tagSequenceDelimitation {
		return element{}, fmt.Errorf("byte %d holds %v where an item should begin", off, e.tag)
	}
	if e.tag == tagItem && e.length != undefinedLength {
		if e.end = e.value + int64(e.length); e.end > t.w.size {
			return element{}, fmt.Errorf("an item needs %d bytes, %d are left: %w", e.length, t.w.size-e.value, errTruncated)
		}
	}
	return e, nil
}

const (
	shortVRs = "AE AS AT CS DA DS DT FL FD IS LO LT PN SH SL SS ST TM UI UL US"
	longVRs  = "OB OD OF OL OV OW SQ SV UC UN UR UT UV"
)

// vrInfo is what the tokenizer has to know of a value representation.
type vrInfo struct {
	name string
	long bool // 32-bit length in explicit syntaxes
}

// vrs holds the value representations by their two letters: every element of
// every frame is looked up here.
var vrs = func() (table [26 * 26]*vrInfo) {
	for _, name := range strings.Fields(shortVRs) {
		table[int(name[0]-'A')*26+int(name[1]-'A')] = &vrInfo{name, false}
	}
	for _, name := range strings.Fields(longVRs) {
		table[int(name[0]-'A')*26+int(name[1]-'A')] = &vrInfo{name, true}
	}
	return table
}()

// vrOf returns the VR of two letters; nil where there is none.
func vrOf(a, b byte) *vrInfo {
	if a < 'A' || a > 'Z' || b < 'A' || b > 'Z' {
		return nil
	}
	return vrs[int(a-'A')*26+int(b-'A')]
}

func longVR(vr string) bool { return knownVR(vr) && vrOf(vr[0], vr[1]).long }

func knownVR(vr string) bool { return len(vr) == 2 && vrOf(vr[0], vr[1]) != nil }
