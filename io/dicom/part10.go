package dicom

import (
	"slices"
	"sync"
)

// element says where one attribute lies in its file.
type element struct {
	tag    tagID
	vr     string // two letters; empty in implicit VR
	start  int64  // of the tag
	value  int64  // of the value
	length uint32 // as written: may be undefinedLength
	end    int64  // first byte behind the element, its delimiter included
}

// part10 is what the tokenizer makes of a file (PS3.10): where everything is.
// Only the top level of the data set is listed.
type part10 struct {
	syntax   syntax
	class    string    // SOP class by the meta header; "" where it says none
	meta     []element // group 0002, explicit little endian unless its writer erred
	elements []element // the data set, in file order
	pixels   int       // index of Pixel Data in elements; -1 where there is none
	// wanted holds the bytes of the elements that the caller asked for, headers
	// included, in file order and in the file's encoding.
	wanted     []byte
	wantedEnds []int // of each of them
	// kept holds the bytes of the elements in keptWhole, likewise, where the
	// caller asked for any.
	kept map[tagID][]byte
	// stream is the beginning of compressed pixels, where the caller asked for any
	// element.
	stream []byte
	// known holds parsed elements of files read before; nil where there are none.
	known *elementCache
}

// find returns the first element with a tag, and whether there is one.
func (p *part10) find(t tagID) (e element, ok bool) {
	if i := slices.IndexFunc(p.elements, func(e element) bool { return e.tag == t }); i >= 0 {
		return p.elements[i], true
	}
	return element{}, false
}

func (p *part10) has(t tagID) bool {
	_, ok := p.find(t)
	return ok
}

// parts holds what was released: a scan would spend much of its time on growing the
// lists of every file anew.
var parts = sync.Pool{New: func() any {
	return &part10{meta: make([]element, 0, 16), elements: make([]element, 0, 128), wanted: make([]byte, 0, 2<<10), wantedEnds: make([]int, 0, 64)}
}}

func newPart10() *part10 {
	p := parts.Get().(*part10)
	p.pixels = -1
	return p
}

// release lets the next file have the lists of p, which must not be used again.
func (p *part10) release() {
	const large = 1 << 10 // elements; few files have as many
	if cap(p.meta)+cap(p.elements) <= large && cap(p.wanted) <= maxWantedValue {
		parts.Put(&part10{meta: p.meta[:0], elements: p.elements[:0], wanted: p.wanted[:0], wantedEnds: p.wantedEnds[:0]})
	}
}
