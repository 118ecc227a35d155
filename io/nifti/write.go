package nifti

import (
	"strings"

	"quell/internal/message"
	"quell/io/format"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// Make makes NIfTI if path ends in .nii or .nii.gz, an Analyze 7.5 pair if it ends in .hdr, with the voxels in the
// .img next to it. NIfTI is version 1 unless from is version 2 or the file is too large for version 1.
//
// If from was read from a NIfTI file, the header of that file is read again: its transform
// codes, intent, time unit and step, display range and extensions are kept, and its
// description unless description is given. Each of its transforms is moved with the
// voxels, so that a crop stays in place. Any other volume gets sform and qform with
// code 1; a sheared one (gantry tilt) gets sform alone, since a quaternion cannot
// represent shear. Written positions are always on from's grid.
//
// An integer type stores values unscaled if all are whole and fit, else scaled by scl_slope and scl_inter to the
// type's range. The masked voxels of a series read from NIfTI are NaN in a floating-point type; other padding
// is written as its value.
//
// The diffusion gradients of a group are written next to a NIfTI file; its header has a mark of them.
//
// An Analyze file holds one volume and cannot store an orientation: readers assume that x runs to the
// patient's left, y to the front and z to the head. The voxels are reordered to lie
// nearest to that, so that those that come some slices at a time wait on the disk for the last; obliqueness is lost,
// and the origin is rounded to whole voxels or lost if it is far from the volume, with a warning that gives the resulting
// distance.
var Make raster.Maker = func(path string, from *series.Series, description string, o format.Options) (raster.Spec, error) {
	d, err := raster.DatatypeByName(o.Datatype)
	if err != nil {
		return raster.Spec{}, err
	}
	_, ext, gz := splitExt(path)
	pair := strings.EqualFold(ext, ".hdr") && gz == ""
	if !pair && !strings.EqualFold(ext, ".nii") || gz != "" && !strings.EqualFold(gz, ".gz") {
		return raster.Spec{}, message.Errorf(message.OutputUnsupported, "the name must end in .nii or .nii.gz for NIfTI, in .hdr for Analyze")
	}
	source, err := sourceHeader(from)
	if err != nil {
		return raster.Spec{}, err
	}
	s := raster.Spec{Datatype: d, Compress: gz != "", MaskedAsNaN: source != nil && raster.HasNaN(from, o.Volumes()), Scale: raster.Scaled}
	if pair {
		return analyzeSpec(s, path, from.Volume.Geometry, source, description)
	}
	mark := ""
	if g := o.Gradients(); g != nil {
		bval, bvec := FormatGradients(g, from.Volume.Geometry)
		bvalPath, bvecPath := GradientFiles(path)
		mark, s.Beside = gradientMark(bval, bvec), map[string][]byte{}
		for path, text := range map[string][]byte{bvalPath: bval, bvecPath: bvec} {
			if text != nil {
				s.Beside[path] = text
			}
		}
	}
	s.Header = func(grid volume.Geometry, e raster.Encoder, _ raster.Limits) []byte {
		h := newHeader(grid, source, e, description)
		if o.Group != nil {
			h.auxFile = [24]byte{}
			copy(h.auxFile[:len(h.auxFile)-1], mark)
		}
		h.setFrames(o.Volumes(), o.Step())
		return h.marshal()
	}
	return s, nil
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

// imagePath returns the .img of an Analyze .hdr, in upper case if the .hdr is. It
// returns other paths unchanged.
func imagePath(path string) string {
	base, ext, gz := splitExt(path)
	switch {
	case gz != "" || !strings.EqualFold(ext, ".hdr"):
		return path
	case ext == ".HDR":
		return base + ".IMG"
	}
	return base + ".img"
}
