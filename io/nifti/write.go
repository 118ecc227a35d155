package nifti

import (
	"context"
	"errors"
	"strings"

	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// Write writes v, of finite values, to path: NIfTI if path ends in .nii or .nii.gz, an
// Analyze 7.5 pair if it ends in .hdr, with the voxels in the .img next to it. NIfTI is
// version 1 unless v came from version 2 or is too large for version 1.
//
// from is the series that v was computed from, and may be nil. If it was read from a
// NIfTI file, Write reads the header of that file again and keeps its transform
// codes, intent, time unit and step, display range and extensions, and its
// description unless description is given. Each of its transforms is moved with the
// voxels, so that a crop stays in place. Any other volume gets sform and qform with
// code 1; a sheared one (gantry tilt) gets sform alone, since a quaternion cannot
// represent shear. Positions written are always on v's grid.
//
// a is nil if all voxels are there. For a volume that an engine is computing, each voxel is
// written when a says that it is final. An integer type and an Analyze file wait for all of
// them, since the scale of the values is in the header.
//
// dtype is one of raster.Datatypes. An integer type stores values unscaled if all are whole
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
	d, err := raster.DatatypeByName(dtype)
	if err != nil {
		return err
	}
	if err := v.ValidateLayout(); err != nil {
		return err
	}
	_, ext, gz := splitExt(path)
	if strings.EqualFold(ext, ".hdr") && gz == "" {
		if err := a.Read(ctx, 0, len(v.Data), func() error { return nil }); err != nil {
			return err
		}
		source, err := sourceHeader(from)
		if err != nil {
			return err
		}
		return writePair(ctx, path, ImagePath(path), v, source, d, description)
	}
	spec, err := newSpec(path, from, dtype, func(grid volume.Geometry, e raster.Encoder, source *header) *header {
		return newHeader(grid, source, e, description)
	})
	if err != nil {
		return err
	}
	spec.MaskedAsNaN = spec.MaskedAsNaN && from.Volume.Mask != nil
	_, err = raster.WriteFile(ctx, path, spec, v, a)
	return err
}

// NewFrameWriter begins a file of the given number of frames at path, a .nii or .nii.gz that must
// not exist. from, the first of the series that the frames were computed from, and dtype are as
// for [Write]; step is the time between frames in seconds, 0 if it is unknown; auxiliary is up to
// 23 bytes that the header keeps as the name of an auxiliary file, see [GradientMark]. The caller
// calls Close, or Discard.
func NewFrameWriter(path string, frames int, from *series.Series, step float64, dtype, description, auxiliary string) (*raster.FrameWriter, error) {
	spec, err := newSpec(path, from, dtype, func(grid volume.Geometry, e raster.Encoder, source *header) *header {
		h := newHeader(grid, source, e, description)
		h.auxFile = [24]byte{}
		copy(h.auxFile[:len(h.auxFile)-1], auxiliary)
		h.setFrames(frames, step)
		return h
	})
	if err != nil {
		return nil, err
	}
	return raster.NewFrameWriter(path, frames, spec)
}

// newSpec returns how a single file is written. layout gets the header of the source, nil for none.
func newSpec(path string, from *series.Series, dtype string, layout func(grid volume.Geometry, e raster.Encoder, source *header) *header) (raster.Spec, error) {
	d, err := raster.DatatypeByName(dtype)
	if err != nil {
		return raster.Spec{}, err
	}
	_, ext, gz := splitExt(path)
	if !strings.EqualFold(ext, ".nii") {
		return raster.Spec{}, errors.New("the name must end in .nii or .nii.gz for NIfTI, in .hdr for Analyze")
	}
	source, err := sourceHeader(from)
	if err != nil {
		return raster.Spec{}, err
	}
	return raster.Spec{
		Datatype: d, Compress: gz != "", MaskedAsNaN: source != nil,
		Header: func(grid volume.Geometry, e raster.Encoder) []byte { return layout(grid, e, source).marshal() },
	}, nil
}

// setFrames makes the header one of a file of several volumes.
func (h *header) setFrames(frames int, step float64) {
	if frames == 1 {
		return
	}
	h.dim[0], h.dim[4] = 4, int64(frames)
	if frames > maxDim16 {
		h.format = nifti2
	}
	if step > 0 {
		const seconds, timeUnit = 8, 0x38
		h.pixdim[4], h.xyztUnits = step, h.xyztUnits&^timeUnit|seconds
	}
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
