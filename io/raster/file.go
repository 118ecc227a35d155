package raster

import (
	"bufio"
	"compress/bzip2"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"quell/internal/message"
	"quell/internal/regular"
)

// File reads one file sequentially and decompresses it if its content, not
// its name, is compressed.
type File struct {
	in     io.Reader
	closer func()  // of in; nil for none
	file   fs.File // one, or several joined
	size   int64   // of the file as stored
	packed Packing // values are made from the stored numbers
	trails bool    // the trailer of gzip gives the size
	base   int64   // the byte at which it begins in the file as stored; size counts from there
	pos    int64   // bytes read so far, decompressed
	// unused are the bytes of several joined files that are in none of their parts.
	unused int64
}

// OpenFile opens a file, decompressed if it is gzip, bzip2 or zstd.
func OpenFile(fsys fs.FS, name string) (*File, error) {
	s, err := OpenStored(fsys, name)
	if err != nil {
		return nil, err
	}
	head, _ := s.in.(*bufio.Reader).Peek(packedHead)
	if how := packingOf(head); how != Plain {
		if err := s.Unpack(how, Datatype{}); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// OpenStored opens a file for its bytes as they are stored.
func OpenStored(fsys fs.FS, name string) (*File, error) {
	file, err := regular.OpenIn(fsys, name)
	if err != nil {
		return nil, WithoutPath(err)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = message.Errorf(message.InputDamaged, "this is a folder, not a file")
	}
	if err != nil {
		_ = file.Close()
		return nil, WithoutPath(err)
	}
	return newFile(file, info.Size()), nil
}

// OpenHeader opens a file for its bytes as they are stored, and parses its header; the file is then behind it.
func OpenHeader[H any](fsys fs.FS, name string, parse func(*File) (H, error)) (file *File, h H, err error) {
	if file, err = OpenStored(fsys, name); err != nil {
		return nil, h, err
	}
	if h, err = parse(file); err != nil {
		file.Close()
		return nil, h, ReadError(err)
	}
	return file, h, nil
}

// newFile reads a file of that size.
func newFile(file fs.File, size int64) *File {
	return &File{file: file, size: size, in: bufio.NewReaderSize(file, int(min(max(size, 512), 128<<10)))}
}

// Line returns the next line of a text, without its end. After the last one the error is io.EOF.
func (s *File) Line() (string, error) {
	in, ok := s.in.(*bufio.Reader)
	if !ok {
		return "", message.Errorf(message.InputDamaged, "the text of the header is compressed")
	}
	line, err := in.ReadSlice('\n')
	s.pos += int64(len(line))
	switch {
	case errors.Is(err, bufio.ErrBufferFull) || s.pos > maxHeader:
		return "", message.Errorf(message.InputDamaged, "the header does not end; it is damaged")
	case err != nil && len(line) == 0:
		return "", err
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}

// maxHeader bounds the text of a header in bytes.
const maxHeader = 1 << 20

// Size returns the size of the file as stored.
func (s *File) Size() int64 { return s.base + s.size }

// Close closes the file.
func (s *File) Close() {
	if s.closer != nil {
		s.closer()
	}
	_ = s.file.Close()
}

// Read implements io.Reader and counts the bytes.
func (s *File) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.pos += int64(n)
	return n, err
}

// skipTo reads up to position pos, which must not be before the current one.
func (s *File) skipTo(ctx context.Context, pos int64) error {
	for s.pos < pos {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := io.CopyN(io.Discard, s, min(chunkBytes, pos-s.pos)); err != nil {
			return err
		}
	}
	return nil
}

// beyond returns how many bytes the file, decompressed, has behind the first end ones at least: of a compressed file what
// its trailer, see trailerSays, shows.
func (s *File) beyond(end int64) int64 {
	n := s.size
	if s.packed != Plain {
		length, ok := s.trailer()
		if n = int64(length); !ok || end > math.MaxUint32 {
			return 0
		}
	}
	return max(n-end, 0) + s.unused
}

// trailerSays reports whether the trailer of a gzip file gives its decompressed
// length as end. The trailer holds it modulo 2^32 and for the last member alone (RFC
// 1952). The result is false for a file that can only be read sequentially.
func (s *File) trailerSays(end int64) bool {
	length, ok := s.trailer()
	return ok && length == uint32(end)
}

// trailer returns the decompressed length in the trailer of a gzip file.
func (s *File) trailer() (length uint32, ok bool) {
	var b [4]byte
	file, ok := s.file.(io.ReaderAt)
	if !ok || !s.trails {
		return 0, false
	}
	n, _ := file.ReadAt(b[:], s.base+s.size-int64(len(b)))
	return binary.LittleEndian.Uint32(b[:]), n == len(b)
}

// couldHold reports whether the file, decompressed, may have as many as end bytes,
// as far as its stored size shows.
func (s *File) couldHold(end int64) bool {
	switch s.packed {
	case Plain:
		return end <= s.size
	case Hex, Decimal: // a digit and a space make a voxel of 8 bytes at most
		return end/8 <= s.size/2+1
	case Deflate:
		return end/maxDeflateRatio <= s.size
	}
	return end/maxDeflateRatio <= s.size || end <= plainlyHarmless
}

// WithoutPath removes operation and path from a file system's error; callers name
// the file.
func WithoutPath(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return message.Errorf(message.InputMissing, "there is no such file (%w)", fs.ErrNotExist)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// ReadError words the errors of a decompressor and of a file that ends too early.
func ReadError(err error) error {
	var corrupt flate.CorruptInputError
	var structure bzip2.StructuralError
	if isZstd(err) || errors.As(err, &structure) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, zlib.ErrChecksum) || errors.Is(err, zlib.ErrHeader) || errors.As(err, &corrupt) {
		return message.Errorf(message.InputDamaged, "the compressed data is damaged; get an intact copy")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return message.Errorf(message.InputTruncated, "the file is truncated; get a complete copy")
	}
	return err
}

// At returns how many bytes were read, decompressed.
func (s *File) At() int64 { return s.pos }

// Holds reports whether the file is not compressed and has at least so many bytes.
func (s *File) Holds(end int64) bool { return s.packed == Plain && end <= s.size }
