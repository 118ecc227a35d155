// Package codec decodes the compressed frames of DICOM images: one frame's
// fragments in, its pixels as plain little endian numbers out. RLE and
// JPEG Lossless are encoded too.
//
// RLE, JPEG (baseline, extended and lossless) and JPEG-LS are decoded here, in
// Go. JPEG 2000 and its high-throughput form are decoded by OpenJPEG, compiled
// to WebAssembly (folder wasm) and run in a sandbox: a fresh one for every
// frame, with a cap on memory and time.
//
// A stream is held to its header before anything of the image's size is made:
// a decoder that fails, whatever way, gives an error and never a panic. Every
// function may be called from several goroutines.
//
// The package imports the standard library and wazero; nothing of Quell.
package codec

import (
	"errors"
	"fmt"
)

// Info is what the DICOM header says of a frame (PS3.3 C.7.6.3). Frames have one
// sample per pixel: colour is not decoded.
type Info struct {
	Rows, Cols    int
	BitsAllocated int  // 8, 16 or 32
	Bits          int  // of them, those up to HighBit; 0 where that is not known
	Signed        bool // PixelRepresentation is 1
}

func (i Info) pixels() int { return i.Rows * i.Cols }

// bytes returns the length of a decoded frame.
func (i Info) bytes() int { return i.pixels() * (i.BitsAllocated / 8) }

// errTruncated says that a stream holds less than its image needs.
var errTruncated = errors.New("the stream ends too early")

// decoder is one way to compress frames.
type decoder struct {
	name string
	// decode returns info.bytes() bytes or an error.
	decode func(stream []byte, info Info) ([]byte, error)
	// density is the most pixels that a byte of stream can stand for; 0 where
	// there is no such bound.
	density int64
	// shape returns what the beginning of a stream says of its image, and whether it
	// does; nil where streams do not.
	shape func(head []byte) (rows, cols, components, precision int, ok bool)
}

var (
	rle          = &decoder{"RLE", decodeRLE, 64, nil}
	jpegDCT      = &decoder{"JPEG", decodeJPEG, 256, shapeJPEG}          // a block of 64 takes two bits
	jpegLossless = &decoder{"JPEG Lossless", decodeJPEG, 256, shapeJPEG} // DCT is found under its name too
	jpegLS       = &decoder{"JPEG-LS", decodeJPEGLS, 0, shapeJPEG}
	jpeg2000     = &decoder{"JPEG 2000", decodeJPEG2000, 0, shapeJPEG2000}
)

// decoders lists what is decoded, by transfer syntax UID (PS3.6 annex A).
var decoders = map[string]*decoder{
	"1.2.840.10008.1.2.5":     rle,
	"1.2.840.10008.1.2.4.50":  jpegDCT,
	"1.2.840.10008.1.2.4.51":  jpegDCT,
	"1.2.840.10008.1.2.4.57":  jpegLossless,
	"1.2.840.10008.1.2.4.70":  jpegLossless,
	"1.2.840.10008.1.2.4.80":  jpegLS,
	"1.2.840.10008.1.2.4.81":  jpegLS,
	"1.2.840.10008.1.2.4.90":  jpeg2000,
	"1.2.840.10008.1.2.4.91":  jpeg2000,
	"1.2.840.10008.1.2.4.201": jpeg2000,
	"1.2.840.10008.1.2.4.202": jpeg2000,
	"1.2.840.10008.1.2.4.203": jpeg2000,
}

// Supported says whether frames of a transfer syntax can be decoded.
func Supported(syntaxUID string) bool { return decoders[syntaxUID] != nil }

// CanHold says whether n bytes of streams can hold so many pixels: a header that
// promises more must not cost memory. Where a codec has no bound of its own, four
// million pixels are always believed, and beyond them 16384 a byte.
func CanHold(syntaxUID string, pixels, n int64) bool {
	d := decoders[syntaxUID]
	switch {
	case d == nil:
		return false
	case d.density > 0:
		return pixels/d.density <= n
	default:
		return pixels <= 1<<22 || pixels>>14 <= n
	}
}

