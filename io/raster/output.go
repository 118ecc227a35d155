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

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/io/atomic"
	"quell/io/spool"
	"quell/series"
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

// losses counts the voxels with a stored value that a float32 cannot hold.
type losses struct {
	nan, infinite int   // stored as such
	overflow      int   // finite, but beyond the range of float32
	rounded       int   // integers with more than the 24 significant bits of a float32
	unused        int64 // bytes behind the last voxel
}

func (l *losses) add(o losses) {
	l.nan += o.nan
	l.infinite += o.infinite
	l.overflow += o.overflow
	l.rounded += o.rounded
	l.unused += o.unused
}

// nonFinite returns the number of voxels that have no finite float32.
func (l losses) nonFinite() int { return l.nan + l.infinite + l.overflow }

// keepsInfinite reports whether infinite values are such in the file: of one beyond the range of float32 that is not known.
func (l losses) keepsInfinite() bool { return l.infinite > 0 && l.overflow == 0 }

// findings returns a finding for each kind of loss.
func (l losses) findings() (list []series.Finding) {
	masked := message.Text("treated as padding, which filters neither use nor change")
	add := func(n int, s series.Severity, kind series.Kind, one, many message.Message) {
		switch {
		case n == 1:
			list = append(list, series.Finding{Severity: s, Kind: kind, Text: message.Text("1 voxel %s", one)})
		case n > 1:
			list = append(list, series.Finding{Severity: s, Kind: kind, Text: message.Text("%d voxels %s", n, many)})
		}
	}
	add(l.nan, series.Note, series.Padding,
		message.Text("is NaN; it is %s.", masked),
		message.Text("are NaN; they are %s.", masked))
	add(l.infinite, series.Warning, series.Padding,
		message.Text("is infinite; it is %s.", masked),
		message.Text("are infinite; they are %s.", masked))
	add(l.overflow, series.Warning, series.Precision,
		message.Text("is beyond the range of 32-bit floating point; it is %s.", masked),
		message.Text("are beyond the range of 32-bit floating point; they are %s.", masked))
	add(l.rounded, series.Warning, series.Precision,
		message.Text("has more digits than 32-bit floating point holds (24 bits); it was rounded."),
		message.Text("have more digits than 32-bit floating point holds (24 bits); they were rounded."))
	return list
}

// Order is an order of the voxels of a file: Axis gives the axis of the volume for each axis of the file, the
// fastest first, and Flip whether it is reversed.
type Order struct {
	Axis [3]int
	Flip [3]bool
}

// The voxels in memory at once take so many bytes as float32, at least of a slice of the file. If the slices of the
// file run across the slices of the volume, which wait on the disk, all of these are read for each part.
const (
	partBytes   = 64 << 20
	acrossBytes = 512 << 20
)

// parts passes all voxels on in this order, nil for the order of the volume, some slices of the file at a
// time.
func (o *Order) parts(v *spool.Voxels, use func(part *volume.Volume) error) error {
	last, bytes := 2, partBytes
	if o != nil {
		if last = o.Axis[2]; last != 2 {
			bytes = acrossBytes
		}
	}
	n := v.Grid().Dims[last]
	step := max(1, bytes/4/(v.Grid().Voxels()/n))
	for from := 0; from < n; from += step {
		part, err := o.part(v, from, min(from+step, n))
		if err != nil {
			return err
		}
		if err := use(part); err != nil {
			return err
		}
	}
	return nil
}

// part returns the slices from <= z < to of the file.
func (o *Order) part(v *spool.Voxels, from, to int) (*volume.Volume, error) {
	if o == nil || *o == (Order{Axis: [3]int{0, 1, 2}}) {
		return v.Part(from, to)
	}
	dims := v.Grid().Dims
	var out volume.Geometry // only its dims are used
	for c, a := range o.Axis {
		out.Dims[c] = dims[a]
	}
	out.Dims[2] = to - from
	lo, hi := [3]int{}, dims // of the voxels in it
	if a := o.Axis[2]; o.Flip[2] {
		lo[a], hi[a] = dims[a]-to, dims[a]-from
	} else {
		lo[a], hi[a] = from, to
	}
	part := &volume.Volume{Geometry: out, Data: make([]float32, out.Voxels())}
	stride := [3]int{1, out.Dims[0], out.SliceVoxels()}
	var step [3]int // along each axis of the volume
	start := 0
	for c, a := range o.Axis {
		step[a] = stride[c]
		if o.Flip[c] {
			start += (out.Dims[c] - 1) * stride[c]
			step[a] = -stride[c]
		}
	}
	for z := lo[2]; z < hi[2]; z++ {
		slice, err := v.Part(z, z+1)
		if err != nil {
			return nil, err
		}
		if slice.Mask != nil && part.Mask == nil {
			part.Mask = make([]bool, len(part.Data)) // every slice has one, or none
		}
		for y := lo[1]; y < hi[1]; y++ {
			at := start + (z-lo[2])*step[2] + (y-lo[1])*step[1]
			for x := lo[0]; x < hi[0]; x++ {
				i := y*dims[0] + x
				part.Data[at] = slice.Data[i]
				if slice.Mask != nil {
					part.Mask[at] = slice.Mask[i]
				}
				at += step[0]
			}
		}
	}
	return part, nil
}
