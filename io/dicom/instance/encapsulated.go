package instance

import (
	"quell/io/dicom/codec"
	"quell/io/dicom/part10"
)

// checkCompressed looks at the size of compressed pixels, before anything of
// the image's size is made.
func (h *Slice) checkCompressed(pixels part10.Element, frames int) *part10.Error {
	n := pixels.End - pixels.Value
	switch {
	case pixels.Length != part10.UndefinedLength:
		return part10.FileError(h.Name, part10.AdviseExport, nil, "its pixel data is not in fragments though its transfer syntax is %s", h.syntax.Name)
	case int64(frames) > n/8 || !codec.CanHold(h.syntax.UID, int64(frames)*int64(h.Format.Rows)*int64(h.Format.Cols), n):
		return part10.FileError(h.Name, part10.AdviseExport, nil, "it holds %d bytes of %s, too few for %s of %d x %d pixels",
			n, h.syntax.Name, part10.Count(frames, "image", "images"), h.Format.Cols, h.Format.Rows)
	}
	return nil
}

// decodeFrame returns the little endian pixels of a frame from its fragments.
func (h *Slice) decodeFrame(fragments [][]byte) ([]byte, error) {
	raw, err := codec.Decode(h.syntax.UID, h.Image().Info(), fragments)
	if err != nil {
		return nil, part10.FileError(h.Name, part10.AdviseExport, err, "its pixels (%s) cannot be decoded (%v)", h.syntax.Name, err)
	}
	return raw, nil
}
