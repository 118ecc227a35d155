package dicom

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	lib "github.com/suyashkumar/dicom"
)

// attributes are the values of the elements that were kept by the tokenizer.
type attributes struct {
	set map[tagID]*lib.Element
	// under holds what applies where set says nothing: the whole file's values
	// beneath those of one frame.
	under *attributes
	// charset is the value of Specific Character Set; nil in the layers above the
	// file's own.
	charset []string
}

// find returns an element, from the uppermost layer that has it.
func (a attributes) find(t tagID) (*lib.Element, bool) {
	for l := &a; l != nil; l = l.under {
		if e, ok := l.set[t]; ok {
			return e, true
		}
	}
	return nil, false
}

// unreadableHeader is what a person is told of a header that the parser refuses;
// the parser's own words stay in the chain.
const unreadableHeader = "a value of its header is damaged"

// readValues parses the wanted elements of a file. The parser sees only these,
// each proven to lie inside the file, behind a meta header made here: its
// answers to truncation, nesting and unknown syntaxes never come into play.
func readValues(p *part10) (a attributes, err error) {
	defer func() {
		if r := recover(); r != nil {
			a, err = attributes{}, fmt.Errorf("%s: %v", unreadableHeader, r)
		}
	}()
	a.charset = charsetOf(p)
	a.set = make(map[tagID]*lib.Element, len(p.wantedEnds))
	unknown, plain := p.wantedElements()
	known := p.known
	if !plain {
		known = nil
	}
	if unknown = known.take(p.syntax.encoding, unknown, a.set); len(unknown) == 0 {
		return a, nil
	}
	input := parserInput(p.syntax.encoding, unknown)
	parsed, err := lib.Parse(bytes.NewReader(input), int64(len(input)), nil,
		lib.SkipProcessingPixelDataValue(), lib.AllowUnknownSpecificCharacterSet())
	if err != nil {
		return attributes{}, fmt.Errorf("%s: %w", unreadableHeader, err)
	}
	elements := parsed.Elements[parserMeta:]
	known.add(p.syntax.encoding, unknown, elements)
	for _, e := range elements {
		// Of an attribute that a faulty file holds twice the first counts, here and in exports.
		if t := tagID(e.Tag.Uint32()); a.set[t] == nil {
			a.set[t] = e
		}
	}
	return a, nil
}

// parserMeta is how many elements the meta header of parserInput has.
const parserMeta = 2

// parserInput is a DICOM file of some elements alone, in one of the three plain
// transfer syntaxes.
func parserInput(enc encoding, elements [][]byte) []byte {
	meta := appendElement(nil, explicitLE, tagTransferSyntaxUID, "UI", []byte(plainSyntax(enc)))
	b := make([]byte, 128, 512)
	b = append(b, "DICM"...)
	b = appendElement(b, explicitLE, tagFileMetaInformationGroupLength, "UL",
		binary.LittleEndian.AppendUint32(nil, uint32(len(meta))))
	b = append(b, meta...)
	for _, e := range elements {
		b = append(b, e...)
	}
	return b
}

// strings returns the values of a text attribute, blanks trimmed and printable.
func (a attributes) strings(t tagID) []string {
	e, ok := a.find(t)
	if !ok || e.Value.ValueType() != lib.Strings {
		return nil
	}
	return trimmed(lib.MustGetStrings(e.Value))
}

// valuePadding is what texts are brought to an even length with.
const valuePadding = " \x00"

// trimmed returns values without blanks around them, and printable.
func trimmed(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = printable(strings.Trim(v, valuePadding))
	}
	return out
}

// displayTexts returns the values of a text attribute in their character set, as they
// are shown.
func (a attributes) displayTexts(t tagID) []string {
	e, ok := a.find(t)
	if !ok || e.Value.ValueType() != lib.Strings {
		return nil
	}
	var terms []string
	for l := &a; l != nil && terms == nil; l = l.under {
		terms = l.charset
	}
	// A character may hold the byte that divides values.
	raw := strings.Join(lib.MustGetStrings(e.Value), `\`)
	return trimmed(strings.Split(decodeText(raw, terms), `\`))
}

// displayText returns a text attribute of one value as it is shown.
func (a attributes) displayText(t tagID) string { return strings.Join(a.displayTexts(t), `\`) }

// text returns the first value of a text attribute; "" where there is none.
func (a attributes) text(t tagID) string {
	if s := a.strings(t); len(s) > 0 {
		return s[0]
	}
	return ""
}

// integer returns a binary or text (IS) integer and whether it is there.
func (a attributes) integer(t tagID) (int, bool) {
	e, ok := a.find(t)
	if !ok {
		return 0, false
	}
	if e.Value.ValueType() == lib.Ints {
		if v := lib.MustGetInts(e.Value); len(v) > 0 {
			return v[0], true
		}
		return 0, false
	}
	f, ok := a.number(t)
	return int(f), ok && f == math.Trunc(f) && math.Abs(f) < 1<<31
}

// number returns the first value of a numeric attribute.
func (a attributes) number(t tagID) (float64, bool) {
	if v, ok := a.numbers(t); ok && len(v) > 0 {
		return v[0], true
	}
	return 0, false
}

// numbers returns the values of a decimal attribute (DS, FD, FL); false where
// it is absent, empty or one value is no finite number.
func (a attributes) numbers(t tagID) ([]float64, bool) {
	e, ok := a.find(t)
	if !ok {
		return nil, false
	}
	if e.Value.ValueType() == lib.Floats {
		return lib.MustGetFloats(e.Value), true
	}
	var out []float64
	for _, s := range a.strings(t) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || notFinite(v) {
			return nil, false
		}
		out = append(out, v)
	}
	return out, len(out) > 0
}

// pointer returns an attribute whose value is a tag (AT); 0 where it is absent.
func (a attributes) pointer(t tagID) tagID {
	if e, ok := a.find(t); ok && e.Value.ValueType() == lib.Ints {
		if v := lib.MustGetInts(e.Value); len(v) >= 2 {
			return tagID(uint16(v[0]))<<16 | tagID(uint16(v[1]))
		}
	}
	return 0
}

// stored returns a two-byte attribute whose VR is US or SS by the pixel
// representation: in implicit VR no parser can know which.
func (a attributes) stored(t tagID, signed bool) (int, bool) {
	v, ok := a.integer(t)
	if !ok {
		return 0, false
	}
	if signed {
		return int(int16(v)), true
	}
	return int(uint16(v)), true
}
