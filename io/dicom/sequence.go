package dicom

import (
	"errors"
	"fmt"
)

// sequenceItem is one item of a sequence.
type sequenceItem struct {
	enc      encoding
	elements []element
}

// eachItem calls visit for every item of the sequence e; the offsets of both
// are those of b. The item's elements are visit's until it returns.
func eachItem(b []byte, e element, enc encoding, visit func(item sequenceItem) error) error {
	if e.vr == "UN" {
		enc = implicitLE // CP-246
	} else if e.vr != "SQ" && !enc.implicit {
		return errors.New("a sequence is of another type")
	}
	t := &tokenizer{w: wholeWindow(b)}
	end := e.end
	it := sequenceItem{enc: enc}
	for off := e.value; off < end; {
		head, err := t.itemHeader(off, enc)
		if err != nil {
			return err
		}
		if head.tag == tagSequenceDelimitation {
			return nil
		}
		if head.length == undefinedLength {
			head.end = end
		}
		if head.end > end {
			return errors.New("an item runs out of its sequence")
		}
		it.elements = it.elements[:0]
		for off = head.value; head.length == undefinedLength || off < head.end; {
			inner, err := t.header(off, enc)
			if err != nil {
				return err
			}
			if inner.tag == tagItemDelimitation {
				off = inner.value
				break
			}
			if inner, err = t.next(off, enc, 1); err != nil {
				return err
			}
			if inner.end > head.end {
				return errors.New("an element runs out of its item")
			}
			if it.elements = append(it.elements, inner); len(it.elements) > maxItemElements {
				return fmt.Errorf("an item has more than %d elements", maxItemElements)
			}
			off = inner.end
		}
		if err := visit(it); err != nil {
			return err
		}
	}
	return nil
}

// keptElement returns the bytes of an element that the tokenizer kept whole, and
// where its parts lie in them; nil where the file has none.
func (p *part10) keptElement(t tagID) (b []byte, e element, err error) {
	if b = p.kept[t]; b == nil {
		return nil, element{}, nil
	}
	e, err = (&tokenizer{w: wholeWindow(b)}).header(0, p.syntax.encoding)
	e.end = int64(len(b)) // the tokenizer found it
	return b, e, err
}

// sequenceItems returns the bytes of a sequence's items, headers included and
// delimiter not: what an item can be appended to.
func sequenceItems(file []byte, e element, enc encoding) ([]byte, error) {
	if e.vr != "SQ" && !enc.implicit {
		return nil, errors.New("the sequence is of unknown VR")
	}
	end := e.end
	if e.length == undefinedLength {
		end -= 8 // its delimiter
	}
	return file[e.value:end], nil
}
