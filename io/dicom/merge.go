package dicom

import (
	"cmp"
	"slices"
)

// edit replaces, adds or (with no bytes) removes one element.
type edit struct {
	tag   tagID
	bytes []byte // the whole element, encoded
}

// sortEdits puts edits into the order that merge wants.
func sortEdits(edits []edit) {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.tag, b.tag) })
}

// inOrder returns elements in the order of their tags, as a data set has to be
// (PS3.5 section 7.1); not every writer keeps to it.
func inOrder(elements []element) []element {
	byTag := func(a, b element) int { return cmp.Compare(a.tag, b.tag) }
	if slices.IsSortedFunc(elements, byTag) {
		return elements
	}
	elements = slices.Clone(elements)
	slices.SortStableFunc(elements, byTag)
	return elements
}

// merge appends elements, whose bytes lie in b, in the order of their tags, with
// edits, which are in that order, made at their places. Of a tag that a faulty
// source holds twice, an edit replaces both.
func merge(out, b []byte, elements []element, edits []edit) []byte {
	var last tagID // of the edits made
	for _, e := range inOrder(elements) {
		for len(edits) > 0 && edits[0].tag <= e.tag {
			out = append(out, edits[0].bytes...)
			last, edits = edits[0].tag, edits[1:]
		}
		// A group length would now be wrong, and what strayed from the meta header
		// would be read as part of the new one.
		if e.tag != last && e.tag.element() != 0 && e.tag.group() != 0x0002 {
			out = append(out, b[e.start:e.end]...)
		}
	}
	for _, e := range edits {
		out = append(out, e.bytes...)
	}
	return out
}

// aroundPixels returns the elements before Pixel Data and those behind it.
func aroundPixels(elements []element) (before, behind []element) {
	elements = inOrder(elements)
	place := func(t tagID) int {
		at, _ := slices.BinarySearchFunc(elements, t, func(e element, t tagID) int { return cmp.Compare(e.tag, t) })
		return at
	}
	return elements[:place(tagPixelData)], elements[place(tagPixelData+1):]
}
