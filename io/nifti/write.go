package nifti

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/pgzip"

	"quell/series"
	"quell/volume"
)

// gzipLevel is the level beyond which pgzip takes more time without saving space.
const gzipLevel = 6

// Write writes v, whose values are finite, to path: NIfTI if path ends in .nii or
// .nii.gz, an Analyze 7.5 pair if it ends in .hdr, with the voxels in the .img beside it.
// NIfTI is version 1 unless v came from version 2 or is too large for version 1.
//
// from is the series that v was computed from, and may be nil. If it was read from a
// NIfTI file, Write reads the header of that file again and keeps its transform
// codes, intent, time unit and step, display range and extensions, and its
// description unless description is given. Each of its transforms is moved with the
// voxels, so that a crop stays in place. Any other volume gets sform and qform with
// code 1; a sheared one (gantry tilt) gets sform alone, since a quaternion cannot
// represent shear. Positions written are always those of v's grid.
//
// a is nil if all voxels are there. For a volume that an engine is computing, each voxel is
// written when a says that it is final. An integer type and an Analyze file wait for all of
// them, since the scale of the values is in the header.
//
// dtype is one of Datatypes. An integer type stores values unscaled if all are whole
// and fit, else scaled by scl_slope and scl_inter to the type's range. The masked
// voxels of a series read from NIfTI are NaN in a floating-point type; other padding
// is written as its value.
//
// An Analyze file cannot store an orientation: readers assume that x runs to the
// patient's left, y to the front and z to the head. Write reorders the voxels to lie
// nearest to that; obliqueness is lost, and the origin is rounded to whole voxels or
// lost if it is far from the volume. AnalyzeError gives the resulting distance.
//
// A NIfTI file is read back, and every byte compared with what was to be written.
//
// The files must not exist; package atomic puts them in the place of earlier ones.
// After an error or a cancelled context no file is left. The error does not name
// path, which may lie in a stage.
func Write(ctx context.Context, path string, v *volume.Volume, a *volume.Arrival, from *series.Series, dtype, description string) error {
	d, err := datatypeByName(dtype)
	if err != nil {
		return err
	}
	if err := v.ValidateLayout(); err != nil {
		return err
	}
	source, err := sourceHeader(from)
	if err != nil {
		return err
	}
	_, ext, gz := splitExt(path)
	if d.integer() || !strings.EqualFold(ext, ".nii") {
		if err := a.Read(ctx, 0, len(v.Data), func() error { return nil }); err != nil {
			return err
		}
	}
	switch {
	case strings.EqualFold(ext, ".nii"):
		e := newEncoder(d, v)
		h := newHeader(v.Geometry, source, e, description)
		return writeVerified(ctx, path, h, e, v, a, gz != "")
	case strings.EqualFold(ext, ".hdr") && gz == "":
		return writePair(ctx, path, ImagePath(path), v, source, d, description)
	}
	return errors.New("the name must end in .nii or .nii.gz for NIfTI, in .hdr for Analyze")
}

// writeNew creates a file and calls write to fill it. After an error it removes the
// file.
func writeNew(path string, write func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return withoutPath(err)
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = withoutPath(e)
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// ImagePath returns the .img of an Analyze .hdr, in upper case if the .hdr is. It
// returns other paths unchanged.
func ImagePath(path string) string {
	base, ext, gz := splitExt(path)
	switch {
	case gz != "" || !strings.EqualFold(ext, ".hdr"):
		return path
	case ext == ".HDR":
		return base + ".IMG"
	}
	return base + ".img"
}

// writeVerified writes header, extensions and voxels to one file and reads it back. After an
// error the file is gone.
func writeVerified(ctx context.Context, path string, h *header, e encoder, v *volume.Volume, a *volume.Arrival, compress bool) error {
	var verify func(ctx context.Context, fsys fs.FS, name string) error
	err := writeNew(path, func(f *os.File) (err error) {
		verify, err = writeSingle(ctx, f, h, e, v, a, compress)
		return err
	})
	if err != nil {
		return err
	}
	if err = verify(ctx, hostFolder(filepath.Dir(path)), filepath.Base(path)); err != nil {
		os.Remove(path)
	}
	return err
}

// hostFolder is a folder of the machine. Unlike os.DirFS it opens names that are not UTF-8.
type hostFolder string

// Open implements fs.FS.
func (dir hostFolder) Open(name string) (fs.File, error) {
	return os.Open(filepath.Join(string(dir), name))
}

// output is a file that is written.
type output interface {
	io.Writer
	io.WriterAt
}

// writeSingle writes header, extensions and voxels to one file, and returns what reads it
// back.
func writeSingle(ctx context.Context, f output, h *header, e encoder, v *volume.Volume, a *volume.Arrival, compress bool) (verify func(ctx context.Context, fsys fs.FS, name string) error, err error) {
	if !compress {
		w := &blockWriter{to: f, header: h.marshal(), encoder: e, volume: v, arrival: a, maskedAsNaN: h.masksAsNaN(e, v)}
		return w.verify, w.run(ctx)
	}
	z, err := pgzip.NewWriterLevel(f, gzipLevel)
	if err != nil {
		return nil, err
	}
	c := newCheckedWriter(z)
	if err := writeVoxels(ctx, c, h, e, v, a); err != nil {
		_ = z.Close() // ends its goroutines; the file is discarded
		return nil, err
	}
	return c.verify, z.Close()
}

// masksAsNaN reports whether the masked voxels of v are stored as NaN.
func (h *header) masksAsNaN(e encoder, v *volume.Volume) bool {
	return h.maskedAsNaN && v.Mask != nil && !e.integer()
}

// writeVoxels writes the header, if it belongs in the same file, and the voxels.
func writeVoxels(ctx context.Context, w io.Writer, h *header, e encoder, v *volume.Volume, a *volume.Arrival) error {
	if h.single {
		if _, err := w.Write(h.marshal()); err != nil {
			return withoutPath(err)
		}
	}
	maskedAsNaN := h.masksAsNaN(e, v)
	step := chunkBytes / e.bytes
	buf := make([]byte, min(step, len(v.Data))*e.bytes)
	var masked []float32
	for at := 0; at < len(v.Data); at += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		src := v.Data[at:min(at+step, len(v.Data))]
		out := buf[:len(src)*e.bytes]
		err := a.Read(ctx, at, at+len(src), func() error {
			if maskedAsNaN {
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
			return withoutPath(err)
		}
	}
	return nil
}

// withNaN returns values in buf, NaN where mask is false.
func withNaN(buf, values []float32, mask []bool) []float32 {
	buf = append(buf[:0], values...)
	for i := range buf {
		if !mask[i] {
			buf[i] = float32(math.NaN())
		}
	}
	return buf
}
