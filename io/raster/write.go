package raster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"quell/internal/message"
	"quell/internal/regular"
	"quell/io/atomic"
	"quell/io/format"
	"quell/io/spool"
	"quell/series"
	"quell/volume"
)

// Spec says how a file is written: what the format decides that makes its header.
type Spec struct {
	Datatype    Datatype
	Compress    bool // the whole file, by gzip
	MaskedAsNaN bool // masked voxels are NaN in a floating-point type; else their values
	// Scale chooses how values are stored, and names the loss, by the limits of all: [Scaled] or [Unscaled], for
	// instance. Voxels of a floating-point type, without Order, are stored before the limits are known, as they are.
	Scale func(d Datatype, values Limits) (e Encoder, lost message.Message, err error)
	// Header returns the bytes before the voxels, which lie on a grid and are stored by e. valid are the limits of
	// the voxels that are not masked, for files that have an Order.
	Header func(grid volume.Geometry, e Encoder, valid Limits) []byte

	// Voxels is the path of a file of its own for the voxels; "" for the file of the header.
	Voxels string
	// Order is the order of the voxels in the file, if it has one that is not the order of the
	// volume.
	Order *Order
	// Beside are whole files by their paths that belong to the output.
	Beside map[string][]byte
	// Lost are warnings about what the file does not keep.
	Lost []message.Message
}

// Maker returns how a file is written at path of volumes that were made from a series, on the grid of from.Volume. Its
// errors are one sentence without path.
type Maker func(path string, from *series.Series, description string, o format.Options) (Spec, error)

// Writer writes volumes on one grid as the frames of one file, see [format.Writer], and reads it back: every byte must
// be as it was written. The voxels of a floating-point type are written at once; voxels of an integer type, since the
// scale of the values is in the header, and those in another order wait on the disk for the last. The voxels of a
// single frame that come whole are written in parallel.
type Writer struct {
	path    string
	make    Maker
	options format.Options

	spec    Spec
	grid    volume.Geometry
	part    volume.Geometry  // of the volume that was begun
	lasting *series.Infinite // of that volume
	begun   int              // frames
	voxels  *spool.Voxels    // of all frames; frames of a type that does not wait are only counted
	added   int              // slices of all frames
	values  Limits
	valid   Limits   // of a file with an order, see Spec.Header
	made    []string // files
	file    *os.File // of the voxels
	out     output   // nil before the header is known
	done    bool
	lost    []message.Message
}

var _ format.Writer = (*Writer)(nil)

// NewWriter returns a writer of the file at path, which must not exist. The caller calls Close, or Discard.
func (m Maker) NewWriter(path string, o format.Options) *Writer {
	return &Writer{path: path, make: m, options: o}
}

// Write writes a volume to a new file.
func (m Maker) Write(ctx context.Context, path string, v *volume.Volume, a *volume.Arrival, from *series.Series, d format.Derived, o format.Options) (format.Report, error) {
	w := m.NewWriter(path, o)
	defer w.Discard()
	err := w.Begin(ctx, from, d)
	if err == nil {
		err = w.Add(ctx, v, a)
	}
	if err != nil {
		return format.Report{}, err
	}
	return w.Close(ctx)
}

// sameSteps reports whether two grids differ in nothing but where they lie: volumes of a
// 4-D series may have moved, and the file has the grid of the first.
func sameSteps(a, b volume.Geometry) bool {
	const part = 0.02 // of a step
	for c := range a.Spacing {
		if math.Abs(a.Spacing[c]-b.Spacing[c]) > part*b.Spacing[c] {
			return false
		}
	}
	return a.Dims == b.Dims
}

// Begin implements format.Writer.
func (w *Writer) Begin(_ context.Context, from *series.Series, d format.Derived) error {
	grid, frames := from.Volume.Geometry, w.options.Volumes()
	switch {
	case w.begun == frames && w.begun > 0:
		return fmt.Errorf("the file has its %d volumes", frames)
	case w.added != w.begun*w.grid.Dims[2]:
		return fmt.Errorf("slices of volume %d are missing", w.begun)
	case w.begun > 0 && !sameSteps(grid, w.grid):
		return fmt.Errorf("volume %d lies on another grid than the first", w.begun+1)
	case w.begun > 0:
		w.begun++
		w.part, w.lasting = grid, from.Infinite
		return nil
	case frames < 1 || frames > math.MaxInt32:
		return message.Errorf(message.OutputUnsupported, "a file contains 1 to %d volumes, not %d", math.MaxInt32, frames)
	}
	if err := grid.Validate(); err != nil {
		return err
	}
	var err error
	if w.spec, err = w.make(w.path, from, d.Description, w.options); err != nil {
		return err
	}
	w.grid, w.begun, w.lost = grid, 1, w.spec.Lost
	w.part, w.lasting = grid, from.Infinite
	all := grid
	all.Dims[2] *= frames
	w.voxels = spool.New(filepath.Dir(w.path), all)
	voxels := w.spec.Voxels
	if voxels == "" {
		voxels = w.path
	}
	if w.file, err = w.create(voxels); err != nil {
		return err
	}
	for path, b := range w.spec.Beside {
		if err := w.writeFile(path, b); err != nil {
			return err
		}
	}
	return nil
}

