package dicom

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
)

// pixelFile is a source file whose pixels are taken slice by slice.
type pixelFile struct {
	pixels []byte // little endian, of all frames
	frame  int64  // bytes of one frame

	// compressed holds the fragments of every frame, which read decodes; nil
	// where pixels are plain.
	compressed [][][]byte

	// frames is the file where each frame is read by itself; nil where the bytes
	// are here.
	frames io.ReaderAt
	file   fs.File
}

func (h *header) changed(err error) error {
	return fileError(h.name, "scan the folder again", err, "the file changed since it was scanned")
}

// openPixelFile opens a slice's file: as a whole, read into buf or a larger one,
// which is returned, or to be read frame by frame.
func (h *header) openPixelFile(ctx context.Context, fsys fs.FS, buf []byte) (*pixelFile, []byte, error) {
	file, err := openFile(fsys, h.name)
	if err != nil {
		return nil, buf, err
	}
	if frames, ok := file.(io.ReaderAt); ok && h.framesApart() {
		f := &pixelFile{frame: h.format.bytes(), frames: frames, file: file}
		if err := h.checkUnchanged(frames); err != nil {
			f.close()
			return nil, buf, err
		}
		return f, buf, nil
	}
	defer file.Close()
	if buf, err = readAll(ctx, file, h.name, h.size, buf); err != nil {
		return nil, buf, err
	}
	f, err := h.openPixels(buf)
	return f, buf, err
}

// framesApart says whether the file holds more than the slice and every frame
// can be read by itself.
func (h *header) framesApart() bool {
	// Bytes that were swapped in pairs may cross from frame to frame.
	swapped := h.syntax.encoding == explicitBE && h.format.alloc == 8
	return h.syntax.native() && !swapped && h.tiles == nil && h.size >= 2*h.format.bytes()
}

// checkUnchanged looks whether the pixels are where the scan found them.
func (h *header) checkUnchanged(file io.ReaderAt) error {
	w := newWindow(io.NewSectionReader(file, 0, h.size), h.size)
	defer w.release()
	p, err := tokenize(w, nil)
	defer p.release()
	if err != nil || p.pixels < 0 || p.syntax.uid != h.syntax.uid || p.elements[p.pixels].value != h.pixelsAt {
		return h.changed(err)
	}
	return nil
}

// openPixels finds the pixels in a file's bytes, whose memory they share and
// which may be turned to little endian; h is the header of one of its slices.
func (h *header) openPixels(file []byte) (*pixelFile, error) {
	file, p, err := tokenizeAll(file, nil)
	defer p.release()
	if err != nil || p.pixels < 0 || p.syntax.uid != h.syntax.uid && !(h.syntax.deflated && p.syntax.native()) {
		return nil, h.changed(err)
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
	raw, _, err := f.read(h, nil)
	return raw, err
}

// read returns the little endian pixels of a slice and buf, or what it has grown
// to, in which they may lie. It may be called from several goroutines, each with
// a buffer of its own.
func (f *pixelFile) read(h *header, buf []byte) (raw, grown []byte, err error) {
	if h.frame < len(f.compressed) {
		raw, err = h.decodeFrame(f.compressed[h.frame])
		return raw, buf, err
	}
	if f.frames != nil {
		buf = slices.Grow(buf[:0], int(f.frame))[:f.frame]
		switch n, err := f.frames.ReadAt(buf, h.pixelsAt+int64(h.frame)*f.frame); {
		case n == len(buf): // with io.EOF where it is the last frame
		case errors.Is(err, io.EOF):
			return nil, buf, h.changed(err)
		default:
			return nil, buf, unreadable(h.name, err)
		}
		littleEndian(buf, h.syntax.encoding, h.pixelsVR, h.format.alloc)
		return buf, buf, nil
	}
	frame := int64(h.frame)
	if h.tiles != nil {
		frame = 0
	}
	if f.compressed != nil || int64(len(f.pixels))/f.frame <= frame {
		return nil, buf, h.changed(nil)
	}
	raw = f.pixels[frame*f.frame : (frame+1)*f.frame]
	if h.tiles != nil {
		raw = h.tiles.cut(raw, h.frame)
	}
	return raw, buf, nil
}

// close lets go of the file.
func (f *pixelFile) close() {
	if f.file != nil {
		f.file.Close()
	}
}
