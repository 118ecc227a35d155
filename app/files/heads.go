package files

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"

	"quell/internal/regular"
)

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
