package raster

import (
	"bytes"
	"context"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"runtime"

	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/volume"
)

// blockWriter writes an uncompressed file, several blocks of voxels in parallel, and reads
// it back the same way: every byte is compared with what was written, by a hash for each
// block. Each goroutine has one block in memory.
type blockWriter struct {
	to          io.WriterAt
	header      []byte // and extensions
	encoder     Encoder
	volume      *volume.Volume
	arrival     *volume.Arrival // of its voxels
	maskedAsNaN bool
	sums        []uint64
}

// step returns the number of voxels in a block.
func (w *blockWriter) step() int { return checkBlock / w.encoder.Bytes }

// blocks calls use for every block with the number of its first voxel and a buffer that
// holds the bytes of the block.
func (w *blockWriter) blocks(ctx context.Context, use func(block, from, to int, buf []byte) error) error {
	n, step := len(w.volume.Data), w.step()
	return parallel.ForWorkers(ctx, (n+step-1)/step, min(runtime.GOMAXPROCS(0), maxReaders), func() func(int) error {
		buf := make([]byte, min(n, step)*w.encoder.Bytes)
		return func(i int) error {
			from, to := i*step, min(n, (i+1)*step)
			return use(i, from, to, buf[:(to-from)*w.encoder.Bytes])
		}
	})
}

// offset returns the position of a voxel in the file.
func (w *blockWriter) offset(voxel int) int64 {
	return int64(len(w.header)) + int64(voxel)*int64(w.encoder.Bytes)
}

// run writes the file.
func (w *blockWriter) run(ctx context.Context) error {
	w.sums = make([]uint64, (len(w.volume.Data)+w.step()-1)/w.step())
	if _, err := w.to.WriteAt(w.header, 0); err != nil {
		return WithoutPath(err)
	}
	return w.blocks(ctx, func(block, from, to int, buf []byte) error {
		return w.arrival.Read(ctx, from, to, func() error {
			values := w.volume.Data[from:to]
			if w.maskedAsNaN {
				values = withNaN(nil, values, w.volume.Mask[from:to])
			}
			if w.encoder.Code == Float32 {
				buf, _ = volume.LittleEndian(values)
			} else {
				w.encoder.encode(buf, values)
			}
			w.sums[block] = maphash.Bytes(checkSeed, buf)
			_, err := w.to.WriteAt(buf, w.offset(from))
			if f, ok := w.to.(*os.File); ok && err == nil {
				atomic.StartWriteback(f, w.offset(from), int64(len(buf)))
			}
			return WithoutPath(err)
		})
	})
}

// verify reads the file back.
func (w *blockWriter) verify(ctx context.Context, fsys fs.FS, name string) error {
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
	head := make([]byte, len(w.header))
	if !ok || info.Size() != w.offset(len(w.volume.Data)) {
		return errDiffers
	}
	if n, _ := file.ReadAt(head, 0); n < len(head) || !bytes.Equal(head, w.header) {
		return errDiffers
	}
	return w.blocks(ctx, func(block, from, _ int, buf []byte) error {
		if n, _ := file.ReadAt(buf, w.offset(from)); n < len(buf) || maphash.Bytes(checkSeed, buf) != w.sums[block] {
			return errDiffers
		}
		return nil
	})
}
