package raster

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// maxDeflateRatio bounds the expansion of deflate: a compressed byte gives at most
// 1032 bytes of output (RFC 1951: a length of 258 in two bits).
const maxDeflateRatio = 1032

// gunzip reads all members of a gzip file as one stream and verifies their
// checksums. It ignores bytes after the last member that do not start another one:
// padding from tapes and block devices is common.
type gunzip struct {
	src    *bufio.Reader
	member *gzip.Reader
}

func newGunzip(src *bufio.Reader) (*gunzip, error) {
	member, err := gzip.NewReader(src)
	if err != nil {
		return nil, err
	}
	member.Multistream(false)
	return &gunzip{src, member}, nil
}

// Read implements io.Reader.
func (g *gunzip) Read(p []byte) (int, error) {
	for {
		n, err := g.member.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			if errors.Is(err, io.EOF) {
				err = nil // the next call looks for another member
			}
			return n, err
		}
		if !gzipNext(g.src) {
			return 0, io.EOF
		}
		if err := g.member.Reset(g.src); err != nil {
			return 0, err
		}
		g.member.Multistream(false)
	}
}

// gzipNext reports whether the next bytes start a gzip member.
func gzipNext(r *bufio.Reader) bool {
	magic, _ := r.Peek(2)
	return len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b
}

// readAhead reads its source in a goroutine of its own, a few blocks ahead of the
// caller, so that decompression and conversion run in parallel.
type readAhead struct {
	full  chan block  // filled blocks, in order
	empty chan []byte // blocks to fill; closed by Close
	done  chan struct{}
	rest  []byte // unread part of the current block
	buf   []byte // the current block
	err   error  // returned after rest
}

type block struct {
	data []byte
	err  error
}

const (
	readAheadBlocks = 3
	readAheadBytes  = 256 << 10
)

// newReadAhead starts reading src, and about size bytes of it will be needed.
func newReadAhead(src io.Reader, size int64) *readAhead {
	r := &readAhead{
		full:  make(chan block, readAheadBlocks),
		empty: make(chan []byte, readAheadBlocks),
		done:  make(chan struct{}),
	}
	for range readAheadBlocks {
		r.empty <- make([]byte, min(readAheadBytes, max(size, 512)))
	}
	go func() {
		defer close(r.done)
		defer close(r.full)
		for buf := range r.empty {
			n, err := io.ReadFull(src, buf)
			if err == io.ErrUnexpectedEOF && n > 0 {
				// This is the last, short block of the source or an error of the
				// source itself. The next read gives the one that it is.
				err = nil
			}
			r.full <- block{buf[:n], err}
			if err != nil {
				return
			}
		}
	}()
	return r
}

// Read implements io.Reader.
func (r *readAhead) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		if r.buf != nil {
			r.empty <- r.buf[:cap(r.buf)]
			r.buf = nil
		}
		b, ok := <-r.full
		if !ok {
			return 0, io.EOF
		}
		r.buf, r.rest, r.err = b.data, b.data, b.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close stops the goroutine and waits for it. The caller may use the source again
// after that.
func (r *readAhead) Close() {
	close(r.empty)
	<-r.done
}
