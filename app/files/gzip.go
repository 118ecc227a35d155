package files

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"

	"quell/internal/message"
	"quell/internal/regular"
)

// OpenPlain opens a file; one that is named .gz and holds a file of a format that Unpacks is
// decompressed as it is read. Other files, compressed NIfTI among them, are
// returned as they are.
func OpenPlain(name string, open func() (fs.File, error)) (fs.File, error) {
	if !mayBePacked(name) {
		return open()
	}
	size, err := unpackedSize(open)
	if err != nil {
		return open() // not gzip: a folder, or a file of another kind
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	g := &gzipFile{packed: f, size: size}
	if z, err := gzip.NewReader(f); err == nil {
		g.unpacked = bufio.NewReaderSize(z, 32<<10)
		head, _ := g.unpacked.Peek(headSize)
		if _, packed := FormatBy(nil, head, name); packed {
			if err := g.check(); err != nil {
				f.Close()
				return nil, &fs.PathError{Op: "open", Path: name, Err: err}
			}
			return g, nil
		}
	}
	f.Close()
	return open()
}

// mayBePacked reports whether a name belongs to a compressed file which is not one
// of one image: only those are looked into.
func mayBePacked(name string) bool {
	return strings.EqualFold(path.Ext(name), ".gz") && !IsImageFile(name) && !IsVoxels(name)
}

// unpackedSize returns the size that the trailer of a gzip file states: it is
// modulo 4 GiB, which no DICOM file reaches, and counts the last member.
func unpackedSize(open func() (fs.File, error)) (int64, error) {
	f, err := open()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	const headerAndTrailer = 18
	if !info.Mode().IsRegular() || info.Size() < headerAndTrailer {
		return 0, gzip.ErrHeader
	}
	var trailer [4]byte
	if at, ok := f.(io.ReaderAt); ok {
		_, err = at.ReadAt(trailer[:], info.Size()-4)
		if errors.Is(err, io.EOF) {
			err = nil
		}
	} else if _, err = io.CopyN(io.Discard, f, info.Size()-4); err == nil { // a member of a zip
		_, err = io.ReadFull(f, trailer[:])
	}
	return int64(binary.LittleEndian.Uint32(trailer[:])), err
}

// gzipFile reads a compressed file. It ends with an error if the content is damaged
// or its size is not the one of the trailer.
type gzipFile struct {
	packed   fs.File
	unpacked *bufio.Reader
	size     int64 // of the content, as the trailer states it
	read     int64
}

// check applies the limits of archives to the sizes.
func (g *gzipFile) check() error {
	info, err := g.packed.Stat()
	if err != nil {
		return err
	}
	if problem := CheckUnpacked(uint64(info.Size()), uint64(g.size)); !problem.IsZero() {
		return message.Errorf("", "this gzip file %s", problem)
	}
	return nil
}

func (g *gzipFile) Read(b []byte) (int, error) {
	n, err := g.unpacked.Read(b)
	g.read += int64(n)
	switch {
	case g.read > g.size:
		return 0, message.Errorf(message.InputDamaged, "the gzip file contains more than the %d bytes it states", g.size)
	case g.read == g.size && err == nil:
		// The checksum is only verified at the end of the stream.
		if _, err := g.unpacked.Peek(1); err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
	}
	return n, err
}

// Close closes the compressed file.
func (g *gzipFile) Close() error { return g.packed.Close() }

// Stat describes the content.
func (g *gzipFile) Stat() (fs.FileInfo, error) {
	info, err := g.packed.Stat()
	return unpackedInfo{info, g.size}, err
}

type unpackedInfo struct {
	fs.FileInfo
	size int64
}

func (i unpackedInfo) Size() int64 { return i.size }

// Limits of an archive and of a compressed file. Sizes in headers are checked
// before anything is decompressed, so that a small file cannot ask for more
// memory or time than images of its size can need.
const (
	MaxUnpacked = 64 << 30 // bytes
	// Archives of images shrink by a factor of 2 to 10, images of air by 100;
	// deflate reaches 1032.
	maxRatio        = 200
	ratioCountsFrom = 1 << 30 // decompressed bytes below which any ratio is harmless
)

// CheckUnpacked refuses sizes in bytes that no honest file of images has. The
// result completes the sentence "this file ...".
func CheckUnpacked(packed, unpacked uint64) (problem message.Message) {
	switch {
	case unpacked > MaxUnpacked:
		return message.New(message.InputTooLarge, "unpacks to more than %d GiB", MaxUnpacked>>30)
	case unpacked > ratioCountsFrom && unpacked/max(packed, 1) > maxRatio:
		return message.New(message.InputTooLarge, "unpacks to %d times its size, which no image does", unpacked/max(packed, 1))
	}
	return problem
}

// headSize is how much of a file the format checks look at, in bytes.
const headSize = 512

// Heads returns the beginning of a file and, where it is compressed by gzip
// and can be read, of its content.
func Heads(path string) (head, inner []byte, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if head, err = ReadHead(f); err != nil || !bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		return head, nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return head, nil, err
	}
	if z, err := gzip.NewReader(f); err == nil {
		inner, _ = ReadHead(z) // damage is reported by the reader of the format
	}
	return head, inner, nil
}

// ReadHead returns the first headSize bytes of a file, or fewer where it is
// shorter.
func ReadHead(f io.Reader) ([]byte, error) {
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}

// IsVoxels reports whether a file is named like the voxels of a pair, compressed or not.
func IsVoxels(name string) bool {
	return headerOf(strings.TrimSuffix(strings.ToLower(name), ".gz")) != nil
}
