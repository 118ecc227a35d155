package part10

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
)

// Element is the place of one attribute in its file.
type Element struct {
	Tag    Tag
	VR     string // two letters; empty in implicit VR
	Start  int64  // of the tag
	Value  int64  // of the value
	Length uint32 // as written: may be undefinedLength
	End    int64  // of the first byte after the element and its delimiter
}

// wantedValue is one wanted element.
type wantedValue struct {
	tag Tag
	vr  string // never empty; of an element of unknown VR the one of the dictionary
	end int    // of its value in File.values
	// guess: it is private and nothing names its owner, see blocks.usual.
	guess bool
}

// File is a tokenized file (PS3.10): the place of every element of the top level, and
// the values that were asked for.
type File struct {
	Syntax     Syntax
	SOPClass   string        // of the meta header; "" if it has none
	Meta       []Element     // group 0002, explicit little endian unless its writer erred
	Elements   []Element     // the data set, in file order
	PixelIndex int           // index of Pixel Data in elements; -1 if there is none
	wanted     []wantedValue // elements that the caller asked for, in file order
	values     []byte        // their values, concatenated
	private    blocks        // if the caller asked for any element
	// Kept holds the bytes of the elements in keptWhole, headers included, if the
	// caller asked for any element.
	Kept map[Tag][]byte
	// Guessed reports that a private element is read though nothing names its owner, by the
	// maker of the file.
	Guessed bool
	// Stream is the beginning of the first compressed frame, if the caller asked for
	// any element.
	Stream []byte
}

// Find returns the first element with a tag, and whether there is one.
func (p *File) Find(t Tag) (e Element, ok bool) {
	if i := slices.IndexFunc(p.Elements, func(e Element) bool { return e.Tag == t }); i >= 0 {
		return p.Elements[i], true
	}
	return Element{}, false
}

// Has reports whether the file has an element with tag t, as Find finds it.
func (p *File) Has(t Tag) bool {
	_, ok := p.Find(t)
	return ok
}

// files holds released files: growing new lists for every file would take much of the
// time of a scan.
var files = sync.Pool{New: func() any {
	return &File{Meta: make([]Element, 0, 16), Elements: make([]Element, 0, 128), values: make([]byte, 0, 2<<10), wanted: make([]wantedValue, 0, 64)}
}}

// NewFile returns an empty file without pixel data, which may have the lists of a
// released one.
func NewFile() *File {
	p := files.Get().(*File)
	p.PixelIndex = -1
	return p
}

// Release lets the next file have the lists of p, which must not be used again.
func (p *File) Release() {
	const large = 1 << 10 // elements; few files have as many
	if cap(p.Meta)+cap(p.Elements) <= large && cap(p.values) <= maxWantedValue {
		files.Put(&File{Meta: p.Meta[:0], Elements: p.Elements[:0], values: p.values[:0], wanted: p.wanted[:0], private: blocks{owned: p.private.owned[:0]}})
	}
}

// Dataset is a tokenized file with its bytes.
type Dataset struct {
	Bytes    []byte // of the whole file
	File     *File
	Encoding Encoding
}

// Text returns the value bytes of a top-level text attribute, its padding
// trimmed; nil if there is none or if it is stored as numbers.
func (d *Dataset) Text(t Tag) []byte {
	for _, e := range d.File.Elements {
		if e.Tag == t && e.Length != UndefinedLength && holdsText(e.VR) {
			return bytes.TrimRight(d.Bytes[e.Value:e.End], ValuePadding)
		}
	}
	return nil
}

// Items returns a copy of the items of a top-level sequence, to which another can
// be appended; nil if there is no such sequence. The error is for a sequence of
// unknown VR.
func (d *Dataset) Items(t Tag) ([]byte, error) {
	e, ok := d.File.Find(t)
	if !ok {
		return nil, nil
	}
	items, err := SequenceItems(d.Bytes, e, d.Encoding)
	return bytes.Clone(items), err
}

// WriterOf returns the implementation class UID of the meta header of a file, which
// names the software that wrote it; "" if there is none.
func WriterOf(r io.ReaderAt, size int64) string {
	b := NewReadBuffer(io.NewSectionReader(r, 0, size), size)
	defer b.Release()
	head, err := b.at(0, 132)
	if err != nil || !hasPreamble(head) {
		return ""
	}
	t := &tokenizer{W: b, File: NewFile()}
	if _, _, err := t.readMeta(132); err != nil {
		return ""
	}
	for _, e := range t.File.Meta {
		if e.Tag == TagImplementationClassUID {
			uid := make([]byte, min(e.Length, 64))
			if _, err := r.ReadAt(uid, e.Value); err == nil {
				return strings.TrimRight(string(uid), ValuePadding)
			}
		}
	}
	return ""
}
