// Package codec decodes the compressed frames of DICOM images: from the fragments of
// one frame to its pixels as uncompressed little-endian numbers. It also encodes RLE
// and JPEG Lossless.
//
// RLE, JPEG (baseline, extended and lossless) and JPEG-LS are decoded in Go. JPEG 2000
// and its high-throughput form are decoded by OpenJPEG, compiled to WebAssembly (folder
// wasm), in a sandbox: a new one for each frame, with limits on memory and steps.
//
// A stream is compared with the DICOM header before memory for the image is allocated.
// A decoder that fails in any way returns an error; it never panics. All functions may
// be called from several goroutines.
//
// The package imports the standard library and wazero; nothing of Quell.
package codec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Info describes a frame as the DICOM header does (PS3.3 C.7.6.3). Frames have one
// sample per pixel; colour is not decoded.
type Info struct {
	Rows, Cols    int
	BitsAllocated int  // 8, 16 or 32
	Bits          int  // of the allocated bits, those up to HighBit; 0 if unknown
	Signed        bool // PixelRepresentation is 1
}

func (i Info) pixels() int { return i.Rows * i.Cols }

// bytes returns the length of a decoded frame.
func (i Info) bytes() int { return i.pixels() * (i.BitsAllocated / 8) }

// errTruncated is the error of a stream that ends before its image does.
var errTruncated = errors.New("the stream ends too early")

// decoder decodes the frames of one compression method.
type decoder struct {
	name string
	// decode returns info.bytes() bytes or an error.
	decode func(stream []byte, info Info) ([]byte, error)
	// pixelsPerByte is the largest number of pixels that a byte of the stream can
	// encode; 0 if there is no such limit.
	pixelsPerByte int64
	// shape returns the image's shape from the beginning of a stream; ok is false if
	// that is too short. shape is nil for streams that do not contain it.
	shape func(head []byte) (rows, cols, components, precision int, ok bool)
}

var (
	rle          = &decoder{"RLE", decodeRLE, 64, nil}
	jpegDCT      = &decoder{"JPEG", decodeJPEG, 256, shapeJPEG}          // a block of 64 takes two bits
	jpegLossless = &decoder{"JPEG Lossless", decodeJPEG, 256, shapeJPEG} // some files have DCT streams under its UID
	jpegLS       = &decoder{"JPEG-LS", decodeJPEGLS, 0, shapeJPEG}
	jpeg2000     = &decoder{"JPEG 2000", decodeJPEG2000, 0, shapeJPEG2000}
)

// decoders maps a transfer syntax UID (PS3.6 annex A) to its decoder.
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

// Names returns the names of all codecs, in the order of the alphabet.
func Names() []string {
	names := map[string]bool{}
	for _, d := range decoders {
		names[d.name] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// Supported reports whether frames of a transfer syntax can be decoded.
func Supported(syntaxUID string) bool { return decoders[syntaxUID] != nil }

// CanHold reports whether n bytes of streams can encode the given number of pixels.
// Callers check it before they allocate what a header claims. For a codec without a
// limit of its own, up to four million pixels are always accepted, and beyond that
// 16384 per byte.
func CanHold(syntaxUID string, pixels, n int64) bool {
	d := decoders[syntaxUID]
	switch {
	case d == nil:
		return false
	case d.pixelsPerByte > 0:
		return pixels/d.pixelsPerByte <= n
	default:
		return pixels <= 1<<22 || pixels>>14 <= n
	}
}

// Decode returns the pixels of one frame, row by row, little-endian, with
// info.BitsAllocated bits each; signed pixels are sign-extended. fragments are the
// items of encapsulated pixel data that form the frame, in order; they are not
// changed. The error is a clause about the fault of the stream, for use in
// the caller's sentence.
func Decode(syntaxUID string, info Info, fragments [][]byte) (pixels []byte, err error) {
	d := decoders[syntaxUID]
	if d == nil {
		return nil, fmt.Errorf("no decoder for transfer syntax %s", syntaxUID)
	}
	defer func() {
		if r := recover(); r != nil {
			pixels, err = nil, fmt.Errorf("the %s decoder failed (%v)", d.name, r)
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

// CheckHead compares the beginning of a frame's stream with the header, so that a
// mismatch is found before memory for the image is allocated. It returns nil if head
// is too short to know. The error is the same as from Decode.
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

// join concatenates the fragments of a frame.
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

// checkShape compares the shape that a stream gives with the header.
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

// pack returns samples in the format of the header.
func pack(info Info, precision int, samples []uint16) []byte {
	return appendSamples(make([]byte, 0, info.bytes()), info, precision, samples)
}

// appendSamples appends samples, with the low precision bits significant. Stream
// and header sometimes disagree on the sign: the bits of the stream are interpreted
// as the header says.
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
