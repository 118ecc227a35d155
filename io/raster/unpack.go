package raster

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"quell/internal/message"
)

// Packing is how bytes are stored that become others.
type Packing string

// The packings.
const (
	Plain   Packing = ""      // the bytes themselves
	Deflate Packing = "gzip"  // gzip or zlib, by the first bytes
	Bzip2   Packing = "bzip2" //
	Zstd    Packing = "zstd"  //
	Hex     Packing = "hex"   // two digits a byte
	Decimal Packing = "text"  // numbers in words, which become little-endian voxels
)

// packingOf returns the compression that begins with some bytes, at least packedHead of them.
func packingOf(head []byte) Packing {
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return Deflate
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")):
		return Zstd
	case bytes.HasPrefix(head, []byte("BZh")) && len(head) >= packedHead && string(head[4:packedHead]) == "1AY&SY":
		return Bzip2
	}
	return Plain
}

// packedHead is how many bytes show a compression.
const packedHead = 10

// IsPacked reports whether a file that begins so is compressed as a whole.
func IsPacked(head []byte) bool { return packingOf(head) != Plain }

// maxWindow bounds the memory of the decompressor of zstd in bytes.
const maxWindow = 128 << 20

// Unpack makes the rest of a file that was opened by [OpenStored] what it becomes, from position 0 on. The datatype is of
// the numbers of [Decimal].
func (s *File) Unpack(how Packing, d Datatype) (err error) {
	in := s.in.(*bufio.Reader)
	switch how {
	case Deflate:
		if s.trails = gzipNext(in); s.trails {
			s.in, err = newGunzip(in)
		} else {
			s.in, err = zlib.NewReader(in)
		}
	case Bzip2:
		s.in = bzip2.NewReader(in)
	case Zstd:
		var z *zstd.Decoder
		if z, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
			s.in, s.closer = z, z.Close
		}
	case Hex:
		s.in = &hexReader{in: in}
	case Decimal:
		s.in = &decimalReader{in: in, datatype: d}
	}
	s.packed, s.base, s.size, s.pos = how, s.base+s.pos, s.size-s.pos, 0
	return ReadError(err)
}

// A file in a packing without a bound of its own is refused if it expands to more than plainlyHarmless bytes, and more
// than gzip does: no measured image does, and a small file must not fill the memory.
const plainlyHarmless = 64 << 20

// hexReader reads pairs of digits, whatever white space is between them.
type hexReader struct{ in *bufio.Reader }

// Read implements io.Reader.
func (h *hexReader) Read(p []byte) (n int, err error) {
	for ; n < len(p); n++ {
		var v int
		for range 2 {
			c, err := wordByte(h.in)
			if err != nil {
				return n, err
			}
			digit := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
			if c < '0' || digit < 0 {
				return n, errNotNumber
			}
			v = 16*v + digit
		}
		p[n] = byte(v)
	}
	return n, nil
}

// wordByte returns the next byte that is no white space.
func wordByte(in *bufio.Reader) (byte, error) {
	for {
		c, err := in.ReadByte()
		if err != nil || !isSpace(c) {
			return c, err
		}
	}
}

// isSpace reports whether a byte is between numbers.
func isSpace(c byte) bool { return c <= ' ' || c == ',' }

var errNotNumber = message.Errorf(message.InputDamaged, "its voxels are written as text, and the text contains what is no number; it is damaged")

// decimalReader reads numbers in words as little-endian voxels.
type decimalReader struct {
	in       *bufio.Reader
	datatype Datatype
	word     []byte
	rest     []byte // of the voxel that is being read
}

// Read implements io.Reader.
func (r *decimalReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(r.rest) == 0 {
			if err := r.next(); err != nil {
				return n, err
			}
		}
		k := copy(p[n:], r.rest)
		n, r.rest = n+k, r.rest[k:]
	}
	return n, nil
}

// maxWord bounds the digits of a number.
const maxWord = 400

// next reads a number.
func (r *decimalReader) next() error {
	c, err := wordByte(r.in)
	for r.word = r.word[:0]; err == nil && !isSpace(c); c, err = r.in.ReadByte() {
		if r.word = append(r.word, c); len(r.word) > maxWord {
			return errNotNumber
		}
	}
	if len(r.word) == 0 {
		return err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	text := string(r.word)
	var bits uint64
	if r.datatype.Integer() {
		v, signed := strconv.ParseInt(text, 10, 64)
		u, unsigned := strconv.ParseUint(text, 10, 64)
		switch {
		case signed == nil && float64(v) >= r.datatype.Lo && float64(v) <= r.datatype.Hi:
			bits = uint64(v)
		case unsigned == nil && r.datatype.Code == Uint64:
			bits = u
		default:
			return errNotNumber
		}
	} else {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return errNotNumber
		}
		if bits = math.Float64bits(v); r.datatype.Bytes == 4 {
			bits = uint64(math.Float32bits(float32(v)))
		}
	}
	r.rest = slices.Grow(r.rest[:0], 8)
	for i := range r.datatype.Bytes {
		r.rest = append(r.rest, byte(bits>>(8*i)))
	}
	return nil
}

// isZstd reports whether an error is of the decompressor of zstd.
func isZstd(err error) bool {
	for _, e := range []error{zstd.ErrReservedBlockType, zstd.ErrCompressedSizeTooBig, zstd.ErrBlockTooSmall, zstd.ErrUnexpectedBlockSize, zstd.ErrMagicMismatch,
		zstd.ErrWindowSizeExceeded, zstd.ErrWindowSizeTooSmall, zstd.ErrDecoderSizeExceeded, zstd.ErrUnknownDictionary, zstd.ErrFrameSizeExceeded,
		zstd.ErrFrameSizeMismatch, zstd.ErrCRCMismatch} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
