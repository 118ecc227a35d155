package instance

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"quell/internal/message"
	"quell/io/dicom/codec"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
)

// PixelFile is an open file with pixels that are read slice by slice. Its methods
// may be called from several goroutines.
type PixelFile struct {
	pixels     []byte // little endian, of all frames; nil if they are compressed or in reader
	frameBytes int64  // of one frame

	compressed [][][]byte // the fragments of every frame, which Read decodes; nil if pixels are plain

	reader io.ReaderAt // the file, if each frame is read by itself
	file   fs.File     // to be closed; nil if the whole file is in memory
}

func (in *Instance) changed(err error) error {
	return part10.FileError(message.InputChanged, in.Name, message.Text("scan the folder again"), err, "the file changed since it was scanned")
}

// OpenPixelFile opens the slice's file, to be read frame by frame or as a whole. A
// whole file is read into buf or a larger buffer, which is returned.
func (s *Slice) OpenPixelFile(ctx context.Context, fsys fs.FS, buf []byte) (*PixelFile, []byte, error) {
	file, err := part10.OpenFile(fsys, s.Name)
	if err != nil {
		return nil, buf, err
	}
	if reader, ok := file.(io.ReaderAt); ok && s.readByFrame() {
		f := &PixelFile{frameBytes: s.Format.Bytes(), reader: reader, file: file}
		if err := s.checkUnchanged(reader); err != nil {
			f.Close()
			return nil, buf, err
		}
		return f, buf, nil
	}
	defer file.Close()
	if buf, err = part10.ReadAll(ctx, file, s.Name, s.Size, buf); err != nil {
		return nil, buf, err
	}
	f, err := s.OpenPixels(buf)
	return f, buf, err
}

// readByFrame reports whether the file holds more than the slice and each frame can
// be read by itself.
func (s *Slice) readByFrame() bool {
	// Bytes that were swapped in pairs may cross from frame to frame.
	swapped := s.Syntax.Encoding == part10.ExplicitBE && s.Format.Allocated == 8
	return s.Syntax.Native() && !swapped && s.Tiles == nil && s.Size >= 2*s.Format.Bytes()
}

// checkUnchanged checks that the pixels are at the place at which the scan found
// them.
func (in *Instance) checkUnchanged(file io.ReaderAt) error {
	b := part10.NewReadBuffer(io.NewSectionReader(file, 0, in.Size), in.Size)
	defer b.Release()
	p, err := part10.Tokenize(b, nil)
	defer p.Release()
	if err != nil || p.PixelIndex < 0 || p.Syntax.UID != in.Syntax.UID || p.Elements[p.PixelIndex].Value != in.pixelOffset {
		return in.changed(err)
	}
	return nil
}

// OpenPixels finds the pixels in the bytes of the slice's file. The result shares
// their memory, in which big endian pixels are swapped.
func (s *Slice) OpenPixels(file []byte) (*PixelFile, error) {
	file, p, err := part10.TokenizeAll(file, nil)
	defer p.Release()
	if err != nil || p.PixelIndex < 0 || p.Syntax.UID != s.Syntax.UID && !(s.Syntax.Deflated && p.Syntax.Native()) {
		return nil, s.changed(err)
	}
	if p.Syntax.Encapsulated {
		frames, err := pixel.FrameFragments(file, p)
		if err != nil {
			return nil, part10.FileError(message.InputDamaged, s.Name, part10.AdviseExport, err, "its pixel data is damaged (%s)", part10.Cause(err))
		}
		if s.Tiles == nil {
			return &PixelFile{compressed: frames}, nil
		}
		mosaic, err := s.decodeFrame(frames[0])
		return &PixelFile{pixels: mosaic, frameBytes: s.ImageFormat().Bytes()}, err
	}
	e := p.Elements[p.PixelIndex]
	f := &PixelFile{pixels: file[e.Value:e.End], frameBytes: s.ImageFormat().Bytes()}
	part10.LittleEndian(f.pixels, p.Syntax.Encoding, e.VR, s.Format.Allocated)
	return f, nil
}

// ImageFormat returns the format of the image that the slice is or is a tile of.
func (s *Slice) ImageFormat() *pixel.Format {
	if s.Tiles != nil {
		return &s.Tiles.image
	}
	return &s.Format
}

// decodeFrame returns the little endian pixels of a frame from its fragments.
func (s *Slice) decodeFrame(fragments [][]byte) ([]byte, error) {
	raw, err := codec.Decode(s.Syntax.UID, s.ImageFormat().Info(), fragments)
	if err != nil {
		return nil, s.undecodable(err)
	}
	return raw, nil
}

// Slice returns the little endian pixels of a slice.
func (f *PixelFile) Slice(s *Slice) ([]byte, error) {
	raw, _, err := f.Read(s, nil)
	return raw, err
}

// Read returns the little endian pixels of a slice. They may lie in buf or the larger
// buffer that is returned; each goroutine needs its own.
func (f *PixelFile) Read(s *Slice, buf []byte) (raw, grown []byte, err error) {
	if s.Frame < len(f.compressed) {
		raw, err = s.decodeFrame(f.compressed[s.Frame])
		return raw, buf, err
	}
	if f.reader != nil {
		buf = slices.Grow(buf[:0], int(f.frameBytes))[:f.frameBytes]
		switch n, err := f.reader.ReadAt(buf, s.pixelOffset+int64(s.Frame)*f.frameBytes); {
		case n == len(buf): // with io.EOF after the last frame
		case errors.Is(err, io.EOF):
			return nil, buf, s.changed(err)
		default:
			return nil, buf, part10.Unreadable(s.Name, err)
		}
		part10.LittleEndian(buf, s.Syntax.Encoding, s.pixelVR, s.Format.Allocated)
		return buf, buf, nil
	}
	frame := int64(s.Frame)
	if s.Tiles != nil {
		frame = 0
	}
	if f.compressed != nil || int64(len(f.pixels))/f.frameBytes <= frame {
		return nil, buf, s.changed(nil)
	}
	raw = f.pixels[frame*f.frameBytes : (frame+1)*f.frameBytes]
	if s.Tiles != nil {
		raw = s.Tiles.Tile(raw, s.Frame)
	}
	return raw, buf, nil
}

// Close closes the file.
func (f *PixelFile) Close() {
	if f.file != nil {
		f.file.Close()
	}
}
