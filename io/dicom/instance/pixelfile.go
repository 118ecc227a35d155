package instance

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
)

// PixelFile is a source file whose pixels are taken slice by slice.
type PixelFile struct {
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

func (h *Slice) changed(err error) error {
	return part10.FileError(h.Name, "scan the folder again", err, "the file changed since it was scanned")
}

// OpenPixelFile opens a slice's file: as a whole, read into buf or a larger one,
// which is returned, or to be read frame by frame.
func (h *Slice) OpenPixelFile(ctx context.Context, fsys fs.FS, buf []byte) (*PixelFile, []byte, error) {
	file, err := part10.OpenFile(fsys, h.Name)
	if err != nil {
		return nil, buf, err
	}
	if frames, ok := file.(io.ReaderAt); ok && h.framesApart() {
		f := &PixelFile{frame: h.Format.Bytes(), frames: frames, file: file}
		if err := h.checkUnchanged(frames); err != nil {
			f.Close()
			return nil, buf, err
		}
		return f, buf, nil
	}
	defer file.Close()
	if buf, err = part10.ReadAll(ctx, file, h.Name, h.Size, buf); err != nil {
		return nil, buf, err
	}
	f, err := h.OpenPixels(buf)
	return f, buf, err
}

// framesApart says whether the file holds more than the slice and every frame
// can be read by itself.
func (h *Slice) framesApart() bool {
	// Bytes that were swapped in pairs may cross from frame to frame.
	swapped := h.syntax.Encoding == part10.ExplicitBE && h.Format.Allocated == 8
	return h.syntax.Native() && !swapped && h.Tiles == nil && h.Size >= 2*h.Format.Bytes()
}

// checkUnchanged looks whether the pixels are where the scan found them.
func (h *Slice) checkUnchanged(file io.ReaderAt) error {
	w := part10.NewReadBuffer(io.NewSectionReader(file, 0, h.Size), h.Size)
	defer w.Release()
	p, err := part10.Tokenize(w, nil)
	defer p.Release()
	if err != nil || p.PixelIndex < 0 || p.Syntax.UID != h.syntax.UID || p.Elements[p.PixelIndex].Value != h.pixelOffset {
		return h.changed(err)
	}
	return nil
}

// OpenPixels finds the pixels in a file's bytes, whose memory they share and
// which may be turned to little endian; h is the header of one of its slices.
func (h *Slice) OpenPixels(file []byte) (*PixelFile, error) {
	file, p, err := part10.TokenizeAll(file, nil)
	defer p.Release()
	if err != nil || p.PixelIndex < 0 || p.Syntax.UID != h.syntax.UID && !(h.syntax.Deflated && p.Syntax.Native()) {
		return nil, h.changed(err)
	}
	if p.Syntax.Encapsulated {
		frames, err := pixel.FrameFragments(file, p)
		if err != nil {
			return nil, part10.FileError(h.Name, part10.AdviseExport, err, "its pixel data is damaged (%s)", part10.Reason(err))
		}
		if h.Tiles == nil {
			return &PixelFile{compressed: frames}, nil
		}
		mosaic, err := h.decodeFrame(frames[0])
		return &PixelFile{pixels: mosaic, frame: h.Image().Bytes()}, err
	}
	e := p.Elements[p.PixelIndex]
	f := &PixelFile{pixels: file[e.Value:e.End], frame: h.Image().Bytes()}
	part10.LittleEndian(f.pixels, p.Syntax.Encoding, e.VR, h.Format.Allocated)
	return f, nil
}

// Image returns the format of the image that a slice is, or is a tile of.
func (h *Slice) Image() *pixel.Format {
	if h.Tiles != nil {
		return &h.Tiles.image
	}
	return &h.Format
}

// Slice returns the little endian pixels of a slice. It may be called from
// several goroutines.
func (f *PixelFile) Slice(h *Slice) ([]byte, error) {
	raw, _, err := f.Read(h, nil)
	return raw, err
}

// Read returns the little endian pixels of a slice and buf, or what it has grown
// to, in which they may lie. It may be called from several goroutines, each with
// a buffer of its own.
func (f *PixelFile) Read(h *Slice, buf []byte) (raw, grown []byte, err error) {
	if h.Frame < len(f.compressed) {
		raw, err = h.decodeFrame(f.compressed[h.Frame])
		return raw, buf, err
	}
	if f.frames != nil {
		buf = slices.Grow(buf[:0], int(f.frame))[:f.frame]
		switch n, err := f.frames.ReadAt(buf, h.pixelOffset+int64(h.Frame)*f.frame); {
		case n == len(buf): // with io.EOF where it is the last frame
		case errors.Is(err, io.EOF):
			return nil, buf, h.changed(err)
		default:
			return nil, buf, part10.Unreadable(h.Name, err)
		}
		part10.LittleEndian(buf, h.syntax.Encoding, h.pixelsVR, h.Format.Allocated)
		return buf, buf, nil
	}
	frame := int64(h.Frame)
	if h.Tiles != nil {
		frame = 0
	}
	if f.compressed != nil || int64(len(f.pixels))/f.frame <= frame {
		return nil, buf, h.changed(nil)
	}
	raw = f.pixels[frame*f.frame : (frame+1)*f.frame]
	if h.Tiles != nil {
		raw = h.Tiles.Tile(raw, h.Frame)
	}
	return raw, buf, nil
}

// Close lets go of the file.
func (f *PixelFile) Close() {
	if f.file != nil {
		f.file.Close()
	}
}
