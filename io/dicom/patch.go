package dicom

import (
	"bytes"
	"cmp"
	"slices"

	"quell/series"
)

// derivedImage is one image (a slice, a multi-frame image or a mosaic) on its
// way out: the source file's bytes and what is to become of them.
type derivedImage struct {
	*Derived
	studyUID  string // for a source without one
	seriesUID string
	sopUID    string

	bytes  []byte // the source file
	file   *part10
	enc    encoding
	slices []*header   // those that are exported, in the order of their frames
	format pixelFormat // bits and padding, which all share
	cut    bool        // some frames are left out
	pixels []byte      // new pixel data, little endian

	smallest, largest int64 // stored values of the result, padding left out
	clipped           int64
	identity          *deidentified // nil where the source's stays
	unreadable        []tagID       // sequences that could not be extended
}

// newDerivedImage opens the bytes of a source file, from which the slices of
// sources come, in the order of their frames. They must be those that the series
// was loaded from.
func newDerivedImage(sources []series.Source, file []byte) (*derivedImage, error) {
	name := sources[0].Name
	file, err := plainFile(name, file)
	if err != nil {
		return nil, err
	}
	p, err := tokenizeBytes(file, isWanted)
	if err != nil {
		return nil, fileError(name, adviseCopy, err, "the source file is damaged (%s)", reason(err))
	}
	h := &header{name: name, size: int64(len(file))}
	changed := fileError(name, "open the series again", nil, "the source file is not the one that was loaded")
	if h.fill(p) != kindImage || h.err != nil || h.aside != "" || h.sopUID != sources[0].UID {
		return nil, changed
	}
	s := &derivedImage{bytes: file, file: p, enc: p.syntax.encoding}
	all := h.slices()
	for _, src := range sources {
		if src.Frame < 0 || src.Frame >= len(all) {
			return nil, changed
		}
		s.slices = append(s.slices, all[src.Frame])
	}
	s.format, s.cut = s.slices[0].format, len(s.slices) < len(all)
	switch {
	case s.cut && all[0].tiles != nil:
		return nil, fileError(name, "export the whole volume, or write NIfTI", nil, "a run of slices cannot be cut out of a mosaic")
	case s.cut && !s.describesFrames():
		return nil, fileError(name, adviseNIfTI, nil, "frames cannot be cut out of this multi-frame image, which does not describe each (it has no functional groups)")
	}
	return s, nil
}

// rewrite replaces the source's data set, all of whose elements are in data, so that
// everything after works on that one.
func (s *derivedImage) rewrite(syntaxUID string, data []byte) error {
	file := append(appendFileMeta(nil, string(s.source(tagSOPClassUID)), "", syntaxUID, s.Version), data...)
	p, err := tokenizeBytes(file, isWanted)
	if err != nil {
		return fileError(s.slices[0].name, adviseNIfTI, err, "its attributes cannot be rewritten (%s)", reason(err))
	}
	s.bytes, s.file, s.enc = file, p, p.syntax.encoding
	return nil
}

// store converts the result to stored values over a copy of the source's
// pixels; values and valid return those of the i-th slice.
func (s *derivedImage) store(values func(i int) []float32, valid func(i int) []bool) {
	e := s.file.elements[s.file.pixels]
	raw := bytes.Clone(s.bytes[e.value : e.value+int64(e.length)])
	littleEndian(raw, s.enc, e.vr, s.format.alloc)
	if s.cut {
		raw = s.cutFrames(raw)
	}
	if s.identity != nil {
		s.format.clearUnused(raw)
	}
	s.pixels = raw
	found := false
	for i, h := range s.slices {
		pixels := s.slicePixels(i)
		s.clipped += h.format.encode(pixels, values(i), valid(i))
		if h.tiles != nil {
			h.tiles.paste(raw, h.frame, pixels)
		}
		switch lo, hi, any := h.format.extremes(pixels, len(values(i))); {
		case any && !found:
			s.smallest, s.largest, found = lo, hi, true
		case any:
			s.smallest, s.largest = min(s.smallest, lo), max(s.largest, hi)
		}
	}
}

// cutFrames returns the pixels of the exported frames alone, of even length.
func (s *derivedImage) cutFrames(raw []byte) []byte {
	n := s.format.bytes()
	var out []byte
	for _, h := range s.slices {
		out = append(out, raw[int64(h.frame)*n:int64(h.frame+1)*n]...)
	}
	return append(out, make([]byte, len(out)%2)...)
}

// slicePixels returns the new pixels of the i-th slice. Those of a frame share
// the memory of all; those of a tile are a copy.
func (s *derivedImage) slicePixels(i int) []byte {
	if t := s.slices[i].tiles; t != nil {
		return t.cut(s.pixels, s.slices[i].frame)
	}
	n := s.format.bytes()
	return s.pixels[int64(i)*n : int64(i+1)*n]
}

