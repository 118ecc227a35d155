package pixel

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"quell/internal/parallel"
	"quell/io/dicom/codec"
	"quell/io/dicom/part10"
)

// Compression names a way to store pixels in fewer bytes without loss.
type Compression string

// The ways to store pixels.
const (
	Uncompressed Compression = "none" // as is ""
	// JPEGLossless is JPEG process 14 with first-order prediction: the default in DICOM,
	// which every reader of lossless JPEG must support (PS3.5 section 10.2).
	JPEGLossless Compression = "jpeg-lossless"
	// RLE is run-length encoding: larger, and simpler to read.
	RLE Compression = "rle"
)

// Compressions lists the ways to store pixels, the plainest first.
func Compressions() []Compression { return []Compression{Uncompressed, RLE, JPEGLossless} }

// SyntaxUID returns the transfer syntax of compressed files; "" for none.
func (c Compression) SyntaxUID() string {
	switch c {
	case JPEGLossless:
		return part10.UIDJPEGLossless
	case RLE:
		return part10.UIDRLE
	}
	return ""
}

// Check returns an error if there is no such compression.
func (c Compression) Check() error {
	if c != "" && !slices.Contains(Compressions(), c) {
		return fmt.Errorf("dicom: no compression is called %q", string(c))
	}
	return nil
}

// Fits reports whether pixels of a format, in a file of the given encoding, can be
// compressed: compressed files are explicit little endian, and both codecs end at
// 16 bits.
func (c Compression) Fits(enc part10.Encoding, f *Format) bool {
	return c.SyntaxUID() != "" && enc == part10.ExplicitLE && f.Allocated <= 16
}

// Encode returns the stream of each frame, encoded in parallel. pixels are the
// pixels of all frames, little endian, and each frame has the format f. The same
// pixels give the same bytes.
func (c Compression) Encode(pixels []byte, frames int, f *Format) [][]byte {
	n := int(f.Bytes())
	pixels = pixels[:frames*n] // without the byte that made them even
	precision := f.Precision(pixels)
	streams := make([][]byte, frames)
	_ = parallel.For(context.Background(), frames, func(i int) error { // encoders do not fail
		streams[i] = c.EncodeFrame(pixels[i*n:(i+1)*n], f, precision)
		return nil
	})
	return streams
}

// EncodeFrame returns the stream of one frame. precision is the largest Precision of the
// frames in its file.
func (c Compression) EncodeFrame(frame []byte, f *Format, precision int) []byte {
	if c == RLE {
		return codec.EncodeRLE(frame, f.Info())
	}
	return codec.EncodeJPEGLossless(frame, f.Info(), precision)
}

// Precision returns the sample precision with which JPEG keeps every bit of the
// words: BitsStored (PS3.5 section 8.2.1) if the other bits are 0, else the whole word,
// as for overlays or a repeated sign in the high bits, which decoders would not restore.
// DCMTK decodes streams of 8 bits and less into bytes, so words take at least 9.
func (f *Format) Precision(pixels []byte) int {
	if f.Allocated == 8 || f.Stored <= 8 || f.High != f.Stored-1 {
		return f.Allocated
	}
	above := ^uint32(0) << f.Stored
	for i := range len(pixels) / 2 {
		if f.word(pixels, i)&above != 0 {
			return f.Allocated
		}
	}
	return f.Stored
}

// EncapsulatedBytes returns how long Pixel Data is with streams of these lengths.
func EncapsulatedBytes(lengths []int) int64 {
	n := int64(12 + 8 + 4*len(lengths) + 8) // header, offset table, delimiter
	for _, l := range lengths {
		n += 8 + int64(l)
	}
	return n
}

// AppendEncapsulated appends Pixel Data of compressed frames: the basic offset table
// and one fragment for each (PS3.5 annex A.4). All offsets must fit 32 bits.
func AppendEncapsulated(b []byte, streams [][]byte) []byte {
	b = AppendOffsetTable(b, Lengths(streams))
	for _, s := range streams {
		b = part10.AppendItem(b, part10.ExplicitLE, s)
	}
	return AppendPixelsEnd(b)
}

// Lengths returns the lengths of streams.
func Lengths(streams [][]byte) []int {
	out := make([]int, len(streams))
	for i, s := range streams {
		out[i] = len(s)
	}
	return out
}

// AppendOffsetTable appends the begin of Pixel Data, up to the first fragment, for streams of
// these lengths. It is as long whatever they are.
func AppendOffsetTable(b []byte, lengths []int) []byte {
	b = part10.AppendElementHeader(b, part10.ExplicitLE, part10.TagPixelData, "OB", part10.UndefinedLength)
	var table []byte
	offset := 0
	for _, n := range lengths {
		table = binary.LittleEndian.AppendUint32(table, uint32(offset))
		offset += 8 + n
	}
	return part10.AppendItem(b, part10.ExplicitLE, table)
}

// AppendPixelsEnd appends what follows the last fragment.
func AppendPixelsEnd(b []byte) []byte {
	return part10.AppendElementHeader(b, part10.ExplicitLE, part10.TagSequenceDelimitation, "", 0)
}
