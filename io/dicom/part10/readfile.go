package part10

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
)

// OpenFile opens a file of a container.
func OpenFile(fsys fs.FS, name string) (fs.File, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, FileError(name, "check that it exists and may be read", err, "it cannot be opened (%s)", Cause(err))
	}
	return f, nil
}

// ReadFile returns all bytes of a file.
func ReadFile(fsys fs.FS, name string, size int64, buf []byte) ([]byte, error) {
	f, err := OpenFile(fsys, name)
	if err != nil {
		return buf, err
	}
	defer f.Close()
	return ReadAll(context.Background(), f, name, size, buf)
}

// ReadAll reads a whole file into buf, or into a larger one. It grows as bytes
// arrive, so that a size that lies costs nothing, and looks at the context before
// every few megabytes, for a zip is slow.
func ReadAll(ctx context.Context, f io.Reader, name string, size int64, buf []byte) ([]byte, error) {
	const step = 4 << 20
	buf = buf[:0]
	for int64(len(buf)) < size {
		if err := ctx.Err(); err != nil {
			return buf, err
		}
		if len(buf) == 0 || len(buf) == cap(buf) {
			buf = slices.Grow(buf, int(min(size, int64(max(step, 2*len(buf)))))-len(buf))
		}
		n, err := io.ReadFull(f, buf[len(buf):min(int(size), cap(buf), len(buf)+step)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return buf, FileError(name, AdviseCopy, err, "it is shorter than its %d bytes", size)
		}
		if err != nil {
			return buf, Unreadable(name, err)
		}
	}
	return buf, nil
}
