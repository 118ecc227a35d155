package raster

import (
	"bytes"
	"context"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/klauspost/pgzip"

	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/volume"
)

// output is the file that the voxels of an image are written to, behind its header.
type output interface {
	// add appends voxels, first the ones that a says are final if it can.
	add(ctx context.Context, v *volume.Volume, a *volume.Arrival) error
	// finish writes the rest. A second call does nothing.
	finish() error
	// verify reads the file back: every byte must be as it was written.
	verify(ctx context.Context, fsys fs.FS, name string) error
}

// file is a file that is written.
type file interface {
	io.Writer
	io.WriterAt
}

// newOutput writes the header, and returns what takes the voxels.
func newOutput(f file, header []byte, e Encoder, s Spec) (output, error) {
	if !s.Compress {
		_, err := f.WriteAt(header, 0)
		return &blocks{to: f, header: header, encoder: e, nan: s.MaskedAsNaN, end: int64(len(header))}, WithoutPath(err)
	}
	z, err := pgzip.NewWriterLevel(f, gzipLevel)
	if err != nil {
		return nil, err
	}
	o := &stream{z: z, checked: newCheckedWriter(z), encoder: e, nan: s.MaskedAsNaN}
	_, err = o.checked.Write(header)
	return o, WithoutPath(err)
}

// gzipLevel is the level beyond which pgzip takes more time without saving space.
const gzipLevel = 6

// stream is an output that is compressed by gzip.
type stream struct {
	z       *pgzip.Writer // nil when it is finished
	checked *checkedWriter
	encoder Encoder
	nan     bool
}

func (o *stream) add(ctx context.Context, v *volume.Volume, a *volume.Arrival) error {
	return WriteVoxels(ctx, o.checked, o.nan, o.encoder, v, a)
}

func (o *stream) finish() error {
	if o.z == nil {
		return nil
	}
	z := o.z
	o.z = nil
	return z.Close()
}

func (o *stream) verify(ctx context.Context, fsys fs.FS, name string) error {
	return o.checked.verify(ctx, fsys, name)
}

// blocks is an output that is not compressed: several blocks of voxels are written in parallel, and read
// back the same way, by a hash for each block. Each goroutine has one block in memory.
type blocks struct {
	to      io.WriterAt
	header  []byte
	encoder Encoder
	nan     bool
	end     int64 // of what was added, in the file
	sums    []blockSum
}

// blockSum is the hash of so many bytes of a file.
type blockSum struct {
	at  int64
	n   int
	sum uint64
}

func (o *blocks) add(ctx context.Context, v *volume.Volume, a *volume.Arrival) error {
	nan, n, size := masksAsNaN(o.nan, o.encoder, v), len(v.Data), o.encoder.Bytes
	step := checkBlock / size
	sums := make([]blockSum, (n+step-1)/step)
	err := parallelBlocks(ctx, len(sums), min(n, step)*size, func(k int, buf []byte) error {
		from, to := k*step, min(n, (k+1)*step)
		return a.Read(ctx, from, to, func() error {
			values := v.Data[from:to]
			if nan {
				values = withNaN(nil, values, v.Mask[from:to])
			}
			if buf = buf[:len(values)*size]; o.encoder.Code == Float32 {
				buf, _ = volume.LittleEndian(values)
			} else {
				o.encoder.encode(buf, values)
			}
			at := o.end + int64(from)*int64(size)
			sums[k] = blockSum{at, len(buf), maphash.Bytes(checkSeed, buf)}
			_, err := o.to.WriteAt(buf, at)
			if f, ok := o.to.(*os.File); ok && err == nil {
				atomic.StartWriteback(f, at, int64(len(buf)))
			}
			return WithoutPath(err)
		})
	})
	if err != nil {
		return err
	}
	o.end += int64(n) * int64(size)
	o.sums = append(o.sums, sums...)
	return nil
}

// parallelBlocks calls use for every block, with a buffer of so many bytes.
func parallelBlocks(ctx context.Context, n, size int, use func(k int, buf []byte) error) error {
	return parallel.ForWorkers(ctx, n, min(runtime.GOMAXPROCS(0), maxReaders), func() func(int) error {
		buf := make([]byte, size)
		return func(k int) error { return use(k, buf) }
	})
}

func (o *blocks) finish() error { return nil }

func (o *blocks) verify(ctx context.Context, fsys fs.FS, name string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return WithoutPath(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return WithoutPath(err)
	}
	file, ok := f.(io.ReaderAt)
	head := make([]byte, len(o.header))
	if !ok || info.Size() != o.end {
		return errDiffers
	}
	if n, _ := file.ReadAt(head, 0); n < len(head) || !bytes.Equal(head, o.header) {
		return errDiffers
	}
	return parallelBlocks(ctx, len(o.sums), checkBlock, func(k int, buf []byte) error {
		s := o.sums[k]
		if n, _ := file.ReadAt(buf[:s.n], s.at); n < s.n || maphash.Bytes(checkSeed, buf[:s.n]) != s.sum {
			return errDiffers
		}
		return nil
	})
}
