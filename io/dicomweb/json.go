package dicomweb

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"quell/io/attributes"
)

// Limits of one answer. They are checked while it is read.
const (
	maxJSON  = 32 << 20 // bytes
	maxDepth = 64       // nested objects and arrays
	maxNodes = 1 << 20  // values, names and brackets
)

// pagesHeld is how many of the largest answers a search may hold.
const pagesHeld = 8

// budget is what further answers may hold.
type budget struct {
	bytes int64
	nodes int
}

func oneAnswer() budget { return budget{maxJSON, maxNodes} }

// jsonError is a fault of an answer. It shows tags and VRs, never a value.
type jsonError struct{ text string }

func (e *jsonError) Error() string { return e.text }

func wrongf(format string, args ...any) error { return &jsonError{fmt.Sprintf(format, args...)} }

// parser reads the DICOM JSON model (PS3.18 annex F).
type parser struct {
	d     *json.Decoder
	depth int
	left  int // nodes
}

// parseDatasets reads an array of data sets, or one alone, up to the end of r. What they hold is
// taken from the budget.
func parseDatasets(r io.Reader, b *budget) ([]Dataset, error) {
	p := &parser{d: json.NewDecoder(&limited{r, min(b.bytes, maxJSON)}), left: min(b.nodes, maxNodes)}
	p.d.UseNumber()
	before := p.left
	all, err := p.datasets()
	if err == nil {
		b.bytes -= p.d.InputOffset()
		b.nodes -= before - p.left
	}
	return all, err
}

func (p *parser) datasets() ([]Dataset, error) {
	var all []Dataset
	t, err := p.token()
	switch {
	case errors.Is(err, io.EOF):
		return nil, orBody(err, "nothing")
	case err != nil:
		return nil, err
	case t == json.Delim('{'):
		one, err := p.dataset()
		if err != nil {
			return nil, err
		}
		all = []Dataset{one}
	case t == json.Delim('['):
		err := p.each(func(t json.Token) error {
			if t != json.Delim('{') {
				return wrongf("a result that is no data set")
			}
			one, err := p.dataset()
			all = append(all, one)
			return err
		})
		if err != nil {
			return nil, err
		}
	default:
		return nil, wrongf("no list of data sets")
	}
	if _, err := p.token(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = wrongf("more after the end of the list")
		}
		return nil, err
	}
	return all, nil
}

// token returns the next token, and io.EOF alone at the end of a whole value.
func (p *parser) token() (json.Token, error) {
	t, err := p.d.Token()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) && p.depth > 0:
		return nil, wrongf("JSON that ends too early")
	case errors.As(err, &syntax), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, orBody(err, "text that is no JSON, or that ends too early")
	case err != nil:
		return nil, err
	}
	if p.left--; p.left < 0 {
		return nil, errTooLarge
	}
	switch t {
	case json.Delim('{'), json.Delim('['):
		if p.depth++; p.depth > maxDepth {
			return nil, wrongf("JSON nested more than %d deep", maxDepth)
		}
	case json.Delim('}'), json.Delim(']'):
		p.depth--
	}
	return t, nil
}

// each visits the values of an array after its bracket.
func (p *parser) each(visit func(json.Token) error) error {
	for {
		t, err := p.token()
		if err != nil || t == json.Delim(']') {
			return err
		}
		if err := visit(t); err != nil {
			return err
		}
	}
}

// members visits the members of an object after its brace; visit reads the value.
func (p *parser) members(visit func(name string) error) error {
	for {
		t, err := p.token()
		if err != nil || t == json.Delim('}') {
			return err
		}
		if err := visit(t.(string)); err != nil { // the decoder takes no other name
			return err
		}
	}
}

// dataset reads a data set after its brace.
func (p *parser) dataset() (Dataset, error) {
	d := Dataset{}
	err := p.members(func(name string) error { return p.attribute(d, name) })
	return d, err
}

// attribute reads the value of a member of a data set.
func (p *parser) attribute(d Dataset, name string) error {
	number, err := strconv.ParseUint(name, 16, 32)
	if err != nil || len(name) != 8 {
		return wrongf("a name that is no tag")
	}
	tag := Tag(number)
	if _, twice := d[tag]; twice {
		return wrongf("attribute %v twice", tag)
	}
	if t, err := p.token(); err != nil || t != json.Delim('{') {
		return orWrong(err, "attribute %v without VR", tag)
	}
	e, err := p.element(tag)
	d[tag] = e
	return err
}

