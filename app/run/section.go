package run

import (
	"quell/series"
	"quell/volume"
)

// Section returns the part of a series that a region of whole slices covers, in the memory of the series.
func Section(s *series.Series, r volume.Region) *series.Series {
	if r == s.Volume.Bounds() {
		return s
	}
	part := *s
	from, end := s.Volume.Index(0, 0, r.Min[2]), s.Volume.Index(0, 0, r.Min[2])+r.Voxels()
	v := *s.Volume
	v.Geometry, v.Data = v.Geometry.Crop(r), v.Data[from:end:end]
	if v.Mask != nil {
		v.Mask = v.Mask[from:end:end]
	}
	part.Volume = &v
	if len(s.Sources) == s.Volume.Dims[2] {
		part.Sources = s.Sources[r.Min[2]:r.Max[2]]
	}
	return &part
}
