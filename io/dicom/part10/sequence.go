package part10

import (
	"quell/internal/message"
)

// SequenceItem is one item of a sequence.
type SequenceItem struct {
	Enc      Encoding
	Elements []Element
}

// EachItem calls visit for every item of the sequence e; the offsets of both count
// in b. The item's elements are visit's until it returns.
func EachItem(b []byte, e Element, enc Encoding, visit func(item SequenceItem) error) error {
	if e.VR == "UN" {
		enc = ImplicitLE // CP-246
	} else if e.VR != "SQ" && !enc.Implicit {
		return message.Errorf(message.InputDamaged, "a sequence is of another type")
	}
	t := &tokenizer{W: wholeFile(b)}
	end := e.End
	it := SequenceItem{Enc: enc}
	for off := e.Value; off < end; {
		head, err := t.ItemHeader(off, enc)
		if err != nil {
			return err
		}
		if head.Tag == TagSequenceDelimitation {
			return nil
		}
		if head.Length == UndefinedLength {
			head.End = end
		}
		if head.End > end {
			return message.Errorf(message.InputDamaged, "an item runs out of its sequence")
		}
		it.Elements = it.Elements[:0]
		for off = head.Value; head.Length == UndefinedLength || off < head.End; {
			inner, err := t.header(off, enc)
			if err != nil {
				return err
			}
			if inner.Tag == TagItemDelimitation {
				off = inner.Value
				break
			}
			if inner, err = t.next(off, enc, 1); err != nil {
				return err
			}
			if inner.End > head.End {
				return message.Errorf(message.InputDamaged, "an element runs out of its item")
			}
			if it.Elements = append(it.Elements, inner); len(it.Elements) > maxItemElements {
				return message.Errorf(message.InputDamaged, "an item has more than %d elements", maxItemElements)
			}
			off = inner.End
		}
		if err := visit(it); err != nil {
			return err
		}
	}
	return nil
}

// KeptElement returns the bytes of an element that the tokenizer kept whole, and
// the places of its parts in them; nil if the file has none.
func (p *File) KeptElement(t Tag) (b []byte, e Element, err error) {
	if b = p.Kept[t]; b == nil {
		return nil, Element{}, nil
	}
	e, err = (&tokenizer{W: wholeFile(b)}).header(0, p.Syntax.Encoding)
	e.End = int64(len(b)) // the tokenizer found it
	return b, e, err
}

// SequenceItems returns the bytes of a sequence's items, headers included and
// delimiter not: what an item can be appended to.
func SequenceItems(file []byte, e Element, enc Encoding) ([]byte, error) {
	if e.VR != "SQ" && !enc.Implicit {
		return nil, message.Errorf(message.InputDamaged, "the sequence is of unknown VR")
	}
	end := e.End
	if e.Length == UndefinedLength {
		end -= 8 // its delimiter
	}
	return file[e.Value:end], nil
}

// Fragment is one item of encapsulated pixel data.
type Fragment struct {
	Offset int64 // of its tag, from the first fragment's
	Bytes  []byte
}

// ReadFragments returns the basic offset table, which is the first item, and the
// fragments. The tokenizer has proven that they lie inside the file.
func ReadFragments(file []byte, pixels Element) (table []byte, items []Fragment, err error) {
	t := &tokenizer{W: wholeFile(file)}
	var first int64
	for off := pixels.Value; ; {
		item, err := t.ItemHeader(off, ExplicitLE)
		if err != nil {
			return nil, nil, err
		}
		if item.Tag == TagSequenceDelimitation {
			break
		}
		if off == pixels.Value {
			table, first = file[item.Value:item.End], item.End
		} else {
			items = append(items, Fragment{off - first, file[item.Value:item.End]})
		}
		off = item.End
	}
	if len(items) == 0 {
		return nil, nil, message.Errorf(message.InputForeign, "it has no fragment of pixels")
	}
	return table, items, nil
}
