package part10

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	lib "github.com/suyashkumar/dicom"
	"github.com/suyashkumar/dicom/pkg/tag"

	"quell/internal/message"
	"quell/io/dicom/part10/charset"
)

// Attributes are decoded elements by tag.
type Attributes struct {
	Set map[Tag]*lib.Element
	// Under is searched for tags that are not in Set: the values of the whole file
	// under the values of one frame.
	Under *Attributes
	// charset is the value of Specific Character Set; nil in layers over the file.
	charset []string
}

// Find returns an element from the topmost layer that has it.
func (a Attributes) Find(t Tag) (*lib.Element, bool) {
	for l := &a; l != nil; l = l.Under {
		if e, ok := l.Set[t]; ok {
			return e, true
		}
	}
	return nil, false
}

// ReadValues decodes the elements that the caller of Tokenize wanted. Of an
// attribute that a faulty file holds twice the first counts, as in exports. The
// error says that values are damaged; the others are returned with it.
func ReadValues(p *File) (Attributes, error) {
	a := Attributes{charset: charsetOf(p), Set: make(map[Tag]*lib.Element, len(p.wanted))}
	var damaged error
	from := 0
	for _, w := range p.wanted {
		b := p.values[from:w.end]
		from = w.end
		if _, twice := a.Set[w.tag]; twice {
			continue
		}
		e, err := decodeElement(b, w.tag, w.vr, p.Syntax.Encoding.Order)
		switch {
		case err == nil:
			a.Set[w.tag] = e
			p.Guessed = p.Guessed || w.guess
		case !w.guess:
			damaged = errors.Join(damaged, err)
		}
	}
	return a, damaged
}

// valuesOf returns the values of an attribute, or nil if it is absent or of another
// type than string, int or float64.
func valuesOf[T any](a Attributes, t Tag) []T {
	e, ok := a.Find(t)
	if !ok {
		return nil
	}
	v, _ := e.Value.GetValue().([]T)
	return v
}

// Strings returns the values of a text attribute, blanks trimmed and printable.
func (a Attributes) Strings(t Tag) []string {
	return trimmed(valuesOf[string](a, t))
}

