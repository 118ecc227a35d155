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

// HasExt reports whether a file name has an extension of NIfTI or Analyze: .nii,
// .hdr or .img, with or without .gz, in upper or lower case.
func HasExt(name string) bool {
	_, ext, _ := splitExt(name)
	return ext != ""
}

// splitExt splits brain.nii.gz into brain, .nii and .gz. Another extension stays
// part of the base.
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

// fileReader reads one file sequentially and decompresses it if its content, not
// its name, is gzip.
type fileReader struct {
	in   io.Reader
	file fs.File
	size int64 // of the file as stored
	gzip bool
	pos  int64 // bytes read so far, decompressed
}

func openFile(fsys fs.FS, name string) (*fileReader, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, withoutPath(err)
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("this is a folder, not a file")
	}
	if err != nil {
		_ = file.Close()
		return nil, withoutPath(err)
	}
	s := &fileReader{file: file, size: info.Size()}
	buffered := bufio.NewReaderSize(file, int(min(max(s.size, 512), 128<<10)))
	s.in = buffered
	if gzipNext(buffered) {
		z, err := newGunzip(buffered)
		if err != nil {
			_ = file.Close()
			return nil, readError(err)
		}
		s.in, s.gzip = z, true
	}
	return s, nil
}

func (s *fileReader) close() { _ = s.file.Close() }

// Read implements io.Reader and counts the bytes.
func (s *fileReader) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.pos += int64(n)
	return n, err
}

// skipTo reads up to position pos, which must not be before the current one.
func (s *fileReader) skipTo(ctx context.Context, pos int64) error {
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

// trailerSays reports whether the trailer of a gzip file gives its decompressed
// length as end. The trailer holds it modulo 2^32 and for the last member alone (RFC
// 1952). The result is false for a file that can only be read sequentially.
func (s *fileReader) trailerSays(end int64) bool {
	var b [4]byte
	file, ok := s.file.(io.ReaderAt)
	if !ok || !s.gzip {
		return false
	}
	n, _ := file.ReadAt(b[:], s.size-int64(len(b)))
	return n == len(b) && binary.LittleEndian.Uint32(b[:]) == uint32(end)
}

// couldHold reports whether the file, decompressed, may have as many as end bytes,
// as far as its stored size shows.
func (s *fileReader) couldHold(end int64) bool {
	if s.gzip {
		return end/maxDeflateRatio <= s.size
	}
	return end <= s.size
}

// image is a parsed header and the file that holds its voxels.
type image struct {
	header     *header
	headerName string // of the file that holds the header
	name       string // of the file that holds the voxels
	file       *fileReader
}

// openImage reads the header of the image name and opens the file that holds its
// voxels. name may be either file of a pair.
func openImage(fsys fs.FS, name string) (*image, error) {
	_, ext, _ := splitExt(name)
	headerName := name
	if strings.EqualFold(ext, ".img") {
		var err error
		if headerName, err = otherOfPair(fsys, name, ".hdr"); err != nil {
			return nil, err
		}
	}
	s, err := openFile(fsys, headerName)
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(s)
	if err == nil && h.format == analyze75 && !strings.EqualFold(ext, ".hdr") && !strings.EqualFold(ext, ".img") {
		// Analyze has no magic number: without its extension, any file that starts
		// with the number 348 would be taken for one.
		err = errNotNIfTI
	}
	if err != nil {
		s.close()
		return nil, readError(err)
	}
	if h.single {
		return &image{h, headerName, headerName, s}, nil
	}
	voxels := name
	if headerName == name {
		if voxels, err = otherOfPair(fsys, name, ".img"); err != nil {
			s.close()
			return nil, err
		}
	}
	if rest, err := io.ReadAll(io.LimitReader(s, maxExtensions)); err == nil && h.format != analyze75 {
		h.parseExtensions(rest)
	}
	s.close()
	if s, err = openFile(fsys, voxels); err != nil {
		return nil, err
	}
	return &image{h, headerName, voxels, s}, nil
}

// otherOfPair returns the name of the other file of a pair: the same base with the
// extension ext, in upper or lower case, compressed or not.
func otherOfPair(fsys fs.FS, name, ext string) (string, error) {
	base, _, _ := splitExt(name)
	for _, e := range []string{ext, strings.ToUpper(ext), ext + ".gz", strings.ToUpper(ext + ".gz")} {
		if info, err := fs.Stat(fsys, base+e); err == nil && !info.IsDir() {
			return base + e, nil
		}
	}
	what := "voxel"
	if ext == ".hdr" {
		what = "header"
	}
	return "", fmt.Errorf("its %s file, %s, is missing; put both files into one folder", what, path.Base(base)+ext)
}

// withoutPath removes operation and path from a file system's error; callers name
// the file.
func withoutPath(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no such file (%w)", fs.ErrNotExist)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// readError words the errors of a decompressor and of a file that ends too early.
func readError(err error) error {
	var corrupt flate.CorruptInputError
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt) {
		return errors.New("the compressed data is damaged; get an intact copy")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file is truncated; get a complete copy")
	}
	return err
}