// create makes a file that does not exist.
func (w *Writer) create(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		w.made = append(w.made, path)
	}
	return f, WithoutPath(err)
}

// writeFile writes a small file.
func (w *Writer) writeFile(path string, b []byte) error {
	f, err := w.create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if e := f.Close(); err == nil {
		err = e
	}
	return WithoutPath(err)
}

// waits reports whether the first voxel is written after the last is there.
func (w *Writer) waits() bool { return w.spec.Datatype.Integer() || w.spec.Order != nil }

// Add implements format.Writer.
func (w *Writer) Add(ctx context.Context, part *volume.Volume, a *volume.Arrival) error {
	if w.begun == 0 {
		return errors.New("no volume was begun")
	}
	if err := w.check(part); err != nil {
		return err
	}
	first := (w.added - (w.begun-1)*w.grid.Dims[2]) * w.grid.SliceVoxels()
	w.added += part.Dims[2]
	if !w.waits() {
		var err error
		if part, a, err = w.restored(ctx, part, a, first); err != nil {
			return err
		}
		if w.out == nil {
			if err := w.begin(Encoder{Datatype: w.spec.Datatype, Slope: 1}); err != nil {
				return err
			}
		}
		return w.out.add(ctx, part, a)
	}
	if !w.spec.Compress && w.added == part.Dims[2] { // while the voxels are computed; the header is a page at most
		atomic.Reserve(w.file, int64(w.voxels.Grid().Voxels())*int64(w.spec.Datatype.Bytes))
	}
	if err := a.Read(ctx, 0, len(part.Data), func() error { return nil }); err != nil {
		return err
	}
	if err := w.limit(ctx, part); err != nil {
		return err
	}
	if w.spec.Datatype.Integer() || !w.spec.MaskedAsNaN {
		plain := *part
		plain.Mask = nil // it need not wait
		part = &plain
	}
	if err := w.voxels.Add(part); err != nil || !w.voxels.Complete() {
		return err
	}
	return w.store(ctx)
}

// restored returns the next slices with the voxels that were infinite in their source, which are masked; then the
// others have arrived.
func (w *Writer) restored(ctx context.Context, part *volume.Volume, a *volume.Arrival, first int) (*volume.Volume, *volume.Arrival, error) {
	if !masksAsNaN(w.spec.MaskedAsNaN, Encoder{Datatype: w.spec.Datatype}, part) || w.lasting == nil {
		return part, a, nil
	}
	if err := a.Read(ctx, 0, len(part.Data), func() error { return nil }); err != nil {
		return nil, nil, err
	}
	own := *part
	own.Data = w.lasting.Restore(w.part, first, part.Data)
	return &own, nil, nil
}

// check returns why part cannot be the next slices. The values of a volume that comes whole are not looked at.
func (w *Writer) check(part *volume.Volume) error {
	all := w.voxels.Grid().Dims[2]
	switch {
	case w.added+part.Dims[2] > w.begun*w.grid.Dims[2] || part.Dims[0] != w.grid.Dims[0] || part.Dims[1] != w.grid.Dims[1]:
		return fmt.Errorf("slices of %v voxels do not follow %d of %v", part.Dims, w.added-(w.begun-1)*w.grid.Dims[2], w.grid.Dims)
	case part.Dims[2] == all:
		return part.ValidateLayout()
	}
	return part.Validate()
}

// limit counts in the values of the next slices.
func (w *Writer) limit(ctx context.Context, part *volume.Volume) error {
	w.values.merge(limitsOf(part.Data))
	if w.spec.Order == nil || part.Mask != nil && !slices.Contains(part.Mask, true) {
		return nil
	}
	lo, hi, err := part.Range(ctx)
	w.valid.merge(Limits{Lo: lo, Hi: hi, any: true})
	return err
}

