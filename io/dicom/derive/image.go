package derive

import (
	"cmp"
	"slices"

	"quell/internal/message"
	"quell/io/dicom/deid"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
)

// image is one image (a slice, a multi-frame image or a mosaic) on its way out: the source
// file and its changes.
type image struct {
	*Derived
	studyUID  string // for a source without one
	seriesUID string
	sopUID    string
	number    int // of the file in its series, from 1

	part10.Dataset                   // the source file
	slices         []*instance.Slice // the slices that are exported, in the order of their frames
	format         pixel.Format      // bits and padding, which all share
	inFile         int               // slices that the source file has
	cut            bool              // some of them are left out
	descriptions   map[int]string    // of the derivation of each frame; nil for Description
	pixels         []byte            // new pixel data, little endian
	buffers        *Buffers          // hold it and the file

	extremes
	clipped    int64
	identity   *deid.Identity // nil if the source's stays
	unreadable []part10.Tag   // sequences that could not be extended
}

// extremes are the smallest and largest stored values of a result, padding left out.
type extremes struct {
	smallest, largest int64
	found             bool // there are any
}

func (e *extremes) add(o extremes) {
	switch {
	case o.found && !e.found:
		*e = o
	case o.found:
		e.smallest, e.largest = min(e.smallest, o.smallest), max(e.largest, o.largest)
	}
}

// newImage opens the bytes of a source file that holds the slices of sources, in the order
// of their frames. It fails if they are not the files that the series was loaded from. The
// caller says with keep how many are exported in all.
func newImage(sources []series.Source, file []byte) (*image, error) {
	name := sources[0].Name
	d, in, err := instance.OpenSource(name, file)
	if err != nil {
		return nil, err
	}
	changed := part10.FileError(message.InputChanged, name, message.Text("open the series again"), nil, "the source file is not the one that was loaded")
	if !in.Usable() || in.SOPUID != sources[0].UID {
		return nil, changed
	}
	s := &image{Dataset: d}
	for _, src := range sources {
		if src.Frame < 0 || src.Frame >= len(in.Slices) {
			return nil, changed
		}
		s.slices = append(s.slices, in.Slices[src.Frame])
	}
	s.format, s.inFile = s.slices[0].Format, len(in.Slices)
	return s, nil
}

// keep says that n slices of the file are exported, or why they cannot be.
func (s *image) keep(n int) error {
	s.cut = n < s.inFile
	switch name := s.slices[0].Name; {
	case s.cut && s.slices[0].Tiles != nil:
		return part10.FileError(message.OutputUnsupported, name, message.Text("export the whole volume, or write NIfTI"), nil, "a run of slices cannot be cut out of a mosaic")
	case s.cut && !s.describesFrames():
		return part10.FileError(message.OutputUnsupported, name, part10.AdviseNIfTI, nil, "frames cannot be cut out of this multi-frame image, which does not describe each (it has no functional groups)")
	}
	return nil
}

// rewrite replaces the data set of the source by data, which holds all of its elements, so
// that later steps work on that one.
func (s *image) rewrite(syntaxUID string, data []byte) error {
	file := append(part10.AppendFileMeta(nil, string(s.Text(part10.TagSOPClassUID)), "", syntaxUID, s.Version), data...)
	p, err := part10.TokenizeBytes(file, instance.IsWanted)
	if err != nil {
		return part10.FileError(message.OutputUnsupported, s.slices[0].Name, part10.AdviseNIfTI, err, "its attributes cannot be rewritten (%s)", part10.Cause(err))
	}
	s.Dataset = part10.Dataset{Bytes: file, File: p, Encoding: p.Syntax.Encoding}
	return nil
}