// extremes returns the smallest and largest stored value that is not padding,
// and whether there is any.
func (f *pixelFormat) extremes(raw []byte, n int) (lo, hi int64, found bool) {
	hi, lo = f.storedRange() // the wrong way round: the first value replaces both
	for i := range n {
		v := f.at(raw, i)
		if f.padding && v >= int64(f.padLo) && v <= int64(f.padHi) {
			continue
		}
		lo, hi, found = min(lo, v), max(hi, v), true
	}
	return lo, hi, found
}

// source returns the value bytes of a top-level text attribute of the source, its
// padding trimmed; nil where there is none. One that is stored as numbers is not
// text in an export either.
func (s *derivedImage) source(t tagID) []byte {
	for _, e := range s.file.elements {
		if e.tag == t && e.length != undefinedLength && holdsText(e.vr) {
			return bytes.TrimRight(s.bytes[e.value:e.end], valuePadding)
		}
	}
	return nil
}

// sourceItems returns a copy of the items of a top-level sequence, to which
// another can be appended.
func (s *derivedImage) sourceItems(t tagID) []byte {
	e, ok := s.file.find(t)
	if !ok {
		return nil
	}
	items, err := sequenceItems(s.bytes, e, s.enc)
	if err != nil {
		s.unreadable = append(s.unreadable, t)
	}
	return bytes.Clone(items)
}

// edits applies the table.
func (s *derivedImage) edits() ([]edit, error) {
	edits := s.recipeBlock()
	for _, r := range derivedAttributes {
		switch {
		case r.when == grouped && !s.describesFrames(),
			r.when == ungrouped && s.describesFrames(),
			r.when == groupRemoved && !s.grouped(),
			r.when == unlessPET && s.datedBySeries(),
			r.when == cutRemoved && !s.cut,
			r.when == present && !s.file.has(r.tag),
			r.when == missing && len(s.source(r.tag)) > 0:
			continue
		case r.when == removed, r.when == groupRemoved, r.when == cutRemoved, r.vr == "xs" && s.format.alloc > 16:
			edits = append(edits, edit{tag: r.tag})
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
	if s.describesFrames() {
		groups, err := s.groupEdits()
		if err != nil {
			return nil, fileError(s.slices[0].name, adviseNIfTI, err, "its functional groups cannot be rewritten (%s)", reason(err))
		}
		edits = append(edits, groups...)
	}
	if s.identity != nil {
		edits = append(edits, s.identityEdits()...)
	}
	sortEdits(edits)
	return edits, nil
}

// patch returns the derived file: the source's bytes with the edits merged in
// at their place, a new meta header and the new pixels.
func (s *derivedImage) patch() ([]byte, error) {
	edits, err := s.edits()
	if err != nil {
		return nil, err
	}
	at, _ := slices.BinarySearchFunc(edits, tagPixelData, func(e edit, t tagID) int { return cmp.Compare(e.tag, t) })
	pixels := s.file.elements[s.file.pixels]

	syntaxUID, size := s.file.syntax.uid, int64(len(s.pixels))
	var streams [][]byte
	if s.compressible() {
		streams = s.Compress.encode(s.pixels, s.frames(), s.slices[0].image())
		if syntaxUID, size = s.Compress.syntaxUID(), encapsulatedBytes(streams); size >= undefinedLength {
			return nil, fileError(s.slices[0].name, "export without compression", nil, "its compressed pixels (%d bytes) are more than an offset table can index", size)
		}
	}
	rest := int64(len(s.bytes)) - (pixels.end - pixels.value)
	out := make([]byte, 0, size+rest+8<<10+int64(len(s.Recipe)))
	out = appendFileMeta(out, string(s.source(tagSOPClassUID)), s.sopUID, syntaxUID, s.Version)
	before, behind := aroundPixels(s.file.elements)
	out = merge(out, s.bytes, before, edits[:at])
	if streams != nil {
		out = appendEncapsulated(out, streams)
	} else {
		out = appendElementHeader(out, s.enc, tagPixelData, pixels.vr, uint32(len(s.pixels)))
		out = append(out, s.pixels...)
		littleEndian(out[len(out)-len(s.pixels):], s.enc, pixels.vr, s.format.alloc)
	}
	return merge(out, s.bytes, behind, edits[at:]), nil
}

// frames returns how many frames the image has: a mosaic is one.
func (s *derivedImage) frames() int {
	if s.slices[0].tiles != nil {
		return 1
	}
	return len(s.slices)
}

// compressible says whether the pixels are written compressed: it is asked for and
// can be done.
func (s *derivedImage) compressible() bool { return s.Compress.fits(s.enc, &s.format) }
