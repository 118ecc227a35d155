package raster

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// chunkBytes is how much is read and converted between two checks of the context.
// A chunk takes well below a millisecond and stays in the cache between reading
// and conversion.
const chunkBytes = 256 << 10

// maxReaders bounds the goroutines that read one file, and with them the buffers.
// A few saturate the memory bandwidth.
const maxReaders = 8

// readVoxels reads and converts volume t, show gets slices of it if they come one after
// the other, and progress how many were read if they do not.
func (im *Image) readVoxels(ctx context.Context, p plan, t int, show func(int, *volume.Volume), progress func(done, total int)) ([]float32, losses, error) {
	if file, ok := im.direct(); ok {
		data := volume.Make[float32](p.geometry.Voxels())
		lost, err := p.readAt(ctx, file, t, 0, data, func(done int) {
			if progress != nil {
				progress(done/p.geometry.SliceVoxels(), p.geometry.Dims[2])
			}
		})
		return data, lost, err
	}
	if err := im.file.skipTo(ctx, p.start(t)); err != nil {
		return nil, losses{}, ReadError(err)
	}
	return im.readStream(ctx, p, t, &arrivals{plan: p, show: show})
}

// readAt reads the voxels of volume t from number first on into data, several chunks in
// parallel, and after each passes the number of voxels read so far to count. The caller has
// checked that the file is long enough.
func (p plan) readAt(ctx context.Context, file io.ReaderAt, t, first int, data []float32, count func(done int)) (losses, error) {
	n, size := len(data), p.decoder.stored()
	start := p.start(t) + int64(first)*int64(size)
	step := min(n, max(chunkBytes/size, 1))
	var mu sync.Mutex
	var total losses
	done := 0
	err := parallel.ForWorkers(ctx, (n+step-1)/step, min(runtime.GOMAXPROCS(0), maxReaders), func() func(int) error {
		buf := make([]byte, step*size)
		return func(i int) error {
			from := i * step
			dst := data[from:min(n, from+step)]
			raw, inPlace := buf, false
			if p.decoder.isPlain() {
				raw, inPlace = volume.LittleEndian(dst)
			}
			got, err := file.ReadAt(raw[:len(dst)*size], start+int64(from*size))
			if got < len(dst)*size {
				return p.voxelError((first+from)*size+got, err)
			}
			var lost losses
			if inPlace {
				lost = p.decoder.losses(dst, raw)
			} else {
				lost = p.decoder.decode(dst, raw)
			}
			mu.Lock()
			defer mu.Unlock()
			total.add(lost)
			done += len(dst)
			count(done)
			return nil
		}
	})
	return total, err
}

// readStream reads the voxels that follow in the file. Its memory grows with what
// arrives, since a compressed file may claim a thousand times its size.
func (im *Image) readStream(ctx context.Context, p plan, t int, arriving *arrivals) ([]float32, losses, error) {
	n, size := p.geometry.Voxels(), p.decoder.stored()
	last := p.isLast(t, im.layout.Volumes)
	src := io.Reader(im.file)
	if im.file.packed != Plain {
		if !last { // the next volume may be read from the byte at which this one ends
			src = io.LimitReader(src, p.volumeBytes)
		}
		ahead := newReadAhead(src, p.volumeBytes)
		defer ahead.Close()
		src = ahead
	}
	// Concatenating blocks at the end takes twice the memory of the volume; growing
	// one slice would take more.
	firstBlock := 64 << 10
	if im.sizeConfirmed(p) {
		firstBlock = n
	}
	var blocks [][]float32
	var total losses
	buf := make([]byte, min(n, max(chunkBytes/size, 1))*size)
	for done := 0; done < n; {
		block := volume.Make[float32](min(n-done, max(firstBlock, done)))
		lost, err := p.readNext(ctx, src, done, block, buf, arriving)
		if err != nil {
			return nil, losses{}, err
		}
		total.add(lost)
		blocks = append(blocks, block)
		done += len(block)
	}
	if last {
		unused, err := im.readToEnd(src)
		if err != nil {
			return nil, losses{}, err
		}
		total.unused = unused
	}
	if len(blocks) == 1 {
		return blocks[0], total, nil
	}
	return slices.Concat(blocks...), total, nil
}

// readNext reads the voxels that follow in src, from number first of their volume on,
// through buf, and passes them on to arriving.
func (p plan) readNext(ctx context.Context, src io.Reader, first int, dst []float32, buf []byte, arriving *arrivals) (lost losses, err error) {
	size := p.decoder.stored()
	for at := 0; at < len(dst); {
		if err := ctx.Err(); err != nil {
			return lost, err
		}
		next := dst[at:min(len(dst), at+len(buf)/size)]
		if got, err := io.ReadFull(src, buf[:len(next)*size]); err != nil {
			return lost, p.voxelError((first+at)*size+got, err)
		}
		lost.add(p.decoder.decode(next, buf))
		arriving.add(next)
		at += len(next)
	}
	return lost, nil
}

// readToEnd reads a compressed file on from its last voxel to its end, which verifies the
// checksum. It returns how many bytes it read.
func (im *Image) readToEnd(src io.Reader) (unused int64, err error) {
	if im.file.packed == Plain {
		return 0, nil
	}
	unused, err = io.CopyN(io.Discard, src, maxTrailing)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, ReadError(err)
	}
	return unused, nil
}

// sizeConfirmed reports whether the whole volume may be allocated before it is
// read: the header and the trailer of the gzip file give the same length, and the
// compression ratio is one that images have.
func (im *Image) sizeConfirmed(p plan) bool {
	const usualRatio = 8
	end := p.end(im.layout.Volumes - 1)
	return end/usualRatio <= im.file.size && im.file.trailerSays(end)
}

// maxTrailing bounds the bytes that are read after the last voxel of a compressed
// file in search of its end.
const maxTrailing = 1 << 20

// voxelError words the error of a read that ended after got bytes of voxels.
func (p plan) voxelError(got int, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return message.Errorf(message.InputTruncated, "the file ends after %d of %d bytes of voxels; get a complete copy", got, p.volumeBytes)
	}
	return ReadError(WithoutPath(err))
}