// store converts the result to stored values over a copy of the source's pixels;
// voxels returns the voxels of the i-th slice.
func (s *image) store(voxels func(i int) (values []float32, valid []bool, err error)) error {
	e := s.File.Elements[s.File.PixelIndex]
	raw := append(s.buffers.pixels[:0], s.Bytes[e.Value:e.Value+int64(e.Length)]...)
	s.buffers.pixels = raw
	part10.LittleEndian(raw, s.Encoding, e.VR, s.format.Allocated)
	if len(s.slices) < s.inFile {
		raw = s.cutFrames(raw)
	}
	if s.identity != nil {
		s.format.ClearUnused(raw)
	}
	s.pixels = raw
	for i, h := range s.slices {
		pixels := s.slicePixels(i)
		values, valid, err := voxels(i)
		if err != nil {
			return err
		}
		s.clipped += h.Format.Encode(pixels, values, valid)
		if h.Tiles != nil {
			h.Tiles.SetTile(raw, h.Frame, pixels)
		}
		lo, hi, present := h.Format.Extremes(pixels, len(values))
		s.extremes.add(extremes{lo, hi, present})
	}
	return nil
}

// cutFrames returns the pixels of the exported frames alone, of even length.
func (s *image) cutFrames(raw []byte) []byte {
	n := s.format.Bytes()
	var out []byte
	for _, h := range s.slices {
		out = append(out, raw[int64(h.Frame)*n:int64(h.Frame+1)*n]...)
	}
	return append(out, make([]byte, len(out)%2)...)
}

// slicePixels returns the new pixels of the i-th slice. The values of a frame share
// the memory of all; the values of a tile are a copy.
func (s *image) slicePixels(i int) []byte {
	if t := s.slices[i].Tiles; t != nil {
		return t.Tile(s.pixels, s.slices[i].Frame)
	}
	n := s.format.Bytes()
	return s.pixels[int64(i)*n : int64(i+1)*n]
}

// edits applies the table.
func (s *image) edits() ([]part10.Edit, error) {
	edits := s.recipeBlock()
	for _, r := range derivedAttributes {
		switch {
		case r.when == grouped && !s.describesFrames(),
			r.when == ungrouped && s.describesFrames(),
			r.when == groupRemoved && !s.grouped(),
			r.when == unlessPET && s.datedBySeries(),
			r.when == cutRemoved && !s.cut,
			r.when == numbered && s.Volumes < 2,
			r.when == present && !s.File.Has(r.tag),
			r.when == missing && len(s.Text(r.tag)) > 0:
			continue
		case r.when == removed, r.when == groupRemoved, r.when == cutRemoved, r.vr == "xs" && s.format.Allocated > 16:
			edits = append(edits, part10.Edit{Tag: r.tag})
			continue
		}
		vr := r.vr
		if vr == "xs" {
			vr = "US"
			if s.format.Signed {
				vr = "SS"
			}
		}
		edits = append(edits, part10.Set(s.Encoding, r.tag, vr, r.value(s)))
	}
	if s.describesFrames() {
		groups, err := s.groupEdits()
		if err != nil {
			return nil, part10.FileError(message.OutputUnsupported, s.slices[0].Name, part10.AdviseNIfTI, err, "its functional groups cannot be rewritten (%s)", part10.Cause(err))
		}
		edits = append(edits, groups...)
	}
	if s.identity != nil {
		edits = append(edits, s.identity.Edits(&s.Dataset)...)
		edits = append(edits, s.tileEdits()...)
		edits = append(edits, s.weightingEdits()...)
	}
	part10.SortEdits(edits)
	return edits, nil
}

