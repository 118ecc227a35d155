package part10

import (
	"cmp"
	"slices"
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

// Merge appends elements, whose bytes lie in b, in order of tags, with
// edits, which are in that order, made at their places. Of a tag that a faulty
// source holds twice, an edit replaces both.
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
