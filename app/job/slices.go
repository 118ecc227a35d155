package job

import (
	"fmt"

	"quell/volume"
)

// SliceRange selects the slices From, From+1, ..., To-1, counted from 0. To = 0
// means the end of the series. Its String counts from 1.
type SliceRange struct {
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
}

// Region returns the selected slices of a geometry.
func (r SliceRange) Region(g volume.Geometry) (volume.Region, error) {
	to := r.To
	if to == 0 {
		to = g.Dims[2]
	}
	if r.From < 0 || r.From >= to || to > g.Dims[2] {
		return volume.Region{}, Usagef("slices %s: the series has the slices 1:%d", r, g.Dims[2])
	}
	return volume.Slices(g, r.From, to), nil
}

// String returns the range as people write it, counted from 1 with both ends included: "3:5"
// for the range from 2 to 5, and "3:" for a range to the end.
func (r SliceRange) String() string {
	if r.To == 0 {
		return fmt.Sprintf("%d:", r.From+1)
	}
	return fmt.Sprintf("%d:%d", r.From+1, r.To)
}