// element reads an element after its brace. Its VR may follow its values.
func (p *parser) element(tag Tag) (Element, error) {
	var e Element
	var raw []rawValue
	err := p.members(func(name string) error {
		t, err := p.token()
		if err != nil {
			return err
		}
		switch text, isText := t.(string); {
		case name == "vr" && isText && e.VR == "":
			e.VR = text
		case name == "BulkDataURI" && isText:
			e.BulkDataURI = text
		case name == "Value" && t == json.Delim('[') && raw == nil:
			raw = []rawValue{}
			return p.each(func(t json.Token) error {
				v, err := p.rawValue(t, tag)
				raw = append(raw, v)
				return err
			})
		case name == "Value" && t == nil:
		case name == "vr" || name == "BulkDataURI" || name == "Value":
			return wrongf("attribute %v with a wrong %s", tag, name)
		default: // InlineBinary, and additions of later editions
			return p.skip(t)
		}
		return nil
	})
	if err != nil {
		return e, err
	}
	return e, fill(&e, tag, raw)
}

// skip passes over a value that begins with t.
func (p *parser) skip(t json.Token) error {
	if t != json.Delim('{') && t != json.Delim('[') {
		return nil
	}
	for outside := p.depth - 1; p.depth > outside; {
		if _, err := p.token(); err != nil {
			return err
		}
	}
	return nil
}

// rawValue is a value of unknown VR as yet.
type rawValue struct {
	token  json.Token // of texts, numbers and null
	person *string    // the alphabetic group of a name
	item   Dataset
}

func (p *parser) rawValue(t json.Token, tag Tag) (rawValue, error) {
	switch t.(type) {
	case nil, string, json.Number:
		return rawValue{token: t}, nil
	}
	if t != json.Delim('{') {
		return rawValue{}, wrongf("attribute %v with a value of a wrong form", tag)
	}
	v := rawValue{item: Dataset{}}
	err := p.members(func(name string) error {
		switch name {
		case "Alphabetic", "Ideographic", "Phonetic":
			t, err := p.token()
			text, isText := t.(string)
			if err != nil || !isText && t != nil {
				return orWrong(err, "attribute %v with a name that is no text", tag)
			}
			if v.person == nil {
				v.person = new(string)
			}
			if name == "Alphabetic" {
				*v.person = text
			}
			return nil
		}
		return p.attribute(v.item, name)
	})
	return v, err
}

// orBody returns a failure of the connection as it is, and else names the fault.
func orBody(err error, text string) error {
	var body *bodyError
	if errors.As(err, &body) {
		return err
	}
	return wrongf("%s", text)
}

func orWrong(err error, format string, args ...any) error {
	if err != nil {
		return err
	}
	return wrongf(format, args...)
}

// fill checks values against the VR.
func fill(e *Element, tag Tag, raw []rawValue) error {
	known := attributes.FormOf(e.VR)
	if known == 0 {
		return wrongf("attribute %v with no VR of the standard", tag)
	}
	if known == attributes.Bulk && len(raw) > 0 {
		return wrongf("attribute %v of VR %s with values", tag, e.VR)
	}
	for _, v := range raw {
		if known == attributes.Sequence {
			if v.person != nil || v.item == nil && v.token != nil {
				return wrongf("attribute %v of VR SQ with a value that is no item", tag)
			}
			e.Items = append(e.Items, v.item)
			continue
		}
		value, ok := v.value(known)
		if !ok {
			return wrongf("attribute %v with a value that does not fit VR %s", tag, e.VR)
		}
		e.Values = append(e.Values, value)
	}
	return nil
}

// value returns a value of a form that is no sequence.
func (v rawValue) value(f attributes.Form) (Value, bool) {
	if v.item != nil {
		switch {
		case f != attributes.Person || len(v.item) > 0:
			return Value{}, false
		case v.person == nil: // {} is an empty name
			return Value{}, true
		}
		return Value{Text: *v.person}, true
	}
	switch t := v.token.(type) {
	case string: // some servers write names, and numbers with their padding, as plain texts
		text := strings.TrimRight(t, " \x00")
		if f == attributes.Number {
			return number(strings.TrimSpace(text)), true
		}
		return Value{Text: text}, true
	case json.Number:
		n := number(t.String())
		return n, f == attributes.Number && n.IsNumber
	}
	return Value{}, true
}

// number reads a finite number; any other text stays one.
func number(s string) Value {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return Value{Text: s}
	}
	return Value{Text: s, Number: x, IsNumber: true}
}
