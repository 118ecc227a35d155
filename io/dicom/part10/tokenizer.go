package part10

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"

	"quell/internal/message"
)

// Limits that no valid file reaches and that bound the cost of a hostile one.
const (
	MaxDepth        = 64       // of nested sequences of undefined length
	maxElements     = 1000000  // at the top level
	maxItemElements = 10000    // of one item
	maxWantedValue  = 64 << 10 // bytes of a value that is kept
)

// UndefinedLength marks a value that ends with a delimiter.
const UndefinedLength = 0xFFFFFFFF

// Tokenize finds the elements of a file. want selects the elements to keep with their
// values; nil keeps none. The elements found before an error are returned with it.
func Tokenize(w *ReadBuffer, want func(Tag) bool) (*File, error) {
	t := &tokenizer{W: w, want: want, File: NewFile()}
	err := t.run()
	return t.File, err
}

// TokenizeBytes is Tokenize for a file in memory.
func TokenizeBytes(file []byte, want func(Tag) bool) (*File, error) {
	return Tokenize(wholeFile(file), want)
}

// tokenizer is the state of one walk over a file. With File nil it walks a part of a
// file that was tokenized before.
type tokenizer struct {
	W      *ReadBuffer
	want   func(Tag) bool
	File   *File
	stream []byte // the beginning of the last fragments that were walked
}

func (t *tokenizer) run() error {
	head, err := t.W.at(0, int(min(t.W.size, 132+16)))
	if err != nil {
		return err
	}
	var off int64
	if hasPreamble(head) {
		off = 132
	} else if !Sniff(head) {
		return ErrNotDICOM
	}
	uid, off, err := t.readMeta(off)
	if err != nil {
		return err
	}
	if t.W.size-off < 8 {
		return ErrTruncated // before the data set's first element
	}
	if err := t.chooseSyntax(uid, off); err != nil {
		return err
	}
	if t.File.Syntax.Deflated {
		return nil // what follows is compressed as a whole
	}
	return t.dataset(off)
}

// readMeta reads group 0002, whatever its group length says, and returns the transfer
// syntax UID and the offset of the data set. The group is explicit little endian, but
// some writers make it implicit.
func (t *tokenizer) readMeta(off int64) (uid string, next int64, err error) {
	for t.W.size-off >= 8 {
		b, err := t.W.at(off, 8)
		if err != nil {
			return "", 0, err
		}
		if binary.LittleEndian.Uint16(b) != 0x0002 {
			break
		}
		enc := ExplicitLE
		if vrOf(b[4], b[5]) == nil {
			enc = ImplicitLE
		}
		e, err := t.next(off, enc, 0)
		if err != nil {
			return "", 0, err
		}
		if (e.Tag == TagTransferSyntaxUID || e.Tag == tagMediaStorageSOPClassUID) && e.Length <= 128 {
			v, err := t.W.at(e.Value, int(e.Length))
			if err != nil {
				return "", 0, err
			}
			text := Shorten(Printable(strings.TrimRight(string(v), ValuePadding)))
			if e.Tag == TagTransferSyntaxUID {
				uid = text
			} else {
				t.File.SOPClass = text
			}
		}
		if t.File.Meta = append(t.File.Meta, e); len(t.File.Meta) > maxElements {
			return "", 0, message.Errorf(message.InputDamaged, "more than %d elements", maxElements)
		}
		off = e.End
	}
	return uid, off, nil
}

// dataset walks the top level from off to the file's end.
func (t *tokenizer) dataset(off int64) error {
	enc := t.File.Syntax.Encoding
	for off < t.W.size {
		if t.File.PixelIndex >= 0 && t.padding(off) {
			return nil
		}
		err := t.hold(off, enc)
		if err != nil {
			return err
		}
		e, err := t.next(off, enc, 0)
		if err != nil && t.File.PixelIndex >= 0 && !errors.Is(err, ErrTruncated) {
			return nil // trailing bytes after a complete image
		}
		if err != nil {
			return err
		}
		if IsPixels(e.Tag) && t.File.PixelIndex < 0 {
			t.File.PixelIndex, t.File.Stream = len(t.File.Elements), t.stream
		}
		if t.File.Elements = append(t.File.Elements, e); len(t.File.Elements) > maxElements {
			return message.Errorf(message.InputDamaged, "more than %d elements", maxElements)
		}
		if t.want != nil {
			if err := t.take(e); err != nil {
				return err
			}
		}
		off = e.End
	}
	return nil
}

