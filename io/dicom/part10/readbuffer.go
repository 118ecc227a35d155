package part10

import (
	"errors"
	"io"
	"sync"
)

// window is a forward-moving view of a file: the tokenizer looks at headers
// and jumps over values, so a file of any size is walked in a few kilobytes.
type ReadBuffer struct {
	r    io.Reader // nil where buf is the whole file
	size int64     // of the file
	base int64     // file offset of buf[0]
	buf  []byte
	// held, where it is not 0, is an offset from which on nothing is let go: the
	// bytes of a sequence are wanted once its end is known.
	held int64
}

// NewReadBuffer returns a window on a file of size bytes, to be released when nothing
// that at returned is in use any more.
func NewReadBuffer(r io.Reader, size int64) *ReadBuffer {
	return &ReadBuffer{r: r, size: size, buf: (*chunks.Get().(*[]byte))[:0]}
}

// wholeFile returns a window on a file whose bytes are all here.
func wholeFile(file []byte) *ReadBuffer {
	return &ReadBuffer{buf: file, size: int64(len(file))}
}

// Release lets the next window have the buffer.
func (w *ReadBuffer) Release() {
	if b := w.buf[:0]; cap(b) == readChunk {
		chunks.Put(&b)
	}
}

var chunks = sync.Pool{New: func() any { b := make([]byte, 0, readChunk); return &b }}

// readChunk is what one read asks for: most CT and MR headers fit in it.
const readChunk = 16 << 10

// ErrTruncated is in the chain when an element reaches past the file's end.
var ErrTruncated = errors.New("the file ends too early")

// at returns the n bytes at offset off. They stay valid until the next call.
// Offsets must not go back before the last one asked for.
func (w *ReadBuffer) at(off int64, n int) ([]byte, error) {
	if off < w.base || n < 0 || off > w.size-int64(n) {
		return nil, ErrTruncated
	}
	if have := w.base + int64(len(w.buf)); off+int64(n) > have {
		if w.r == nil {
			return nil, ErrTruncated
		}
		if err := w.advance(off, n); err != nil {
			return nil, err
		}
	}
	from := int(off - w.base)
	return w.buf[from : from+n], nil
}

// advance moves the window to off, or leaves it where it is held, and fills at
// least n bytes from off.
func (w *ReadBuffer) advance(off int64, n int) error {
	have := w.base + int64(len(w.buf))
	if w.held != 0 && off >= w.held {
		n += int(off - w.held)
		off = w.held
		// What is held grows by half at least, so that it is not moved each time.
		n = int(min(int64(max(n, (int(have-off)*3)/2)), w.size-off))
	}
	if off >= have {
		if err := w.skip(off - have); err != nil {
			return err
		}
		w.buf = w.buf[:0]
	} else {
		w.buf = w.buf[:copy(w.buf, w.buf[off-w.base:])]
	}
	w.base = off
	want := int(min(int64(max(n, readChunk)), w.size-off))
	if cap(w.buf) < want {
		w.buf = append(make([]byte, 0, want), w.buf...)
	}
	old := len(w.buf)
	got, err := io.ReadAtLeast(w.r, w.buf[old:want], n-old)
	w.buf = w.buf[:old+got]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return ErrTruncated // shorter than its size promised
	}
	return err
}

func (w *ReadBuffer) skip(n int64) error {
	if n == 0 {
		return nil
	}
	if s, ok := w.r.(io.Seeker); ok {
		_, err := s.Seek(n, io.SeekCurrent)
		return err
	}
	_, err := io.CopyN(io.Discard, w.r, n)
	if errors.Is(err, io.EOF) {
		return ErrTruncated
	}
	return err
}
