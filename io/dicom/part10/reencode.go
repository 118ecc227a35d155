package part10

import (
	"cmp"
	"slices"

	"github.com/suyashkumar/dicom/pkg/tag"

	"quell/internal/message"
)

// Edit replaces, adds or (with no bytes) removes one element.
type Edit struct {
	Tag   Tag
	Bytes []byte // the whole element, encoded
}

// Set returns the edit that gives an element a value.
func Set(enc Encoding, t Tag, vr string, value []byte) Edit {
	return Edit{t, AppendElement(nil, enc, t, vr, value)}
}

// SortEdits sorts edits by tag, as Merge needs them.
func SortEdits(edits []Edit) {
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Tag, b.Tag) })
}

// inOrder returns elements in order of tags, as a data set has to be
// (PS3.5 section 7.1); not every writer keeps to it.
func inOrder(elements []Element) []Element {
	byTag := func(a, b Element) int { return cmp.Compare(a.Tag, b.Tag) }
	if slices.IsSortedFunc(elements, byTag) {
		return elements
	}
	elements = slices.Clone(elements)
	slices.SortStableFunc(elements, byTag)
	return elements
}

// Merge appends elements with their bytes in b, in order of tags, with edits, which
// are in that order, made at their places. Of a tag that a faulty source holds
// twice, an edit replaces both.
func Merge(out, b []byte, elements []Element, edits []Edit) []byte {
	var last Tag // of the edits made
	for _, e := range inOrder(elements) {
		for len(edits) > 0 && edits[0].Tag <= e.Tag {
			out = append(out, edits[0].Bytes...)
			last, edits = edits[0].Tag, edits[1:]
		}
		// A group length would now be wrong, and what strayed from the meta header
		// would be read as part of the new one.
		if e.Tag != last && e.Tag.Element() != 0 && e.Tag.Group() != 0x0002 {
			out = append(out, b[e.Start:e.End]...)
		}
	}
	for _, e := range edits {
		out = append(out, e.Bytes...)
	}
	return out
}

// AroundPixels returns the elements before and after Pixel Data.
func AroundPixels(elements []Element) (before, behind []Element) {
	elements = inOrder(elements)
	place := func(t Tag) int {
		at, _ := slices.BinarySearchFunc(elements, t, func(e Element, t Tag) int { return cmp.Compare(e.Tag, t) })
		return at
	}
	return elements[:place(TagPixelData)], elements[place(TagPixelData+1):]
}

// ExplicitElements returns the elements of a data set in implicit little endian in
// explicit little endian. Values stay byte for byte; each element gets the VR of
// the data dictionary. signed is the pixel representation of the data set.
func (d *Dataset) ExplicitElements(signed bool) ([]byte, error) {
	return explicitWriter{d.Bytes}.elements(nil, d.File.Elements, signed, 0)
}

// explicitWriter re-encodes elements of implicit little endian with their bytes in
// b.
type explicitWriter struct{ b []byte }

// elements appends elements in explicit little endian. signed is the pixel
// representation of the data set, or of the one that an item belongs to.
func (w explicitWriter) elements(out []byte, elements []Element, signed bool, depth int) ([]byte, error) {
	if depth > MaxDepth {
		return nil, message.Errorf(message.InputDamaged, "sequences are nested deeper than %d", MaxDepth)
	}
	for _, e := range elements {
		if e.Tag == TagPixelRepresentation && e.Length >= 1 {
			signed = w.b[e.Value] == 1
		}
	}
	for _, e := range elements {
		vr := explicitVR(e.Tag, signed)
		switch {
		case e.Tag.Element() == 0: // a group length, now wrong
		case vr == "SQ" || e.Length == UndefinedLength:
			var err error
			if out, err = w.sequence(out, e, signed, depth+1); err != nil {
				return nil, err
			}
		default:
			if !longVR(vr) && e.Length > 0xFFFE {
				vr = "UN" // PS3.5 section 6.2.2: its length does not fit
			}
			out = AppendElementHeader(out, ExplicitLE, e.Tag, vr, e.Length)
			out = append(out, w.b[e.Value:e.End]...)
		}
	}
	return out, nil
}

func (w explicitWriter) sequence(out []byte, e Element, signed bool, depth int) ([]byte, error) {
	var items []byte
	err := EachItem(w.b, e, ImplicitLE, func(item SequenceItem) error {
		inner, err := w.elements(nil, slices.Clone(item.Elements), signed, depth)
		items = AppendItem(items, ExplicitLE, inner)
		return err
	})
	return AppendElement(out, ExplicitLE, e.Tag, "SQ", items), err
}

// explicitVR returns the VR that a tag has in an explicit data set that was implicit
// (PS3.5 annex A.1); UN if it is not in the dictionary, as private ones are not.
func explicitVR(t Tag, signed bool) string {
	group, elem := t.Group(), t.Element()
	switch {
	case group%2 == 1 && elem >= 0x10 && elem <= 0xFF:
		return "LO" // a private creator
	case group&0xFF01 == 0x5000, group&0xFF01 == 0x6000:
		group &= 0xFF00 // curves and overlays are numbered by their group
	}
	info, err := tag.Find(tag.Tag{Group: group, Element: elem})
	switch {
	case err != nil || len(info.VRs) == 0:
		return "UN"
	case slices.Contains(info.VRs, "OW"):
		return "OW"
	case signed && slices.Contains(info.VRs, "SS"):
		return "SS"
	}
	return info.VRs[0]
}