// take keeps what the caller wants of an element, by its usual tag.
func (t *tokenizer) take(e Element) error {
	if e.Length <= maxWantedValue && (e.Tag == TagManufacturer || isCreator(e.Tag)) {
		b, err := t.W.at(e.Value, int(e.Length))
		switch {
		case err != nil:
			return err
		case e.Tag == TagManufacturer:
			t.File.private.maker = strings.ToUpper(strings.Trim(string(b), ValuePadding))
		default:
			t.File.private.reserve(e.Tag, b)
		}
	}
	usual, guess := t.File.private.usual(e)
	e.Tag = usual
	if t.want(e.Tag) && e.Length <= maxWantedValue {
		if err := t.keepValue(e, guess); err != nil {
			return err
		}
	}
	if keptWhole[usual] {
		t.File.Guessed = t.File.Guessed || guess
		return t.keep(e)
	}
	return nil
}

// keepValue keeps the value of a wanted element, unless it is a sequence or, in a file
// that gives the VR as UN, not in the dictionary.
func (t *tokenizer) keepValue(e Element, guess bool) error {
	vr := e.VR
	if vr == "" || vr == "UN" {
		vr = DictionaryVR(e.Tag)
	}
	if vr == "SQ" || vr == "UN" {
		return nil
	}
	b, err := t.W.at(e.Value, int(e.Length))
	if err != nil {
		return err
	}
	f := t.File
	f.values = append(f.values, b...)
	f.wanted = append(f.wanted, wantedValue{e.Tag, vr, len(f.values), guess})
	return nil
}

// keptWhole are the elements that are kept whole if any values are: functional groups and what orders
// them, the private headers of mosaics, the character set, and the records of an index.
var keptWhole = map[Tag]bool{
	TagSharedFunctionalGroupsSequence: true, TagPerFrameFunctionalGroupsSequence: true,
	TagDetectorInformationSequence: true, TagSiemensCSAImageHeader: true, TagSpecificCharacterSet: true,
	TagModalityLUTSequence: true, TagDirectoryRecordSequence: true, TagUIHFrameSequence: true, TagDimensionIndexSequence: true,
}

// hold keeps the bytes of the element at off buffered until its end is found, if the
// element may have to be kept.
func (t *tokenizer) hold(off int64, enc Encoding) error {
	t.W.held = 0
	if t.want == nil || t.W.size-off < 8 {
		return nil
	}
	b, err := t.W.at(off, 8)
	if err != nil {
		return err
	}
	e := Element{Tag: Tag(enc.Order.Uint16(b))<<16 | Tag(enc.Order.Uint16(b[2:]))}
	if vr := vrOf(b[4], b[5]); vr != nil && !enc.Implicit {
		e.VR = vr.name
	}
	if usual, _ := t.File.private.usual(e); keptWhole[usual] {
		t.W.held = off
	}
	return nil
}

func (t *tokenizer) keep(e Element) error {
	if e.Tag == TagSiemensCSAImageHeader && e.Length > maxWantedValue {
		return nil // no Siemens header is as large
	}
	b, err := t.W.at(e.Start, int(e.End-e.Start))
	if err != nil {
		return err
	}
	if t.File.Kept == nil {
		t.File.Kept = map[Tag][]byte{}
	}
	if t.File.Kept[e.Tag] == nil { // keep the first of duplicate elements
		t.File.Kept[e.Tag] = bytes.Clone(b)
	}
	t.W.held = 0
	return nil
}

// IsPixels reports whether an element holds the pixels of an image.
func IsPixels(t Tag) bool {
	return t == TagPixelData || t == TagFloatPixelData || t == TagDoubleFloatPixelData
}

// padding reports whether the file continues with zeros, the padding of some archives,
// instead of an element.
func (t *tokenizer) padding(off int64) bool {
	b, err := t.W.at(off, int(min(t.W.size-off, 8)))
	return err == nil && len(bytes.TrimLeft(b, "\x00")) == 0
}

