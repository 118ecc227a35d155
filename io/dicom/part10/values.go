package part10

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	lib "github.com/suyashkumar/dicom"
	"github.com/suyashkumar/dicom/pkg/tag"
)

// Attributes are the values of the elements that were kept by the tokenizer.
type Attributes struct {
	Set map[Tag]*lib.Element
	// Under holds what applies where set says nothing: the whole file's values
	// beneath those of one frame.
	Under *Attributes
	// charset is the value of Specific Character Set; nil in the layers above the
	// file's own.
	charset []string
}

// Find returns an element, from the uppermost layer that has it.
func (a Attributes) Find(t Tag) (*lib.Element, bool) {
	for l := &a; l != nil; l = l.Under {
		if e, ok := l.Set[t]; ok {
			return e, true
		}
	}
	return nil, false
}

// UnreadableHeader is what a person is told of a header that the parser refuses;
// the parser's own words stay in the chain.
const UnreadableHeader = "a value of its header is damaged"

// ReadValues parses the wanted elements of a file. The parser sees only these,
// each proven to lie inside the file, behind a meta header made here: its
// answers to truncation, nesting and unknown syntaxes never come into play.
func ReadValues(p *File) (a Attributes, err error) {
	defer func() {
		if r := recover(); r != nil {
			a, err = Attributes{}, fmt.Errorf("%s: %v", UnreadableHeader, r)
		}
	}()
	a.charset = charsetOf(p)
	a.Set = make(map[Tag]*lib.Element, len(p.wantedEnds))
	unknown, plain := p.WantedElements()
	known := p.Known
	if !plain {
		known = nil
	}
	if unknown = known.take(p.Syntax.Encoding, unknown, a.Set); len(unknown) == 0 {
		return a, nil
	}
	input := parserInput(p.Syntax.Encoding, unknown)
	parsed, err := lib.Parse(bytes.NewReader(input), int64(len(input)), nil,
		lib.SkipProcessingPixelDataValue(), lib.AllowUnknownSpecificCharacterSet())
	if err != nil {
		return Attributes{}, fmt.Errorf("%s: %w", UnreadableHeader, err)
	}
	elements := parsed.Elements[parserMeta:]
	known.add(p.Syntax.Encoding, unknown, elements)
	for _, e := range elements {
		// Of an attribute that a faulty file holds twice the first counts, here and in exports.
		if t := Tag(e.Tag.Uint32()); a.Set[t] == nil {
			a.Set[t] = e
		}
	}
	return a, nil
}

// parserMeta is how many elements the meta header of parserInput has.
const parserMeta = 2

// parserInput is a DICOM file of some elements alone, in one of the three plain
// transfer syntaxes.
func parserInput(enc Encoding, elements [][]byte) []byte {
	meta := AppendElement(nil, ExplicitLE, TagTransferSyntaxUID, "UI", []byte(PlainSyntax(enc)))
	b := make([]byte, 128, 512)
	b = append(b, "DICM"...)
	b = AppendElement(b, ExplicitLE, tagFileMetaInformationGroupLength, "UL",
		binary.LittleEndian.AppendUint32(nil, uint32(len(meta))))
	b = append(b, meta...)
	for _, e := range elements {
		b = append(b, e...)
	}
	return b
}

// Strings returns the values of a text attribute, blanks trimmed and printable.
func (a Attributes) Strings(t Tag) []string {
	e, ok := a.Find(t)
	if !ok || e.Value.ValueType() != lib.Strings {
		return nil
	}
	return trimmed(lib.MustGetStrings(e.Value))
}

// ValuePadding is what texts are brought to an even length with.
const ValuePadding = " \x00"

// trimmed returns values without blanks around them, and printable.
func trimmed(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = Printable(strings.Trim(v, ValuePadding))
	}
	return out
}

