package raster

import (
	"context"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"

	"quell/internal/message"
)

// checkBlock is the number of bytes that are hashed together.
const checkBlock = 1 << 20

// checkSeed is the seed of all hashes: the same process writes and reads back.
var checkSeed = maphash.MakeSeed()

// checkedWriter passes bytes on and hashes them block by block, so that what was written
// can be read back and compared without being kept.
type checkedWriter struct {
	w    io.Writer
	sums []uint64 // of the full blocks
	last maphash.Hash
	n    int64 // bytes written
}

// newCheckedWriter passes bytes on to w.
func newCheckedWriter(w io.Writer) *checkedWriter {
	c := &checkedWriter{w: w}
	c.last.SetSeed(checkSeed)
	return c
}

// Write implements io.Writer.
func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.hash(p[:n])
	return n, err
}

func (c *checkedWriter) hash(p []byte) {
	for len(p) > 0 {
		room := checkBlock - int(c.n%checkBlock)
		k := min(room, len(p))
		_, _ = c.last.Write(p[:k]) // never fails
		c.n += int64(k)
		p = p[k:]
		if k == room {
			c.sums = append(c.sums, c.last.Sum64())
			c.last.Reset()
		}
	}
}

// errDiffers is the error of a file that was read back and is not what was written.
var errDiffers = message.Errorf(message.OutputDiffers, "it was read back and differs from what was to be written, so it is not kept; check the disk, or choose another place")

// verify reads a file back, decompressed, and compares it with what was written.
func (c *checkedWriter) verify(ctx context.Context, fsys fs.FS, name string) error {
	f, err := OpenFile(fsys, name)
	if err != nil {
		return err
	}
	defer f.Close()
	back := newCheckedWriter(io.Discard)
	for buf := make([]byte, checkBlock); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.ReadFull(f, buf)
		back.hash(buf[:n])
		at := len(back.sums)
		if at > len(c.sums) || at > 0 && back.sums[at-1] != c.sums[at-1] {
			return errDiffers
		}
		switch {
		case err == nil:
			continue
		case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return ReadError(err)
		case back.n != c.n || back.last.Sum64() != c.last.Sum64():
			return errDiffers
		}
		return nil
	}
}
