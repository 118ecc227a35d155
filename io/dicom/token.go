package dicom

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Limits that no sound file reaches and that keep a hostile one cheap.
const (
	maxDepth        = 64       // of nested sequences of undefined length
	maxElements     = 1000000  // at the top level, which are listed
	maxItemElements = 10000    // of one item, likewise
	maxWantedValue  = 64 << 10 // bytes of an element that is kept for the parser
)

// undefinedLength marks a value that ends with a delimiter.
const undefinedLength = 0xFFFFFFFF

// tokenize walks a file. want chooses the elements whose bytes are kept (nil:
// none). On an error the elements found until then are returned with it.
func tokenize(w *window, want func(tagID) bool) (*part10, error) {
	t := &tokenizer{w: w, want: want, file: newPart10()}
	err := t.run()
	return t.file, err
}

// tokenizeBytes is tokenize for a file whose bytes are all here.
func tokenizeBytes(file []byte, want func(tagID) bool) (*part10, error) {
	return tokenize(wholeWindow(file), want)
}

// tokenizer is the state of one walk. Without a file it walks parts of one that
// was walked before.
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
// transfer syntax UID and where the data set begins. The group is explicit little
// endian; some writers make it implicit.
func (t *tokenizer) readMeta(off int64) (uid string, next int64, err error) {
	for t.w.size-off >= 8 {
		b, err := t.w.at(off, 8)
		if err != nil {
			return "", 0, err
		}
		if binary.LittleEndian.Uint16(b) != 0x0002 {
			break
		}
		enc := explicitLE
		if vrOf(b[4], b[5]) == nil {
			enc = implicitLE
		}
		e, err := t.next(off, enc, 0)
		if err != nil {
			return "", 0, err
		}
		if (e.tag == tagTransferSyntaxUID || e.tag == tagMediaStorageSOPClassUID) && e.length <= 128 {
			v, err := t.w.at(e.value, int(e.length))
			if err != nil {
				return "", 0, err
			}
			text := brief(printable(strings.TrimRight(string(v), valuePadding)))
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
	tagDirectoryRecordSequence: true, uihFrameSequence: true,
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
	if t.file.kept[e.tag] == nil { // of two the first
		t.file.kept[e.tag] = bytes.Clone(b)
	}
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