// DisplayTexts returns the values of a text attribute in their character set, as they
// are shown.
func (a Attributes) DisplayTexts(t Tag) []string {
	e, ok := a.Find(t)
	if !ok || e.Value.ValueType() != lib.Strings {
		return nil
	}
	var terms []string
	for l := &a; l != nil && terms == nil; l = l.Under {
		terms = l.charset
	}
	// A character may hold the byte that divides values.
	raw := strings.Join(lib.MustGetStrings(e.Value), `\`)
	return trimmed(strings.Split(decodeText(raw, terms), `\`))
}

// DisplayText returns a text attribute of one value as it is shown.
func (a Attributes) DisplayText(t Tag) string { return strings.Join(a.DisplayTexts(t), `\`) }

// Text returns the first value of a text attribute; "" where there is none.
func (a Attributes) Text(t Tag) string {
	if s := a.Strings(t); len(s) > 0 {
		return s[0]
	}
	return ""
}

// Integer returns a binary or text (IS) integer and whether it is there.
func (a Attributes) Integer(t Tag) (int, bool) {
	e, ok := a.Find(t)
	if !ok {
		return 0, false
	}
	if e.Value.ValueType() == lib.Ints {
		if v := lib.MustGetInts(e.Value); len(v) > 0 {
			return v[0], true
		}
		return 0, false
	}
	f, ok := a.Number(t)
	return int(f), ok && f == math.Trunc(f) && math.Abs(f) < 1<<31
}

// Number returns the first value of a numeric attribute.
func (a Attributes) Number(t Tag) (float64, bool) {
	if v, ok := a.Numbers(t); ok && len(v) > 0 {
		return v[0], true
	}
	return 0, false
}

// Numbers returns the values of a decimal attribute (DS, FD, FL); false where
// it is absent, empty or one value is no finite number.
func (a Attributes) Numbers(t Tag) ([]float64, bool) {
	e, ok := a.Find(t)
	if !ok {
		return nil, false
	}
	if e.Value.ValueType() == lib.Floats {
		return lib.MustGetFloats(e.Value), true
	}
	var out []float64
	for _, s := range a.Strings(t) {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || NotFinite(v) {
			return nil, false
		}
		out = append(out, v)
	}
	return out, len(out) > 0
}

// Pointer returns an attribute whose value is a tag (AT); 0 where it is absent.
func (a Attributes) Pointer(t Tag) Tag {
	if e, ok := a.Find(t); ok && e.Value.ValueType() == lib.Ints {
		if v := lib.MustGetInts(e.Value); len(v) >= 2 {
			return Tag(uint16(v[0]))<<16 | Tag(uint16(v[1]))
		}
	}
	return 0
}

// Stored returns a two-byte attribute whose VR is US or SS by the pixel
// representation: in implicit VR no parser can know which.
func (a Attributes) Stored(t Tag, signed bool) (int, bool) {
	v, ok := a.Integer(t)
	if !ok {
		return 0, false
	}
	if signed {
		return int(int16(v)), true
	}
	return int(uint16(v)), true
}

// decodeValue makes an element of the bytes of a text, float or integer value,
// which is all that functional groups are asked for: the library would have to
// be started anew for each frame.
func decodeValue(b []byte, e Element, enc Encoding) (*lib.Element, bool) {
	vr := e.VR
	if enc.Implicit || vr == "UN" {
		vr = DictionaryVR(e.Tag)
	}
	var data any
	switch order := enc.Order; vr {
	case "FD", "FL", "UL", "US", "SL", "SS":
		size := map[string]int{"FD": 8, "FL": 4, "UL": 4, "SL": 4, "US": 2, "SS": 2}[vr]
		var floats []float64
		var ints []int
		for ; len(b) >= size; b = b[size:] {
			switch vr {
			case "FD":
				floats = append(floats, math.Float64frombits(order.Uint64(b)))
			case "FL":
				floats = append(floats, float64(math.Float32frombits(order.Uint32(b))))
			default:
				ints = append(ints, integerAt(b, vr, order))
			}
		}
		if data = any(ints); len(floats) > 0 {
			data = floats
		}
		if len(floats)+len(ints) == 0 || slices.ContainsFunc(floats, NotFinite) {
			return nil, false
		}
	case "AS", "CS", "DA", "DS", "DT", "IS", "LO", "SH", "TM":
		if len(b) > maxWantedValue {
			return nil, false
		}
		data = strings.Split(strings.TrimRight(string(b), ValuePadding), `\`)
	default:
		return nil, false
	}
	v, err := lib.NewValue(data)
	if err != nil {
		return nil, false
	}
	return &lib.Element{Tag: tag.Tag{Group: e.Tag.Group(), Element: e.Tag.Element()}, Value: v}, true
}

func integerAt(b []byte, vr string, order binary.ByteOrder) int {
	switch vr {
	case "UL":
		return int(order.Uint32(b))
	case "SL":
		return int(int32(order.Uint32(b)))
	case "US":
		return int(order.Uint16(b))
	default:
		return int(int16(order.Uint16(b)))
	}
}

func NotFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// Take takes some attributes of an item, unless it has them from one before.
func (a Attributes) Take(b []byte, item SequenceItem, tags ...Tag) {
	for _, e := range item.Elements {
		if _, had := a.Set[e.Tag]; had || !slices.Contains(tags, e.Tag) || e.Length == UndefinedLength {
			continue
		}
		if v, ok := decodeValue(b[e.Value:e.End], e, item.Enc); ok {
			a.Set[e.Tag] = v
		}
	}
}