// Decode returns the pixels of one frame, row by row, little endian, each in
// info.BitsAllocated bits; of signed pixels the sign fills the bits above those
// that the stream has. fragments are the items of encapsulated pixel data that
// make the frame, in order; they are not changed. The error says in half a
// sentence what is wrong with the stream.
func Decode(syntaxUID string, info Info, fragments [][]byte) (pixels []byte, err error) {
	d := decoders[syntaxUID]
	if d == nil {
		return nil, fmt.Errorf("no decoder for transfer syntax %s", syntaxUID)
	}
	defer func() {
		if r := recover(); r != nil {
			pixels, err = nil, fmt.Errorf("the %s decoder failed on it (%v)", d.name, r)
		}
	}()
	stream := join(fragments)
	switch {
	case info.Rows < 1 || info.Cols < 1 || info.Rows > 1<<16 || info.Cols > 1<<16:
		return nil, fmt.Errorf("an image of %d x %d pixels", info.Cols, info.Rows)
	case info.BitsAllocated != 8 && info.BitsAllocated != 16 && info.BitsAllocated != 32:
		return nil, fmt.Errorf("%d bits allocated for a pixel", info.BitsAllocated)
	case !CanHold(syntaxUID, int64(info.pixels()), int64(len(stream))):
		return nil, fmt.Errorf("%d bytes of %s cannot hold %d x %d pixels", len(stream), d.name, info.Cols, info.Rows)
	}
	pixels, err = d.decode(stream, info)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	return pixels, nil
}

// CheckHead holds the beginning of a frame's stream to the header, so that what
// does not fit is known before memory is made for the image. It returns nil where
// so few bytes do not tell. The error is that of Decode.
func CheckHead(syntaxUID string, info Info, head []byte) error {
	d := decoders[syntaxUID]
	if d == nil || d.shape == nil {
		return nil
	}
	rows, cols, components, precision, ok := d.shape(head)
	if !ok {
		return nil
	}
	if err := info.checkShape(rows, cols, components, precision); err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	return nil
}

// join puts the fragments of a frame together.
func join(fragments [][]byte) []byte {
	if len(fragments) == 1 {
		return fragments[0]
	}
	var stream []byte
	for _, f := range fragments {
		stream = append(stream, f...)
	}
	return stream
}

// checkShape holds the image of a stream to the header.
func (i Info) checkShape(rows, cols, components, precision int) error {
	switch {
	case components != 1:
		return fmt.Errorf("the stream has %d components for a grey image", components)
	case rows != i.Rows || cols != i.Cols:
		return fmt.Errorf("the stream holds %d x %d pixels, the header says %d x %d", cols, rows, i.Cols, i.Rows)
	case precision < 1 || precision > i.BitsAllocated:
		return fmt.Errorf("the stream has %d bits for a pixel, the header allocates %d", precision, i.BitsAllocated)
	}
	return nil
}

// pack stores samples as the header wants them.
func pack(info Info, precision int, samples []uint16) []byte {
	return appendSamples(make([]byte, 0, info.bytes()), info, precision, samples)
}

// appendSamples stores samples, of which the low precision bits count. Streams and
// headers disagree at times on what is signed: the stream's bits are taken as they
// are and read as the header says.
func appendSamples[T uint16 | int32](out []byte, info Info, precision int, samples []T) []byte {
	left := 32 - precision
	for _, s := range samples {
		v := uint32(s) << left
		if info.Signed {
			v = uint32(int32(v) >> left)
		} else {
			v >>= left
		}
		switch info.BitsAllocated {
		case 8:
			out = append(out, byte(v))
		case 16:
			out = append(out, byte(v), byte(v>>8))
		default:
			out = append(out, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
	}
	return out
}
