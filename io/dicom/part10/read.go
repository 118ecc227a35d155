package part10

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"sync"

	"quell/internal/message"
)

// ReadBuffer is a view of a file that moves forward: the tokenizer reads the headers of
// elements and skips their values, so that a file of any size needs a few kilobytes.
type ReadBuffer struct {
	r    io.Reader // nil if buf is the whole file
	size int64     // of the file
	base int64     // file offset of buf[0]
	buf  []byte
	// held, if not 0, is an offset from which on bytes are kept: the bytes of a
	// sequence are read after its end is found.
	held int64
}

// NewReadBuffer returns a buffer over a file of size bytes. It must be released when
// nothing that at returned is in use.
func NewReadBuffer(r io.Reader, size int64) *ReadBuffer {
	return &ReadBuffer{r: r, size: size, buf: (*chunks.Get().(*[]byte))[:0]}
}

// wholeFile returns a buffer over a file that is in memory.
func wholeFile(file []byte) *ReadBuffer {
	return &ReadBuffer{buf: file, size: int64(len(file))}
}

// Release returns the memory to the pool.
func (b *ReadBuffer) Release() {
	if b := b.buf[:0]; cap(b) == readChunk {
		chunks.Put(&b)
	}
}

var chunks = sync.Pool{New: func() any { b := make([]byte, 0, readChunk); return &b }}

// readChunk is the number of bytes of one read: most CT and MR headers fit in it.
const readChunk = 16 << 10

// ErrTruncated is in the chain if an element reaches past the file's end.
var ErrTruncated = message.Errorf(message.InputTruncated, "the file ends too early")

// cutOff is such an error in words of its own.
type cutOff struct{ message.Message }

func (e *cutOff) Error() string { return e.String() }
func (e *cutOff) Unwrap() error { return ErrTruncated }

// at returns the n bytes at offset off, valid until the next call. Offsets must not
// decrease.
func (b *ReadBuffer) at(off int64, n int) ([]byte, error) {
	if off < b.base || n < 0 || off > b.size-int64(n) {
		return nil, ErrTruncated
	}
	if have := b.base + int64(len(b.buf)); off+int64(n) > have {
		if b.r == nil {
			return nil, ErrTruncated
		}
		if err := b.advance(off, n); err != nil {
			return nil, err
		}
	}
	from := int(off - b.base)
	return b.buf[from : from+n], nil
}

// advance moves the buffer to off, or keeps it at held, and reads at least n bytes from
// off.
func (b *ReadBuffer) advance(off int64, n int) error {
	have := b.base + int64(len(b.buf))
	if b.held != 0 && off >= b.held {
		n += int(off - b.held)
		off = b.held
		// Held bytes grow by half at least, so that they are not copied every time.
		n = int(min(int64(max(n, (int(have-off)*3)/2)), b.size-off))
	}
	if off >= have {
		if err := b.skip(off - have); err != nil {
			return err
		}
		b.buf = b.buf[:0]
	} else {
		b.buf = b.buf[:copy(b.buf, b.buf[off-b.base:])]
	}
	b.base = off
	want := int(min(int64(max(n, readChunk)), b.size-off))
	if cap(b.buf) < want {
		b.buf = append(make([]byte, 0, want), b.buf...)
	}
	old := len(b.buf)
	got, err := io.ReadAtLeast(b.r, b.buf[old:want], n-old)
	b.buf = b.buf[:old+got]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrTruncated // shorter than its size
	}
	return err
}

func (b *ReadBuffer) skip(n int64) error {
	if n == 0 {
		return nil
	}
	if s, ok := b.r.(io.Seeker); ok {
		_, err := s.Seek(n, io.SeekCurrent)
		return err
	}
	_, err := io.CopyN(io.Discard, b.r, n)
	if errors.Is(err, io.EOF) {
		return ErrTruncated
	}
	return err
}

// OpenFile opens a file of a container.
func OpenFile(fsys fs.FS, name string) (fs.File, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, FileError(message.InputUnreadable, name, message.Text("check that it exists and may be read"), err, "it cannot be opened (%s)", Cause(err))
	}
	return f, nil
}

// ReadHeader returns the wanted attributes of a file and the places of all, which the caller
// releases; of the values of the others it reads none.
func ReadHeader(fsys fs.FS, name string, want func(Tag) bool) (Attributes, *File, error) {
	f, err := OpenFile(fsys, name)
	if err != nil {
		return Attributes{}, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Attributes{}, nil, Unreadable(name, err)
	}
	b := NewReadBuffer(f, info.Size())
	defer b.Release()
	p, err := Tokenize(b, want)
	if err == nil && p.Syntax.Deflated {
		p, err = TokenizeDeflated(fsys, name, p, want)
	}
	var a Attributes
	if err == nil {
		a, err = ReadValues(p)
	}
	if err != nil {
		p.Release()
		return Attributes{}, nil, Unreadable(name, err)
	}
	return a, p, nil
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
			return buf, FileError(message.InputTruncated, name, AdviseCopy, err, "it is shorter than its %d bytes", size)
		}
		if err != nil {
			return buf, Unreadable(name, err)
		}
	}
	return buf, nil
}
