package nifti

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"strings"

	"github.com/klauspost/pgzip"

	"quell/series"
	"quell/volume"
)

// gzipLevel is where pgzip's size stops falling and its time does not.
const gzipLevel = 6

// Write writes v to path: NIfTI where it ends in .nii or .nii.gz, an Analyze
// 7.5 pair where it ends in .hdr (the voxels go to the .img beside it). NIfTI-1
// is written unless v came from NIfTI-2 or is too large for it.
//
// from is the series that v was made of, and may be nil. Where it came from a
// NIfTI file its header is kept: transform codes, intent, time unit and step,
// display range, extensions; its description too, unless description is given.
// Each of its transforms moves with the voxels, so that a crop stays in place.
// A volume from elsewhere gets sform and qform with code 1; a sheared one
// (gantry tilt) gets sform alone, as a quaternion cannot hold shear.
//
// dtype is one of Datatypes. An integer type stores values as they are where
// all are whole and fit, else scaled by scl_slope and scl_inter over the type's
// range. Voxels that were NaN in the file that from was read from are NaN again
// in a floating-point type; other padding is written as its value.
//
// An Analyze file cannot say how the patient lies: readers take x from right to
// left, y from back to front, z upwards. So its voxels are written in that
// order, whatever their order in v; obliqueness is lost, and the origin is kept
// to half a voxel.
//
// The files are new: path must not exist, and package atomic puts them in the
// place of earlier ones. After an error or a cancelled context nothing is left. The
// error does not name path, which may be that of a stage.
func Write(ctx context.Context, path string, v *volume.Volume, from *series.Series, dtype, description string) error {
	d, err := datatypeByName(dtype)
	if err != nil {
		return err
	}
	if err := v.Validate(); err != nil {
		return err
	}
	var source *Header
	if from != nil {
		source, _ = from.Header.(*Header)
	}
	switch _, ext, gz := splitExt(path); {
	case strings.EqualFold(ext, ".nii"):
		e := newEncoder(d, v)
		h := newHeader(v.Geometry, source, e, description)
		return writeNew(path, func(w io.Writer) error { return writeSingle(ctx, w, h, e, v, gz != "") })
	case strings.EqualFold(ext, ".hdr") && gz == "":
		return writePair(ctx, path, ImagePath(path), v, source, d, description)
	}
	return errors.New("the name should end in .nii or .nii.gz for NIfTI, in .hdr for Analyze")
}

// writeNew makes a file with what write writes. After an error it is gone.
func writeNew(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return plain(err)
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = plain(e)
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// ImagePath returns the .img that belongs to an Analyze .hdr, in capitals where
// that is. Other paths stay as they are.
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

// writeSingle writes header, extensions and voxels to one file.
func writeSingle(ctx context.Context, f io.Writer, h *Header, e encoder, v *volume.Volume, compress bool) error {
	if !compress {
		return writeVoxels(ctx, f, h, e, v)
	}
	z, err := pgzip.NewWriterLevel(f, gzipLevel)
	if err != nil {
		return err
	}
	if err := writeVoxels(ctx, z, h, e, v); err != nil {
		_ = z.Close() // ends its goroutines; the file is thrown away
		return err
	}
	return z.Close()
}

// writeVoxels writes the header, where h belongs in the same file, and then the
// voxels.
func writeVoxels(ctx context.Context, w io.Writer, h *Header, e encoder, v *volume.Volume) error {
	if h.single {
		if _, err := w.Write(h.marshal()); err != nil {
			return plain(err)
		}
	}
	padNaN := h.paddingNaN && v.Mask != nil && !e.integer()
	step := chunkBytes / e.bytes
	buf := make([]byte, min(step, len(v.Data))*e.bytes)
	var masked []float32
	for at := 0; at < len(v.Data); at += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		src := v.Data[at:min(at+step, len(v.Data))]
		if padNaN {
			masked = append(masked[:0], src...)
			for i := range masked {
				if !v.Mask[at+i] {
					masked[i] = float32(math.NaN())
				}
			}
			src = masked
		}
		out := buf[:len(src)*e.bytes]
		e.encode(out, src)
		if _, err := w.Write(out); err != nil {
			return plain(err)
		}
	}
	return nil
}