// next reads the element at off and finds its end.
func (t *tokenizer) next(off int64, enc Encoding, depth int) (Element, error) {
	e, err := t.header(off, enc)
	if err != nil {
		return Element{}, err
	}
	if e.Length != UndefinedLength {
		e.End = e.Value + int64(e.Length)
		if e.End > t.W.size {
			return Element{}, &cutOff{message.New(message.InputTruncated, "%v needs %d bytes, %d are left", e.Tag, e.Length, t.W.size-e.Value)}
		}
		return e, nil
	}
	switch {
	case enc.Implicit || e.VR == "SQ":
		e.End, err = t.sequence(e.Value, enc, depth+1)
	case e.VR == "UN":
		// CP-246: a sequence of unknown VR is written in implicit little endian.
		e.End, err = t.sequence(e.Value, ImplicitLE, depth+1)
	case e.VR == "OB" || e.VR == "OW":
		e.End, err = t.fragments(e.Value)
	default:
		err = message.Errorf(message.InputDamaged, "%v has no length", e.Tag)
	}
	return e, err
}

// header reads tag, VR and length.
func (t *tokenizer) header(off int64, enc Encoding) (Element, error) {
	// Read the longest header at once: the buffer does not move back.
	b, err := t.W.at(off, int(max(8, min(t.W.size-off, 12))))
	if err != nil {
		return Element{}, err
	}
	e := Element{Start: off, Value: off + 8}
	e.Tag = Tag(enc.Order.Uint16(b))<<16 | Tag(enc.Order.Uint16(b[2:]))
	if enc.Implicit || e.Tag.Group() == 0xFFFE {
		e.Length = enc.Order.Uint32(b[4:])
		return e, nil
	}
	vr := vrOf(b[4], b[5])
	if vr == nil {
		return Element{}, message.Errorf(message.InputDamaged, "byte %d has no element", off)
	}
	e.VR = vr.name
	if !vr.long {
		e.Length = uint32(enc.Order.Uint16(b[6:]))
		return e, nil
	}
	if len(b) < 12 {
		return Element{}, ErrTruncated
	}
	e.Value = off + 12
	e.Length = enc.Order.Uint32(b[8:])
	return e, nil
}

// sequence walks the items of a sequence of undefined length and returns the
// offset after its delimiter. Items of known length are skipped.
func (t *tokenizer) sequence(off int64, enc Encoding, depth int) (int64, error) {
	if depth > MaxDepth {
		return 0, message.Errorf(message.InputDamaged, "sequences are nested deeper than %d", MaxDepth)
	}
	for {
		item, err := t.ItemHeader(off, enc)
		if err != nil {
			return 0, err
		}
		if item.Tag == TagSequenceDelimitation {
			return item.Value, nil
		}
		if item.Length != UndefinedLength {
			off = item.End
			continue
		}
		for off = item.Value; ; {
			e, err := t.header(off, enc)
			if err != nil {
				return 0, err
			}
			if e.Tag == TagItemDelimitation {
				off = e.Value
				break
			}
			if e, err = t.next(off, enc, depth); err != nil {
				return 0, err
			}
			off = e.End
		}
	}
}

// streamHead is the number of bytes kept of the first compressed frame: its header.
const streamHead = 1 << 10

// fragments walks encapsulated pixel data (PS3.5 annex A.4) and returns the
// offset after its delimiter.
func (t *tokenizer) fragments(off int64) (int64, error) {
	t.stream = nil
	for items := 0; ; items++ {
		item, err := t.ItemHeader(off, ExplicitLE)
		if err != nil {
			return 0, err
		}
		if item.Tag == TagSequenceDelimitation {
			return item.Value, nil
		}
		if item.Length == UndefinedLength {
			return 0, message.Errorf(message.InputDamaged, "a fragment of pixel data has no length")
		}
		if items == 1 && t.want != nil { // after the offset table
			b, err := t.W.at(item.Value, int(min(item.Length, streamHead)))
			if err != nil {
				return 0, err
			}
			t.stream = bytes.Clone(b)
		}
		off = item.End
	}
}

// ItemHeader reads an item or a sequence delimiter.
func (t *tokenizer) ItemHeader(off int64, enc Encoding) (Element, error) {
	e, err := t.header(off, enc)
	if err != nil {
		return Element{}, err
	}
	if e.Tag != TagItem && e.Tag != TagSequenceDelimitation {
		return Element{}, message.Errorf(message.InputDamaged, "byte %d contains %v where an item should begin", off, e.Tag)
	}
	if e.Tag == TagItem && e.Length != UndefinedLength {
		if e.End = e.Value + int64(e.Length); e.End > t.W.size {
			return Element{}, &cutOff{message.New(message.InputTruncated, "an item needs %d bytes, %d are left", e.Length, t.W.size-e.Value)}
		}
	}
	return e, nil
}
