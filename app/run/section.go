package run

import (
	"quell/series"
	"quell/volume"
)

// Section returns the part of a series that a region of whole slices covers.
func Section(s *series.Series, r volume.Region) *series.Series {
	if r == s.Volume.Bounds() {
		return s
	}
	part := *s
	part.Volume = s.Volume.Crop(r)
	if len(s.Sources) == s.Volume.Dims[2] {
		part.Sources = s.Sources[r.Min[2]:r.Max[2]]
	}
	return &part
}
