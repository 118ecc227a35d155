package attributes

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"quell/internal/message"
	"quell/io/dicom/part10"
)

// Transfer syntaxes that Encode writes and Decode reads.
const (
	ImplicitLE = part10.UIDImplicitLE
	ExplicitLE = part10.UIDExplicitLE
)

// Lookup returns the tag of a keyword of the data dictionary or of eight digits, and its VR, which
// is "UN" for a tag that the dictionary does not have.
func Lookup(name string) (Tag, string, bool) {
	if t, ok := part10.TagByKeyword(name); ok {
		return Tag(t), part10.DictionaryVR(t), true
	}
	if n, err := strconv.ParseUint(name, 16, 32); err == nil && len(name) == 8 {
		return Tag(n), part10.DictionaryVR(part10.Tag(n)), true
	}
	return 0, "", false
}

// utf8Terms is the character set of what Encode writes.
const utf8Terms = "ISO_IR 192"

// Encode returns a data set in ImplicitLE or ExplicitLE, elements in ascending order. Texts that are
// no ASCII are UTF-8, and SpecificCharacterSet says so. Values of VR SQ and OB and their kin are an
// error: a query has none.
func (d Dataset) Encode(syntax string) ([]byte, error) {
	encoding := part10.ExplicitLE
	if syntax == ImplicitLE {
		encoding = part10.ImplicitLE
	} else if syntax != ExplicitLE {
		return nil, fmt.Errorf("attributes: no encoder of the syntax %q", syntax)
	}
	const charset = Tag(part10.TagSpecificCharacterSet)
	var b []byte
	ascii := true
	for _, t := range slices.Sorted(maps.Keys(d)) {
		e := d[t]
		value, err := e.encode()
		if err != nil {
			return nil, fmt.Errorf("attributes: %v: %w", t, err)
		}
		for _, c := range value {
			ascii = ascii && (c < 0x80 || forms[e.VR] == Number)
		}
		if t != charset {
			b = part10.AppendElement(b, encoding, part10.Tag(t), e.VR, value)
		}
	}
	if ascii {
		return b, nil
	}
	return append(part10.AppendElement(nil, encoding, part10.Tag(charset), "CS", []byte(utf8Terms)), b...), nil
}

// longestShort is the most bytes of a value with a length of 16 bits.
const longestShort = math.MaxUint16 - 1

func (e Element) encode() ([]byte, error) {
	var b []byte
	switch forms[e.VR] {
	case Text, Person:
		texts := make([]string, len(e.Values))
		for i, v := range e.Values {
			texts[i] = v.Text
		}
		b = []byte(strings.Join(texts, `\`))
	case Number:
		if e.VR == "DS" || e.VR == "IS" {
			return Element{VR: "LO", Values: e.Values}.encode()
		}
		for _, v := range e.Values {
			switch e.VR {
			case "US":
				b = binary.LittleEndian.AppendUint16(b, uint16(v.Number))
			case "SS":
				b = binary.LittleEndian.AppendUint16(b, uint16(int16(v.Number)))
			case "UL":
				b = binary.LittleEndian.AppendUint32(b, uint32(v.Number))
			case "SL":
				b = binary.LittleEndian.AppendUint32(b, uint32(int32(v.Number)))
			case "FL":
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v.Number)))
			case "FD":
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Number))
			default:
				return nil, fmt.Errorf("values of VR %s are not written", e.VR)
			}
		}
	default:
		if len(e.Values) > 0 || len(e.Items) > 0 {
			return nil, fmt.Errorf("values of VR %s are not written", e.VR)
		}
	}
	if len(b) > longestShort {
		return nil, fmt.Errorf("a value of %d bytes", len(b))
	}
	return b, nil
}

// Decode reads a data set in ImplicitLE or ExplicitLE. Texts become UTF-8 by its
// SpecificCharacterSet, and control characters U+FFFD. Sequences, values of AT, of OB and its kin, of
// more than 64 KB and values that do not fit their VR are left out. An error names the fault of
// its form; nothing allocates more than some times len(b).
func Decode(b []byte, syntax string) (Dataset, error) {
	d := Dataset{}
	if len(b) == 0 {
		return d, nil
	}
	file := append(part10.AppendFileMeta(nil, "", "", syntax, ""), b...)
	p, err := part10.TokenizeBytes(file, func(part10.Tag) bool { return true })
	if err != nil {
		return nil, err
	}
	values, _ := part10.ReadValues(p) // damaged ones are left out
	for t, e := range values.Set {
		vr := e.RawValueRepresentation
		form, known := forms[vr]
		if !known || form == Sequence || form == Bulk || vr == "AT" || t.Group() <= 2 {
			continue
		}
		d[Tag(t)] = Element{VR: vr, Values: valuesOf(values, t, vr, e.Value.GetValue())}
	}
	return d, nil
}

func valuesOf(all part10.Attributes, t part10.Tag, vr string, raw any) []Value {
	var out []Value
	switch raw := raw.(type) {
	case []int:
		for _, n := range raw {
			out = append(out, Value{Text: strconv.Itoa(n), Number: float64(n), IsNumber: true})
		}
	case []float64:
		for _, f := range raw {
			if !part10.NotFinite(f) {
				out = append(out, Value{Text: strconv.FormatFloat(f, 'g', -1, 64), Number: f, IsNumber: true})
			}
		}
	default:
		texts := all.DisplayTexts(t)
		if len(texts) == 1 && texts[0] == "" {
			return nil
		}
		for _, text := range texts {
			v := Value{Text: text}
			switch forms[vr] {
			case Person:
				v.Text, _, _ = strings.Cut(text, "=")
			case Number:
				if f, err := strconv.ParseFloat(text, 64); err == nil && !part10.NotFinite(f) {
					v.Number, v.IsNumber = f, true
				}
			}
			out = append(out, v)
		}
	}
	return out
}

// Identifier returns the data set of a query of the DICOM network: the level, the values to match and,
// without a value, the attributes to return. A keyword that the dictionary does not have is an error.
func (q Query) Identifier(level string) (Dataset, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	d := Dataset{Tag(0x0008_0052): {VR: "CS", Values: []Value{{Text: level}}}} // QueryRetrieveLevel
	add := func(name string, values ...Value) error {
		t, vr, ok := Lookup(name)
		if !ok {
			return message.Errorf(message.UsageRefused, "the data dictionary has no attribute %s", name)
		}
		if _, there := d[t]; there && values == nil {
			return nil
		}
		if form := forms[vr]; values != nil && (form == Sequence || form == Bulk || form == Number && vr != "IS" && vr != "DS") {
			return message.Errorf(message.UsageRefused, "the DICOM network does not search by %s", name)
		}
		d[t] = Element{VR: vr, Values: values}
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(q.Match)) {
		if err := add(name, Value{Text: q.Match[name]}); err != nil {
			return nil, err
		}
	}
	for _, name := range q.Include {
		if name == All {
			continue
		}
		if err := add(name); err != nil {
			return nil, err
		}
	}
	return d, nil
}
