package nifti

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/pgzip"

	"quell/series"
	"quell/volume"
)

// FrameWriter writes volumes on one grid, one after another, as the frames of one
// four-dimensional NIfTI file, which [ReadVolume] reads by number. It keeps no volume in
// memory. Its methods are called from one goroutine.
//
// Integer types store values unscaled where all of all frames are whole and fit. Since
// that is known only after the last frame, the frames wait in a file of float32 beside
// the output until then.
type FrameWriter struct {
	path     string
	frames   int // that the file is to have
	added    int
	datatype datatype
	header   *header // of the source, nil for none
	grid     volume.Geometry
	step     float64
	text     string // description

	file     *os.File
	complete bool
	compress bool
	out      *checkedWriter // of header and voxels, before compression
	zip      *pgzip.Writer  // nil without compression

	spool  *os.File // float32 voxels of integer types
	values valueLimits
}

// NewFrameWriter begins a file of the given number of frames at path, a .nii or .nii.gz
// that must not exist. from, the first of the series that the frames were computed from,
// and dtype are as for [Write]; step is the time between frames in seconds, 0 where it is
// unknown. The caller calls Close, or Discard.
func NewFrameWriter(path string, frames int, from *series.Series, step float64, dtype, description string) (*FrameWriter, error) {
	d, err := datatypeByName(dtype)
	if err != nil {
		return nil, err
	}
	_, ext, gz := splitExt(path)
	if !strings.EqualFold(ext, ".nii") {
		return nil, errors.New("the name must end in .nii or .nii.gz: only NIfTI holds several volumes")
	}
	if frames < 1 || frames > math.MaxInt32 {
		return nil, fmt.Errorf("a file holds 1 to %d volumes, not %d", math.MaxInt32, frames)
	}
	source, err := sourceHeader(from)
	if err != nil {
		return nil, err
	}
	if source != nil {
		source.maskedAsNaN = true // whichever of the frames has a mask
	}
	w := &FrameWriter{path: path, frames: frames, datatype: d, header: source, step: step, text: description, compress: gz != ""}
	if w.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, withoutPath(err)
	}
	if d.integer() {
		if w.spool, err = os.CreateTemp(filepath.Dir(path), ".frames-*"); err != nil {
			w.Discard()
			return nil, withoutPath(err)
		}
	}
	return w, nil
}

// Add writes the next frame. All frames lie on the grid of the first.
func (w *FrameWriter) Add(ctx context.Context, v *volume.Volume) error {
	if err := v.Validate(); err != nil {
		return err
	}
	const tolerance = 0.01 // mm
	switch {
	case w.added == w.frames:
		return fmt.Errorf("the file has its %d volumes", w.frames)
	case w.added == 0:
		w.grid = v.Geometry
	case !v.SameGrid(w.grid, tolerance):
		return fmt.Errorf("volume %d lies on another grid than the first", w.added)
	}
	w.added++
	if w.spool != nil {
		w.values.add(v.Data)
		return writeVoxels(ctx, w.spool, &header{}, encoder{datatype: spooled(), slope: 1}, v)
	}
	e := encoder{datatype: w.datatype, slope: 1}
	if w.added == 1 {
		if err := w.begin(e); err != nil {
			return err
		}
	}
	h := &header{maskedAsNaN: w.header != nil}
	return writeVoxels(ctx, w.out, h, e, v)
}

// begin writes the header.
func (w *FrameWriter) begin(e encoder) error {
	h := newHeader(w.grid, w.header, e, w.text)
	h.dim[0], h.dim[4] = 4, int64(w.frames)
	if w.frames > maxDim16 {
		h.format = nifti2
	}
	if w.step > 0 {
		const seconds, timeUnit = 8, 0x38
		h.pixdim[4], h.xyztUnits = w.step, h.xyztUnits&^timeUnit|seconds
	}
	w.out = newCheckedWriter(w.file)
	if w.compress {
		z, err := pgzip.NewWriterLevel(w.file, gzipLevel)
		if err != nil {
			return err
		}
		w.zip, w.out.w = z, z
	}
	_, err := w.out.Write(h.marshal())
	return withoutPath(err)
}

// Close completes the file and reads it back: every byte must be as it was written. After
// an error the file is gone.
func (w *FrameWriter) Close(ctx context.Context) error {
	err := w.finish(ctx)
	w.complete = err == nil
	w.Discard()
	return err
}

func (w *FrameWriter) finish(ctx context.Context) error {
	if w.added != w.frames {
		return fmt.Errorf("%d of %d volumes were written", w.added, w.frames)
	}
	if w.spool != nil {
		if err := w.encodeSpool(ctx); err != nil {
			return err
		}
	}
	if w.zip != nil {
		z := w.zip
		w.zip = nil
		if err := z.Close(); err != nil {
			return withoutPath(err)
		}
	}
	file := w.file
	w.file = nil
	if err := file.Close(); err != nil {
		return withoutPath(err)
	}
	return w.out.verify(ctx, hostFolder(filepath.Dir(w.path)), filepath.Base(w.path))
}

// encodeSpool writes the frames that wait in the spool, now that the range of their values
// is known.
func (w *FrameWriter) encodeSpool(ctx context.Context) error {
	if _, err := w.spool.Seek(0, io.SeekStart); err != nil {
		return withoutPath(err)
	}
	e := encoderFor(w.datatype, w.values)
	if err := w.begin(e); err != nil {
		return err
	}
	in := bufio.NewReaderSize(w.spool, chunkBytes)
	from := decoder{datatype: spooled(), slope: 1}
	step := chunkBytes / 4
	raw, values, out := make([]byte, chunkBytes), make([]float32, step), make([]byte, step*w.datatype.bytes)
	for left := w.frames * w.grid.Voxels(); left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(left, step)
		if _, err := io.ReadFull(in, raw[:4*n]); err != nil {
			return withoutPath(err)
		}
		from.decodeUnscaled(values[:n], raw)
		e.encode(out, values[:n])
		if _, err := w.out.Write(out[:n*w.datatype.bytes]); err != nil {
			return withoutPath(err)
		}
		left -= n
	}
	return w.dropSpool()
}

// spooled is the datatype of the spool.
func spooled() datatype {
	d, _ := datatypeByCode(dtFloat32)
	return d
}

func (w *FrameWriter) dropSpool() error {
	spool := w.spool
	w.spool = nil
	return withoutPath(errors.Join(spool.Close(), os.Remove(spool.Name())))
}

// Discard removes what was written. After Close it does nothing.
func (w *FrameWriter) Discard() {
	if w.spool != nil {
		_ = w.dropSpool()
	}
	if w.zip != nil {
		_ = w.zip.Close() // ends its goroutines
		w.zip = nil
	}
	if w.file != nil {
		_ = w.file.Close()
		w.file = nil
	}
	if !w.complete {
		_ = os.Remove(w.path)
	}
}