// encode returns the derived file: the source's bytes with the edits merged in
// at their place, a new meta header and the new pixels.
func (s *image) encode() ([]byte, error) {
	edits, err := s.edits()
	if err != nil {
		return nil, err
	}
	size := int64(len(s.pixels))
	var streams [][]byte
	if s.compressible() {
		streams = s.Compress.Encode(s.pixels, s.frames(), s.slices[0].ImageFormat())
		if size, err = s.encapsulated(pixel.Lengths(streams)); err != nil {
			return nil, err
		}
	}
	pixels := s.File.Elements[s.File.PixelIndex]
	rest := int64(len(s.Bytes)) - (pixels.End - pixels.Value)
	out := slices.Grow(s.buffers.file[:0], int(size+rest+8<<10+int64(len(s.Recipe))))
	out = s.appendHead(out, edits)
	if streams != nil {
		out = pixel.AppendEncapsulated(out, streams)
	} else {
		out = part10.AppendElementHeader(out, s.Encoding, part10.TagPixelData, pixels.VR, uint32(len(s.pixels)))
		out = append(out, s.pixels...)
		part10.LittleEndian(out[len(out)-len(s.pixels):], s.Encoding, pixels.VR, s.format.Allocated)
	}
	out = s.appendTail(out, edits)
	s.buffers.file = out
	return out, nil
}

// encapsulated returns how long the compressed pixels are with streams of these lengths, or
// that they are too long.
func (s *image) encapsulated(lengths []int) (int64, error) {
	size := pixel.EncapsulatedBytes(lengths)
	if size >= part10.UndefinedLength {
		return 0, part10.FileError(message.OutputUnsupported, s.slices[0].Name, message.Text("export without compression"), nil, "its compressed pixels (%d bytes) are more than an offset table can index", size)
	}
	return size, nil
}

// appendHead appends the file as far as its pixels.
func (s *image) appendHead(out []byte, edits []part10.Edit) []byte {
	out = part10.AppendFileMeta(out, string(s.Text(part10.TagSOPClassUID)), s.sopUID, s.syntaxUID(), s.Version)
	before, _ := part10.AroundPixels(s.File.Elements)
	return part10.Merge(out, s.Bytes, before, edits[:pixelsAmong(edits)])
}

// appendTail appends what follows the pixels.
func (s *image) appendTail(out []byte, edits []part10.Edit) []byte {
	_, behind := part10.AroundPixels(s.File.Elements)
	return part10.Merge(out, s.Bytes, behind, edits[pixelsAmong(edits):])
}

// pixelsAmong returns the place of the pixels among edits.
func pixelsAmong(edits []part10.Edit) int {
	at, _ := slices.BinarySearchFunc(edits, part10.TagPixelData, func(e part10.Edit, t part10.Tag) int { return cmp.Compare(e.Tag, t) })
	return at
}

// frames returns how many frames the image has: a mosaic is one.
func (s *image) frames() int {
	if s.slices[0].Tiles != nil {
		return 1
	}
	return len(s.slices)
}

// compressible reports whether the pixels are compressed: it is asked for and possible.
func (s *image) compressible() bool { return s.Compress.Fits(s.Encoding, &s.format) }

// syntaxUID returns the transfer syntax of the file that encode makes.
func (s *image) syntaxUID() string {
	if s.compressible() {
		return s.Compress.SyntaxUID()
	}
	return s.File.Syntax.UID
}

// makeExplicit converts a source in implicit little endian to explicit little endian, which
// compressed files need. Values stay byte for byte; each gets the VR of the dictionary.
func (s *image) makeExplicit() error {
	if s.Encoding != part10.ImplicitLE || !s.Compress.Fits(part10.ExplicitLE, &s.format) {
		return nil
	}
	data, err := s.ExplicitElements(s.format.Signed)
	if err != nil {
		return part10.FileError(message.OutputUnsupported, s.slices[0].Name, message.Text("export without compression"), err, "its attributes cannot be written with explicit types, as a compressed file needs them (%s)", part10.Cause(err))
	}
	return s.rewrite(part10.UIDExplicitLE, data)
}

// sourceItems returns a copy of the items of a top-level sequence, to which
// another can be appended.
func (s *image) sourceItems(t part10.Tag) []byte {
	items, err := s.Items(t)
	if err != nil {
		s.unreadable = append(s.unreadable, t)
	}
	return items
}
