package nifti

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
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
// The file is written under a temporary name in the same folder and renamed
// when it is whole. Until then nothing of the name path is touched, and after
// an error or a cancelled context nothing is left behind.
func Write(ctx context.Context, path string, v *volume.Volume, from *series.Series, dtype, description string) error {
	if err := write(ctx, path, v, from, dtype, description); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func write(ctx context.Context, path string, v *volume.Volume, from *series.Series, dtype, description string) error {
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
	switch base, ext, gz := splitExt(path); {
	case strings.EqualFold(ext, ".nii"):
		e := newEncoder(d, v)
		h := newHeader(v.Geometry, source, e, description)
		f, err := createPending(path)
		if err != nil {
			return err
		}
		defer f.discard()
		if err := writeSingle(ctx, f, h, e, v, gz != ""); err != nil {
			return err
		}
		return f.commit()
	case strings.EqualFold(ext, ".hdr") && gz == "":
		return writePair(ctx, path, base+ext[:1]+matchCase("img", ext), v, source, d, description)
	}
	return errors.New("the name should end in .nii or .nii.gz for NIfTI, in .hdr for Analyze")
}

// matchCase returns s in capitals where the extension that it goes with is.
func matchCase(s, ext string) string {
	if ext == strings.ToUpper(ext) {
		return strings.ToUpper(s)
	}
	return s
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
