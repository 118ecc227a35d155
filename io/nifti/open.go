package nifti

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// HasExt says whether a file's name ends as NIfTI and Analyze files do: .nii,
// .hdr or .img, each with or without .gz, in any case.
func HasExt(name string) bool {
	_, ext, _ := splitExt(name)
	return ext != ""
}

// splitExt cuts brain.nii.gz into brain, .nii and .gz. An extension that is
// none of ours stays with the base.
func splitExt(name string) (base, ext, gz string) {
	base = name
	if e := path.Ext(base); strings.EqualFold(e, ".gz") {
		base, gz = strings.TrimSuffix(base, e), e
	}
	switch e := path.Ext(base); strings.ToLower(e) {
	case ".nii", ".hdr", ".img":
		return strings.TrimSuffix(base, e), e, gz
	}
	return name, "", ""
}

// source reads one file front to back, decompressed where it is gzip. The
// content decides that, not the name.
type source struct {
	in   io.Reader
	file fs.File
	size int64 // bytes stored
	gzip bool
	pos  int64 // bytes read so far, decompressed
}

func openSource(fsys fs.FS, name string) (*source, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, plain(err)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("this is a folder, not a file")
	}
	if err != nil {
		_ = file.Close()
		return nil, plain(err)
	}
	s := &source{file: file, size: info.Size()}
	buffered := bufio.NewReaderSize(file, int(min(max(s.size, 512), 128<<10)))
	s.in = buffered
	if gzipNext(buffered) {
		z, err := newGunzip(buffered)
		if err != nil {
			_ = file.Close()
			return nil, damaged(err)
		}
		s.in, s.gzip = z, true
	}
	return s, nil
}

func (s *source) close() { _ = s.file.Close() }

// Read implements io.Reader and keeps count.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.pos += int64(n)
	return n, err
}

// skipTo moves on to a position, which must not lie behind.
func (s *source) skipTo(ctx context.Context, pos int64) error {
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

// endsAt says whether the trailer of a gzip file gives its decompressed length
// as end, which it does modulo 2^32 and for the last member (RFC 1952). A file
// that can only be read from front to back is not asked.
func (s *source) endsAt(end int64) bool {
	var b [4]byte
	file, ok := s.file.(io.ReaderAt)
	if !ok || !s.gzip {
		return false
	}
	n, _ := file.ReadAt(b[:], s.size-int64(len(b)))
	return n == len(b) && binary.LittleEndian.Uint32(b[:]) == uint32(end)
}

// couldHold says whether the file may reach up to byte end, decompressed: known
// before anything is read or allocated.
func (s *source) couldHold(end int64) bool {
	if s.gzip {
		return end/maxDeflateRatio <= s.size
	}
	return end <= s.size
}

// image is a parsed header and the file that holds its voxels.
type image struct {
	header *Header
	name   string // of the file that holds the voxels
	source *source
}

// openImage finds and reads the header that name belongs to, and opens the file
// with the voxels. Either file of a pair may be named.
func openImage(fsys fs.FS, name string) (*image, error) {
	_, ext, _ := splitExt(name)
	headerName := name
	if strings.EqualFold(ext, ".img") {
		var err error
		if headerName, err = partner(fsys, name, ".hdr"); err != nil {
			return nil, err
		}
	}
	s, err := openSource(fsys, headerName)
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(s)
	if err == nil && h.format == analyze75 && !strings.EqualFold(ext, ".hdr") && !strings.EqualFold(ext, ".img") {
		// Analyze has no magic number: only its name tells it from anything
		// else that starts with 348.
		err = errNotNIfTI
	}
	if err != nil {
		s.close()
		return nil, damaged(err)
	}
	if h.single {
		return &image{h, headerName, s}, nil
	}
	voxels := name
	if headerName == name {
		if voxels, err = partner(fsys, name, ".img"); err != nil {
			s.close()
			return nil, err
		}
	}
	if rest, err := io.ReadAll(io.LimitReader(s, maxExtensions)); err == nil && h.format != analyze75 {
		h.parseExtensions(rest)
	}
	s.close()
	if s, err = openSource(fsys, voxels); err != nil {
		return nil, err
	}
	return &image{h, voxels, s}, nil
}

// partner finds the other file of a pair: the same name, ending in ext.
func partner(fsys fs.FS, name, ext string) (string, error) {
	base, _, _ := splitExt(name)
	for _, e := range []string{ext, strings.ToUpper(ext), ext + ".gz", strings.ToUpper(ext + ".gz")} {
		if info, err := fs.Stat(fsys, base+e); err == nil && !info.IsDir() {
			return base + e, nil
		}
	}
	what := "voxels"
	if ext == ".hdr" {
		what = "header"
	}
	return "", fmt.Errorf("its %s should be in %s beside it, which is not there; put both files into one folder", what, path.Base(base)+ext)
}

// plain takes the operation and the path off a file system's error: the caller
// names the file.
func plain(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no such file (%w)", fs.ErrNotExist)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// damaged says in words what a decompressor's error means.
func damaged(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt) {
		return errors.New("the compressed data is damaged; copy the file again from where it came from")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends too early; copy it again from where it came from")
	}
	return err
}
