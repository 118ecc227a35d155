package instance

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/internal/parallel"
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

// OpenSource parses the bytes of a file, to derive another file from it, and
// decompresses its pixels: the data set is the file's own if its transfer syntax is
// native, else one in explicit little endian in which all other elements are the same
// byte for byte, but for group lengths, which are removed.
func OpenSource(name string, file []byte) (part10.Dataset, *Instance, error) {
	damaged := func(err error) error {
		return part10.FileError(message.InputDamaged, name, part10.AdviseCopy, err, "the source file is damaged (%s)", part10.Cause(err))
	}
	size := int64(len(file))
	file, p, err := part10.TokenizeAll(file, IsWanted)
	if err != nil {
		return part10.Dataset{}, nil, damaged(err)
	}
	in := Parse(name, size, p)
	if in.Usable() && len(in.Slices) > 0 && (in.SOPClass == part10.ParametricMap || in.Slices[0].Format.ReadOnly()) {
		return part10.Dataset{}, nil, part10.FileError(message.OutputUnsupported, name, part10.AdviseNIfTI, nil, "its values are a map, floating point numbers or from a lookup table, and no DICOM series is derived from such")
	}
	if !in.Usable() {
		return part10.Dataset{}, nil, part10.FileError(message.InputChanged, name, message.Text("open the series again"), nil, "the source file is not the one that was loaded")
	}
	if !p.Syntax.Native() {
		pixels, err := in.decodeAll(file, p)
		if err != nil {
			return part10.Dataset{}, nil, err
		}
		out := append(make([]byte, 0, len(pixels)+len(file)), part10.HeaderWithSyntax(file, p, part10.UIDExplicitLE)...)
		file = part10.Merge(out, file, p.Elements, in.nativeEdits(pixels))
		if p, err = part10.TokenizeBytes(file, IsWanted); err != nil {
			return part10.Dataset{}, nil, damaged(err)
		}
		in = Parse(name, int64(len(file)), p)
	}
	return part10.Dataset{Bytes: file, File: p, Encoding: p.Syntax.Encoding}, in, nil
}

// irreversible holds the transfer syntaxes of images that are always lossy.
var irreversible = map[string]bool{part10.UIDJPEGBaseline: true, part10.UIDJPEGExtended: true}

// nativeEdits returns what changes in a data set when its pixels are decoded.
func (in *Instance) nativeEdits(pixels []byte) []part10.Edit {
	vr := "OW"
	if in.Slices[0].Format.Allocated == 8 {
		vr = "OB"
	}
	edits := []part10.Edit{
		{Tag: part10.TagExtendedOffsetTable},
		{Tag: part10.TagExtendedOffsetTableLengths},
		{Tag: part10.TagEncapsulatedPixelDataTotalSize},
		part10.Set(part10.ExplicitLE, part10.TagPixelData, vr, pixels),
	}
	// An image that was compressed with loss once stays lossy (PS3.3 C.7.6.1.1.5),
	// whatever the attribute says; the transfer syntax that said so is gone.
	if irreversible[in.Syntax.UID] {
		edits = append(edits, part10.Set(part10.ExplicitLE, part10.TagLossyImageCompression, "CS", []byte("01")))
		part10.SortEdits(edits)
	}
	return edits
}

// decodeAll returns the pixels of all frames, decoded in parallel.
func (in *Instance) decodeAll(file []byte, p *part10.File) ([]byte, error) {
	frames, err := pixel.FrameFragments(file, p)
	if err != nil {
		return nil, part10.FileError(message.InputDamaged, in.Name, part10.AdviseExport, err, "its pixel data is damaged (%s)", part10.Cause(err))
	}
	n := in.Slices[0].ImageFormat().Bytes()
	if total := n * int64(len(frames)); total >= part10.UndefinedLength {
		return nil, part10.FileError(message.InputDamaged, in.Name, part10.AdviseNIfTI, nil, "its decoded pixels (%d bytes) do not fit into a DICOM element", total)
	}
	out := make([]byte, n*int64(len(frames)))
	err = parallel.For(context.Background(), len(frames), func(i int) error {
		raw, err := in.Slices[0].decodeFrame(frames[i])
		copy(out[int64(i)*n:], raw)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// referencedFiles returns the files that the records of a media directory (PS3.3 F.3)
// refer to, as paths from its folder; nil if it is damaged or lists none.
func referencedFiles(p *part10.File) []string {
	b, e, err := p.KeptElement(part10.TagDirectoryRecordSequence)
	if b == nil || err != nil {
		return nil
	}
	var out []string
	err = part10.EachItem(b, e, p.Syntax.Encoding, func(record part10.SequenceItem) error {
		for _, e := range record.Elements {
			if e.Tag == part10.TagReferencedFileID && e.Length != part10.UndefinedLength && e.Length > 0 {
				parts := strings.Split(strings.TrimRight(string(b[e.Value:e.End]), part10.ValuePadding), `\`)
				out = append(out, part10.Printable(path.Join(parts...)))
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return out
}
