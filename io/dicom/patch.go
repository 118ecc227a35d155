package dicom

import (
	"bytes"
	"slices"

	"quell/volume"
)

// edit replaces, adds or (with no bytes) removes one element.
type edit struct {
	tag   tagID
	bytes []byte // the whole element, encoded
}

// derivedSlice is one slice on its way out: the source file's bytes and what is
// to become of them.
type derivedSlice struct {
	*Derived
	seriesUID string
	sopUID    string

	bytes  []byte // the source file
	file   *part10
	enc    encoding
	format pixelFormat
	pixels []byte // new pixel data, little endian

	smallest, largest int64 // stored values of the result, padding left out
	clipped           int64
	unreadable        []tagID // sequences that could not be extended
}

// newDerivedSlice opens the bytes of a source file. They must be those that the
// series was loaded from.
func newDerivedSlice(src volume.Source, file []byte) (*derivedSlice, error) {
	p, err := tokenize(&window{buf: file, size: int64(len(file))}, func(t tagID) bool { return wantedTags[t] })
	if err != nil {
		return nil, fileError(src.Name, adviseCopy, err, "the source file is damaged (%s)", reason(err))
	}
	h := &header{name: src.Name, size: int64(len(file))}
	if h.fill(p) != kindImage || h.err != nil || h.aside != "" || h.sopUID != src.UID {
		return nil, fileError(src.Name, "open the series again", nil, "the source file is not the one that was loaded")
	}
	return &derivedSlice{bytes: file, file: p, enc: p.syntax.encoding, format: h.format}, nil
}

// store converts the result to stored values over a copy of the source's
// pixels.
func (s *derivedSlice) store(values []float32, valid []bool) {
	e := s.file.elements[s.file.pixels]
	raw := bytes.Clone(s.bytes[e.value : e.value+int64(e.length)])
	littleEndian(raw, s.enc, e.vr, s.format.alloc)
	s.clipped = s.format.encode(raw, values, valid)
	s.pixels = raw
	s.smallest, s.largest = s.format.extremes(raw, len(values))
}

// extremes returns the smallest and largest stored value that is not padding;
// 0, 0 where every one is.
func (f *pixelFormat) extremes(raw []byte, n int) (lo, hi int64) {
	hi, lo = f.storedRange() // the wrong way round: the first value replaces both
	found := false
	for i := range n {
		v := f.at(raw, i)
		if f.padding && v >= int64(f.padLo) && v <= int64(f.padHi) {
			continue
		}
		lo, hi, found = min(lo, v), max(hi, v), true
	}
	if !found {
		return 0, 0
	}
	return lo, hi
}

// source returns the value bytes of a top-level attribute of the source, its
// padding trimmed; nil where there is none.
func (s *derivedSlice) source(t tagID) []byte {
	for _, e := range s.file.elements {
		if e.tag == t && e.length != undefinedLength {
			return bytes.TrimRight(s.bytes[e.value:e.end], " \x00")
		}
	}
	return nil
}

// sourceItems returns a copy of the items of a top-level sequence, to which
// another can be appended.
func (s *derivedSlice) sourceItems(t tagID) []byte {
	for _, e := range s.file.elements {
		if e.tag != t {
			continue
		}
		items, err := sequenceItems(s.bytes, e, s.enc)
		if err != nil {
			s.unreadable = append(s.unreadable, t)
		}
		return bytes.Clone(items)
	}
	return nil
}

// edits applies the table.
func (s *derivedSlice) edits() []edit {
	edits := s.recipeBlock()
	for _, r := range derivedAttributes {
		has := slices.ContainsFunc(s.file.elements, func(e element) bool { return e.tag == r.tag })
		switch {
		case r.when == removed, r.vr == "xs" && s.format.alloc > 16:
			edits = append(edits, edit{tag: r.tag})
			continue
		case r.when == present && !has:
			continue
		}
		vr := r.vr
		if vr == "xs" {
			vr = "US"
			if s.format.signed {
				vr = "SS"
			}
		}
		edits = append(edits, edit{r.tag, appendElement(nil, s.enc, r.tag, vr, r.value(s))})
	}
	slices.SortFunc(edits, func(a, b edit) int { return int(int64(a.tag) - int64(b.tag)) })
	return edits
}

// patch returns the derived file: the source's bytes with the edits merged in
// at their place, a new meta header and the new pixels.
func (s *derivedSlice) patch() []byte {
	edits := s.edits()
	edited := make(map[tagID]bool, len(edits))
	for _, e := range edits {
		edited[e.tag] = true
	}
	out := make([]byte, 0, len(s.bytes)+8<<10+len(s.Recipe))
	out = appendFileMeta(out, string(s.source(tagSOPClassUID)), s.sopUID, s.file.syntax.uid, s.Version)
	for i, e := range s.file.elements {
		for len(edits) > 0 && edits[0].tag < e.tag {
			out = append(out, edits[0].bytes...)
			edits = edits[1:]
		}
		switch {
		case edited[e.tag], e.tag.element() == 0: // 0: a group length, now wrong
		case i == s.file.pixels:
			out = append(out, s.bytes[e.start:e.value]...)
			at := len(out)
			out = append(out, s.pixels...)
			littleEndian(out[at:], s.enc, e.vr, s.format.alloc)
		default:
			out = append(out, s.bytes[e.start:e.end]...)
		}
	}
	for _, e := range edits {
		out = append(out, e.bytes...)
	}
	return out
}