// store writes all voxels, which waited.
func (w *Writer) store(ctx context.Context) error {
	e, lost, err := w.spec.Scale(w.spec.Datatype, w.values)
	if err != nil {
		return err
	}
	if !lost.IsZero() {
		w.lost = append(w.lost, lost)
	}
	if err := w.begin(e); err != nil {
		return err
	}
	err = w.spec.Order.parts(w.voxels, func(part *volume.Volume) error { return w.out.add(ctx, part, nil) })
	if err != nil {
		return WithoutPath(err)
	}
	return WithoutPath(w.voxels.Close())
}

// begin writes the header.
func (w *Writer) begin(e Encoder) (err error) {
	header := w.spec.Header(w.grid, e, w.valid)
	if w.spec.Voxels != "" {
		if err := w.writeFile(w.path, header); err != nil {
			return err
		}
		header = nil
	}
	w.out, err = newOutput(w.file, header, e, w.spec)
	return err
}

// Clipped implements format.Writer: what an integer type cannot hold is in the warnings.
func (w *Writer) Clipped() int64 { return 0 }

// Close implements format.Writer.
func (w *Writer) Close(ctx context.Context) (format.Report, error) {
	defer w.Discard()
	if n := w.options.Volumes(); w.out == nil || w.added != n*w.grid.Dims[2] {
		if n == 1 {
			return format.Report{}, fmt.Errorf("%d of %d slices were written", w.added, w.grid.Dims[2])
		}
		return format.Report{}, fmt.Errorf("%d of %d volumes were written", w.added/max(w.grid.Dims[2], 1), n)
	}
	name := w.file.Name()
	err := w.out.finish()
	if e := w.file.Close(); err == nil {
		err = e
	}
	w.file = nil
	if err == nil {
		err = w.out.verify(ctx, HostFolder(filepath.Dir(name)), filepath.Base(name))
	}
	if err != nil {
		return format.Report{}, WithoutPath(err)
	}
	w.done = true
	if w.options.Progress != nil {
		w.options.Progress(1, 1)
	}
	return format.Report{Files: len(w.made), Warnings: w.lost}, nil
}

// Discard implements format.Writer.
func (w *Writer) Discard() {
	if w.voxels != nil {
		_ = w.voxels.Close()
	}
	if w.done {
		return
	}
	if w.out != nil {
		_ = w.out.finish() // ends its goroutines
	}
	if w.file != nil {
		_ = w.file.Close()
	}
	for _, path := range w.made {
		_ = os.Remove(path)
	}
	w.out, w.file, w.made = nil, nil, nil
}

// HostFolder is a folder of the machine. Unlike os.DirFS it opens names that are not UTF-8.
type HostFolder string

// Open implements fs.FS.
func (dir HostFolder) Open(name string) (fs.File, error) {
	return regular.Open(filepath.Join(string(dir), name))
}

// WriteVoxels writes the voxels alone, by e; nan says that masked ones are NaN in a floating-point type.
func WriteVoxels(ctx context.Context, w io.Writer, nan bool, e Encoder, v *volume.Volume, a *volume.Arrival) error {
	nan = masksAsNaN(nan, e, v)
	step := chunkBytes / e.Bytes
	buf := make([]byte, min(step, len(v.Data))*e.Bytes)
	var masked []float32
	for at := 0; at < len(v.Data); at += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		src := v.Data[at:min(at+step, len(v.Data))]
		out := buf[:len(src)*e.Bytes]
		err := a.Read(ctx, at, at+len(src), func() error {
			if nan {
				masked = withNaN(masked, src, v.Mask[at:])
				src = masked
			}
			e.encode(out, src)
			return nil
		})
		if err != nil {
			return err
		}
		if _, err := w.Write(out); err != nil {
			return WithoutPath(err)
		}
	}
	return nil
}

// masksAsNaN reports whether the masked voxels of v are stored as NaN, if they are to be.
func masksAsNaN(wanted bool, e Encoder, v *volume.Volume) bool {
	return wanted && v.Mask != nil && !e.Integer()
}

// withNaN returns values in buf, NaN if mask is false and they are not infinite.
func withNaN(buf, values []float32, mask []bool) []float32 {
	buf = append(buf[:0], values...)
	for i := range buf {
		if !mask[i] && buf[i]-buf[i] == 0 {
			buf[i] = float32(math.NaN())
		}
	}
	return buf
}
