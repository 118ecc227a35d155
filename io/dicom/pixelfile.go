package dicom

// pixelFile is a source file whose pixels are taken slice by slice.
type pixelFile struct {
	pixels []byte // little endian, of all frames from first on
	first  int64
	frame  int64 // bytes of one frame

	// compressed holds the fragments of every frame, which slice decodes; nil
	// where pixels are plain.
	compressed [][][]byte
}

// openPixels finds the pixels in a file's bytes, whose memory they share and
// which may be turned to little endian; h is the header of one of its slices.
func (h *header) openPixels(file []byte) (*pixelFile, error) {
	changed := func(err error) error {
		return fileError(h.name, "scan the folder again", err, "the file changed since it was scanned")
	}
	file, p, err := tokenizeAll(file, nil)
	if err != nil || p.pixels < 0 || p.syntax.uid != h.syntax.uid && !(h.syntax.deflated && p.syntax.native()) {
		return nil, changed(err)
	}
	if p.syntax.encapsulated {
		frames, err := frameFragments(file, p)
		if err != nil {
			return nil, fileError(h.name, adviseCopy, err, "its pixel data is damaged (%s)", reason(err))
		}
		if h.tiles == nil {
			return &pixelFile{compressed: frames}, nil
		}
		mosaic, err := h.decodeFrame(frames[0])
		return &pixelFile{pixels: mosaic, frame: h.image().bytes()}, err
	}
	e := p.elements[p.pixels]
	f := &pixelFile{pixels: file[e.value:e.end], frame: h.image().bytes()}
	littleEndian(f.pixels, p.syntax.encoding, e.vr, h.format.alloc)
	return f, nil
}

// image returns the format of the image that a slice is, or is a tile of.
func (h *header) image() *pixelFormat {
	if h.tiles != nil {
		return &h.tiles.image
	}
	return &h.format
}

// slice returns the little endian pixels of a slice. It may be called from
// several goroutines.
func (f *pixelFile) slice(h *header) ([]byte, error) {
	if h.frame < len(f.compressed) {
		return h.decodeFrame(f.compressed[h.frame])
	}
	frame := int64(h.frame) - f.first
	if h.tiles != nil {
		frame = 0
	}
	if f.compressed != nil || int64(len(f.pixels))/f.frame <= frame {
		return nil, fileError(h.name, "scan the folder again", nil, "the file changed since it was scanned")
	}
	raw := f.pixels[frame*f.frame : (frame+1)*f.frame]
	if h.tiles != nil {
		return h.tiles.cut(raw, h.frame), nil
	}
	return raw, nil
}
