package nifti

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"quell/volume"
)

// chunkBytes is how much is read and converted between two looks at the
// context: well below a millisecond of work, and little enough to stay in the
// cache in between.
const chunkBytes = 256 << 10

// maxReaders bounds the goroutines, and with them the buffers, that read one
// file. More than a few do not make memory faster.
const maxReaders = 8

// readVoxels reads and converts volume t, and counts the voxels that are not
// finite.
func (im *image) readVoxels(ctx context.Context, p plan, t int) (data []float32, nonFinite int, err error) {
	if file, ok := im.source.file.(io.ReaderAt); ok && !im.source.gzip {
		return p.readAt(ctx, file, p.start(t))
	}
	if err := im.source.skipTo(ctx, p.start(t)); err != nil {
		return nil, 0, damaged(err)
	}
	last := int64(t) == im.header.volumes()-1
	return im.readStream(ctx, p, last)
}

// readAt reads the voxels that begin at start, several chunks at a time. It is
// for files whose size is known to be enough.
func (p plan) readAt(ctx context.Context, file io.ReaderAt, start int64) (data []float32, nonFinite int, err error) {
	n, size := p.geometry.Voxels(), p.decoder.bytes
	data = volume.Make[float32](n)
	step := min(n, chunkBytes/size)
	var next, holes atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(runtime.GOMAXPROCS(0), maxReaders, (n+step-1)/step) {
		g.Go(func() error {
			buf := make([]byte, step*size)
			for {
				from := int(next.Add(int64(step))) - step
				if from >= n {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				fresh := data[from:min(n, from+step)]
				got, err := file.ReadAt(buf[:len(fresh)*size], start+int64(from*size))
				if got < len(fresh)*size {
					return p.short(from*size+got, err)
				}
				holes.Add(int64(p.decoder.decode(fresh, buf)))
			}
		})
	}
	if err := g.Wait(); err != nil {
		return nil, 0, err
	}
	return data, int(holes.Load()), nil
}

// readStream reads the voxels that the source stands at. Its memory grows with
// what arrives: a compressed file may promise a thousand times its size.
func (im *image) readStream(ctx context.Context, p plan, last bool) (data []float32, nonFinite int, err error) {
	n, size := p.geometry.Voxels(), p.decoder.bytes
	src := io.Reader(im.source)
	if im.source.gzip {
		ahead := newReadAhead(im.source, p.volumeBytes)
		defer ahead.Close()
		src = ahead
	}
	// Joining blocks takes the volume twice; growing a slice would take more.
	const firstBlock = 64 << 10
	room := firstBlock
	if im.keepsPromise(p) {
		room = n
	}
	var blocks [][]float32
	buf := make([]byte, min(n, chunkBytes/size)*size)
	for done := 0; done < n; {
		block := volume.Make[float32](min(n-done, max(room, done)))
		for at := 0; at < len(block); {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
			fresh := block[at:min(len(block), at+len(buf)/size)]
			if got, err := io.ReadFull(src, buf[:len(fresh)*size]); err != nil {
				return nil, 0, p.short((done+at)*size+got, err)
			}
			nonFinite += p.decoder.decode(fresh, buf)
			at += len(fresh)
		}
		blocks = append(blocks, block)
		done += len(block)
	}
	if im.source.gzip && last {
		// The checksum stands behind the last voxel.
		if _, err := io.CopyN(io.Discard, src, trailingBytes); err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, damaged(err)
		}
	}
	if len(blocks) == 1 {
		return blocks[0], nonFinite, nil
	}
	return slices.Concat(blocks...), nonFinite, nil
}

// keepsPromise says whether room for the whole volume may be made before it
// arrives: where header and gzip trailer tell the same length, and it is one
// that images shrink from.
func (im *image) keepsPromise(p plan) bool {
	const usualRatio = 8
	end := p.start(int(im.header.volumes()))
	return end/usualRatio <= im.source.size && im.source.endsAt(end)
}

// trailingBytes is how far behind the last voxel of a compressed file its end,
// with the checksum, is looked for.
const trailingBytes = 1 << 20

// short says why voxels could not be read on after got bytes of them.
func (p plan) short(got int, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file ends after %d of %d bytes of voxels; copy it again from where it came from", got, p.volumeBytes)
	}
	return damaged(plain(err))
}

// maskNonFinite makes padding of the voxels that are NaN or infinite.
func maskNonFinite(v *volume.Volume) {
	v.Mask = make([]bool, len(v.Data))
	lowest := float32(math.Inf(1))
	for i, x := range v.Data {
		if v.Mask[i] = x-x == 0; v.Mask[i] {
			lowest = min(lowest, x)
		}
	}
	if math.IsInf(float64(lowest), 1) {
		lowest = 0
	}
	for i, valid := range v.Mask {
		if !valid {
			v.Data[i] = lowest
		}
	}
}

func countNonFinite(data []float32) int {
	n := 0
	for _, x := range data {
		if x-x != 0 {
			n++
		}
	}
	return n
}