// Raw returns a text attribute as it is stored, in its character set and without padding; nil
// if it is absent.
func (a Attributes) Raw(t Tag) []byte {
	if v := valuesOf[string](a, t); v != nil {
		return []byte(strings.Join(v, `\`))
	}
	return nil
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
	values := valuesOf[string](a, t)
	if values == nil {
		return nil
	}
	var terms []string
	for l := &a; l != nil && terms == nil; l = l.Under {
		terms = l.charset
	}
	// A character may hold the byte that divides values.
	raw := strings.Join(values, `\`)
	return trimmed(strings.Split(charset.Decode(raw, terms), `\`))
}

// DisplayText returns a text attribute of one value as it is shown.
func (a Attributes) DisplayText(t Tag) string { return strings.Join(a.DisplayTexts(t), `\`) }

// Text returns the first value of a text attribute; "" if there is none.
func (a Attributes) Text(t Tag) string {
	if s := a.Strings(t); len(s) > 0 {
		return s[0]
	}
	return ""
}

// Integer returns a binary or text (IS) integer and whether it is there.
func (a Attributes) Integer(t Tag) (int, bool) {
	if v := valuesOf[int](a, t); len(v) > 0 {
		return v[0], true
	}
	f, ok := a.Number(t)
	return int(f), ok && f == math.Trunc(f) && math.Abs(f) < 1<<31
}

// Integers returns the values of an attribute of binary integers (US, SS, UL, SL); nil if
// it is absent or of another type.
func (a Attributes) Integers(t Tag) []int { return slices.Clone(valuesOf[int](a, t)) }

// Number returns the first value of a numeric attribute.
func (a Attributes) Number(t Tag) (float64, bool) {
	if v, ok := a.Numbers(t); ok && len(v) > 0 {
		return v[0], true
	}
	return 0, false
}

// Numbers returns the values of a decimal attribute (DS, FD, FL); false if
// it is absent, empty or one value is no finite number.
func (a Attributes) Numbers(t Tag) ([]float64, bool) {
	if v := valuesOf[float64](a, t); len(v) > 0 {
		return v, !slices.ContainsFunc(v, NotFinite)
	}
	var out []float64
	for _, s := range a.Strings(t) {
		v, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64) // some writers have the comma of their language
		if err != nil || NotFinite(v) {
			return nil, false
		}
		out = append(out, v)
	}
	return out, len(out) > 0
}

// Pointer returns an attribute with a tag as value (AT); 0 if it is absent.
func (a Attributes) Pointer(t Tag) Tag {
	if v := valuesOf[int](a, t); len(v) >= 2 {
		return Tag(uint16(v[0]))<<16 | Tag(uint16(v[1]))
	}
	return 0
}

// Stored returns a two-byte attribute of VR US or SS by the pixel representation:
// in implicit VR the file does not say which.
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

// NotFinite reports whether v is NaN or infinite.
func NotFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// Take takes some attributes of an item, unless it has them from one before.
func (a Attributes) Take(b []byte, item SequenceItem, tags ...Tag) {
	for _, e := range item.Elements {
		e.Tag = item.Usual(b, e)
		if _, had := a.Set[e.Tag]; had || !slices.Contains(tags, e.Tag) || e.Length == UndefinedLength {
			continue
		}
		vr := e.VR
		if item.Enc.Implicit || vr == "UN" {
			vr = DictionaryVR(e.Tag)
		}
		if v, err := decodeElement(b[e.Value:e.End], e.Tag, vr, item.Enc.Order); err == nil {
			a.Set[e.Tag] = v
		}
	}
}

// decodeElement decodes the value bytes of one element of the given VR: text as
// []string, binary numbers as []int or []float64, all else, sequences included, as
// []byte. Text keeps the bytes of its character set.
func decodeElement(b []byte, t Tag, vr string, order binary.ByteOrder) (*lib.Element, error) {
	data, err := decodeValue(b, vr, order)
	if err != nil {
		return nil, fmt.Errorf("%v of VR %s: %w", t, vr, err)
	}
	v, err := lib.NewValue(data)
	if err != nil {
		return nil, err
	}
	id := tag.Tag{Group: t.Group(), Element: t.Element()}
	return &lib.Element{Tag: id, ValueRepresentation: tag.GetVRKind(id, vr), RawValueRepresentation: vr, ValueLength: uint32(len(b)), Value: v}, nil
}

func decodeValue(b []byte, vr string, order binary.ByteOrder) (any, error) {
	switch vr {
	case "US", "AT":
		return numbers(b, 2, func(b []byte) int { return int(order.Uint16(b)) })
	case "SS":
		return numbers(b, 2, func(b []byte) int { return int(int16(order.Uint16(b))) })
	case "UL":
		return numbers(b, 4, func(b []byte) int { return int(order.Uint32(b)) })
	case "SL":
		return numbers(b, 4, func(b []byte) int { return int(int32(order.Uint32(b))) })
	case "FL":
		return numbers(b, 4, func(b []byte) float64 { return decimalOf(math.Float32frombits(order.Uint32(b))) })
	case "FD":
		return numbers(b, 8, func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) })
	case "AE", "AS", "CS", "DS", "DT", "IS", "LO", "LT", "PN", "SH", "ST", "TM", "UC", "UI", "UR", "UT":
		return strings.Split(strings.Trim(string(b), ValuePadding), `\`), nil
	case "DA":
		return []string{strings.Trim(string(b), ValuePadding)}, nil
	}
	return b, nil
}

// numbers decodes values of size bytes each.
func numbers[T any](b []byte, size int, decode func([]byte) T) ([]T, error) {
	if len(b)%size != 0 {
		return nil, message.Errorf(message.InputDamaged, "%d bytes are no whole number of values", len(b))
	}
	out := make([]T, 0, len(b)/size)
	for ; len(b) > 0; b = b[size:] {
		out = append(out, decode(b))
	}
	return out, nil
}

// decimalOf returns the shortest decimal that is v in single precision, which is the
// number that its writer meant: 0.1 and not 0.10000000149011612.
func decimalOf(v float32) float64 {
	d, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	if err != nil {
		return float64(v)
	}
	return d
}

// charsetOf returns the character sets that a file names, as it spells them.
func charsetOf(p *File) []string {
	b, e, err := p.KeptElement(TagSpecificCharacterSet)
	if b == nil || err != nil {
		return nil
	}
	terms := strings.Split(string(b[e.Value:e.End]), `\`)
	for i, s := range terms {
		terms[i] = strings.Trim(s, ValuePadding)
	}
	return terms
}

const (
	shortVRs = "AE AS AT CS DA DS DT FL FD IS LO LT PN SH SL SS ST TM UI UL US"
	longVRs  = "OB OD OF OL OV OW SQ SV UC UN UR UT UV"
)

// vrInfo describes a value representation.
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

// vrOf returns the VR of two letters; nil if there is none.
func vrOf(a, b byte) *vrInfo {
	if a < 'A' || a > 'Z' || b < 'A' || b > 'Z' {
		return nil
	}
	return vrs[int(a-'A')*26+int(b-'A')]
}

func longVR(vr string) bool { return knownVR(vr) && vrOf(vr[0], vr[1]).long }

func knownVR(vr string) bool { return len(vr) == 2 && vrOf(vr[0], vr[1]) != nil }

// holdsText reports whether values of a VR are text: values of UN and of elements
// that without a VR ("") may be.
func holdsText(vr string) bool {
	return strings.Contains("AE AS CS DA DS DT IS LO LT PN SH ST TM UC UI UN UR UT", vr)
}

// DictionaryVR returns the first VR that the data dictionary gives a tag, or the VR of a
// private attribute that is read or owns a block; "UN" for others.
func DictionaryVR(t Tag) string {
	if p, ok := privateElements[t]; ok {
		return p.vr
	}
	if e := t.Element(); t.Group()%2 == 1 && e >= 0x10 && e <= 0xFF {
		return "LO"
	}
	info, err := tag.Find(tag.Tag{Group: t.Group(), Element: t.Element()})
	if err != nil || len(info.VRs) == 0 {
		return "UN"
	}
	return info.VRs[0]
}

// TagByKeyword returns the standard attribute of a keyword ("SliceThickness"); false if
// the dictionary has none.
func TagByKeyword(keyword string) (Tag, bool) {
	info, err := tag.FindByKeyword(keyword)
	return Tag(info.Tag.Uint32()), err == nil
}
