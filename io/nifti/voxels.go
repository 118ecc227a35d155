package nifti

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"

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

// readVoxels reads and converts volume t, of which show gets slices where they come one
// after the other.
func (im *image) readVoxels(ctx context.Context, p plan, t int, show func(int, *volume.Volume)) ([]float32, losses, error) {
	if file, ok := im.direct(); ok {
		return p.readAt(ctx, file, p.start(t))
	}
	if err := im.file.skipTo(ctx, p.start(t)); err != nil {
		return nil, losses{}, readError(err)
	}
	last := int64(t) == im.header.volumes()-1
	return im.readStream(ctx, p, last, &arrivals{plan: p, show: show})
}

// readAt reads the voxels from byte start on, several chunks in parallel. The caller
// has checked that the file is long enough.
func (p plan) readAt(ctx context.Context, file io.ReaderAt, start int64) ([]float32, losses, error) {
	n, size := p.geometry.Voxels(), p.decoder.bytes
	data := volume.Make[float32](n)
	step := min(n, chunkBytes/size)
	var mu sync.Mutex
	var total losses
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
				return p.voxelError(from*size+got, err)
			}
			var lost losses
			if inPlace {
				lost = p.decoder.losses(dst, raw)
			} else {
				lost = p.decoder.decode(dst, raw)
			}
			if lost != (losses{}) {
				mu.Lock()
				defer mu.Unlock()
				total.add(lost)
			}
			return nil
		}
	})
	if err != nil {
		return nil, losses{}, err
	}
	return data, total, nil
}

// readStream reads the voxels that follow in the file. Its memory grows with what
// arrives, since a compressed file may claim a thousand times its size. last says
// that this is the last volume of the file.
func (im *image) readStream(ctx context.Context, p plan, last bool, arriving *arrivals) ([]float32, losses, error) {
	n, size := p.geometry.Voxels(), p.decoder.bytes
	src := io.Reader(im.file)
	if im.file.gzip {
		if !last { // the next volume may be read from where this one ends
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
	buf := make([]byte, min(n, chunkBytes/size)*size)
	for done := 0; done < n; {
		block := volume.Make[float32](min(n-done, max(firstBlock, done)))
		for at := 0; at < len(block); {
			if err := ctx.Err(); err != nil {
				return nil, losses{}, err
			}
			dst := block[at:min(len(block), at+len(buf)/size)]
			if got, err := io.ReadFull(src, buf[:len(dst)*size]); err != nil {
				return nil, losses{}, p.voxelError((done+at)*size+got, err)
			}
			total.add(p.decoder.decode(dst, buf))
			arriving.add(dst)
			at += len(dst)
		}
		blocks = append(blocks, block)
		done += len(block)
	}
	if im.file.gzip && last {
		// Read on to the end, which verifies the checksum.
		if _, err := io.CopyN(io.Discard, src, maxTrailing); err != nil && !errors.Is(err, io.EOF) {
			return nil, losses{}, readError(err)
		}
	}
	if len(blocks) == 1 {
		return blocks[0], total, nil
	}
	return slices.Concat(blocks...), total, nil
}

// sizeConfirmed reports whether the whole volume may be allocated before it is
// read: the header and the trailer of the gzip file give the same length, and the
// compression ratio is one that images have.
func (im *image) sizeConfirmed(p plan) bool {
	const usualRatio = 8
	end := p.start(int(im.header.volumes()))
	return end/usualRatio <= im.file.size && im.file.trailerSays(end)
}

// maxTrailing bounds the bytes that are read after the last voxel of a compressed
// file in search of its end.
const maxTrailing = 1 << 20

// voxelError words the error of a read that ended after got bytes of voxels.
func (p plan) voxelError(got int, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends after %d of %d bytes of voxels; get a complete copy", got, p.volumeBytes)
	}
	return readError(withoutPath(err))
}

// maskNonFinite masks the voxels that are NaN or infinite and gives them the
// smallest value of the others.
func maskNonFinite(v *volume.Volume) {
	v.Mask = make([]bool, len(v.Data))
	lowest := float32(math.Inf(1))
	for i, x := range v.Data {
		if v.Mask[i] = x-x == 0; v.Mask[i] {
			lowest = min(lowest, x)
		}
	}
	for i, valid := range v.Mask {
		if !valid {
			v.Data[i] = lowest
		}
	}
}
